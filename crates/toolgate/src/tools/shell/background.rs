//! Commands that run on after their call has been answered.
//!
//! They were judged and are run like any other; only nobody waits for them. A run belongs to the
//! caller that started it, keeps the environment it was started with, and ends with the tool. Its output
//! is masked by the secrets it was started with, whoever reads it later.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolgate_exec::{Reason, ToolError};

use super::passage::Passage;
use super::run::{End, Ran, Running};
use crate::spawn::Child;

/// Runs that have ended and whose output is still kept.
const MAX_ENDED: usize = 16;

/// All background runs of one tool.
#[derive(Clone, Default)]
pub struct BackgroundRuns(Arc<Runs>);

#[derive(Default)]
struct Runs {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    runs: VecDeque<Arc<Run>>,
    /// Places given to runs that are being started.
    starting: usize,
    closed: bool,
}

/// What a background run is and does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackgroundRun {
    /// Its id.
    pub id: Arc<str>,
    /// The command, its secrets masked.
    pub command: Arc<str>,
    /// Who started it.
    pub caller_id: Option<Arc<str>>,
    /// Whether it still runs.
    pub running: bool,
    /// How long it has been running, or ran.
    pub elapsed: Duration,
}

pub(super) struct Run {
    pub(super) id: Arc<str>,
    pub(super) command: Arc<str>,
    pub(super) caller_id: Option<Arc<str>>,
    pub(super) passage: Arc<Mutex<Passage>>,
    pub(super) limit: Duration,
    started: Instant,
    stop: CancellationToken,
    ended: watch::Sender<Option<Arc<Ended>>>,
    /// Weak: the task that follows the run must be what keeps it alive.
    child: Weak<dyn Child>,
}

pub(super) struct Ended {
    pub(super) ran: Ran,
    pub(super) after: Duration,
}

/// What is known of a run before it is started.
pub(super) struct Plan {
    pub(super) id: Arc<str>,
    pub(super) command: Arc<str>,
    pub(super) caller_id: Option<Arc<str>>,
    pub(super) limit: Duration,
}

/// A place for one more run, given back where the run does not start.
pub(super) struct Place(Arc<Runs>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.lock().starting -= 1;
    }
}

impl Runs {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every run, at once and without a runtime.
    fn end_all(&self) {
        let runs = {
            let mut state = self.lock();
            state.closed = true;
            state.runs.clone()
        };
        for run in runs {
            run.stop.cancel();
            if let Some(child) = run.child.upgrade() {
                child.end_now();
            }
        }
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.end_all();
    }
}

impl BackgroundRuns {
    /// Ends every run, at once and without a runtime.
    pub(super) fn end_all(&self) {
        self.0.end_all();
    }

    /// Takes a place for one more run.
    pub(super) fn place(&self, command: &str, max: usize) -> Result<Place, ToolError> {
        let refuse = |code: &'static str, message: String, hint: &str| {
            let reasons = vec![Reason::new(code, message).hint(hint.to_owned())];
            Err(ToolError::Blocked { command: command.to_owned(), reasons })
        };
        let mut state = self.0.lock();
        if state.closed {
            return refuse("session-ended", "the session has ended".to_owned(), "start a new session");
        }
        let running = state.runs.iter().filter(|run| run.is_running()).count();
        if running + state.starting >= max {
            return refuse(
                "too-many-background-runs",
                format!("background run cap reached (max_background_runs={max})"),
                match max {
                    0 => "leave `background` out: nothing runs in the background here",
                    _ => "wait for one to end, or stop one with `bash_stop`",
                },
            );
        }
        state.starting += 1;
        Ok(Place(self.0.clone()))
    }

    /// Follows a started command to its end in a task of its own.
    pub(super) fn follow<F>(
        &self,
        place: Place,
        plan: Plan,
        running: Running,
        then: impl FnOnce(Running, CancellationToken) -> F,
    ) -> Arc<Run>
    where
        F: Future<Output = Ran> + Send + 'static,
    {
        let (ended, _) = watch::channel(None);
        let run = Arc::new(Run {
            id: plan.id,
            command: plan.command,
            caller_id: plan.caller_id,
            passage: running.passage(),
            limit: plan.limit,
            started: Instant::now(),
            stop: CancellationToken::new(),
            ended,
            child: Arc::downgrade(&running.child()),
        });
        {
            let mut state = self.0.lock();
            let ended = state.runs.iter().filter(|run| !run.is_running()).count();
            if ended > MAX_ENDED
                && let Some(oldest) = state.runs.iter().position(|run| !run.is_running())
            {
                state.runs.remove(oldest);
            }
            state.runs.push_back(run.clone());
            if state.closed {
                // The session ended between the place and now.
                run.stop.cancel();
            }
        }
        drop(place);
        let followed = run.clone();
        let following = then(running, run.stop.clone());
        tokio::spawn(async move {
            let ran = following.await;
            let after = followed.started.elapsed();
            followed.ended.send_replace(Some(Arc::new(Ended { ran, after })));
        });
        run
    }

    /// The run with this id, if this caller started it.
    pub(super) fn find(&self, id: &str, caller: Option<&str>) -> Option<Arc<Run>> {
        self.0.lock().runs.iter().find(|run| *run.id == *id && run.caller_id.as_deref() == caller).cloned()
    }

    /// The runs of this caller, oldest first.
    pub(super) fn of(&self, caller: Option<&str>) -> Vec<Arc<Run>> {
        self.0.lock().runs.iter().filter(|run| run.caller_id.as_deref() == caller).cloned().collect()
    }

    /// Every run that is known, oldest first.
    pub fn snapshot(&self) -> Vec<BackgroundRun> {
        self.0.lock().runs.iter().map(|run| run.told()).collect()
    }

    /// Ends every run and waits until all are over; no more are taken.
    pub async fn shutdown(&self) {
        let runs = {
            let mut state = self.0.lock();
            state.closed = true;
            state.runs.clone()
        };
        runs.iter().for_each(|run| run.stop.cancel());
        for run in runs {
            run.over().await;
        }
    }
}

impl std::fmt::Debug for BackgroundRuns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.snapshot()).finish()
    }
}

impl Run {
    pub(super) fn ended(&self) -> Option<Arc<Ended>> {
        self.ended.borrow().clone()
    }

    fn is_running(&self) -> bool {
        // A task that was dropped with its runtime told nothing; its guard has ended the command.
        self.ended.borrow().is_none() && self.child.strong_count() > 0
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.ended().map_or_else(|| self.started.elapsed(), |ended| ended.after)
    }

    fn told(&self) -> BackgroundRun {
        BackgroundRun {
            id: self.id.clone(),
            command: self.command.clone(),
            caller_id: self.caller_id.clone(),
            running: self.is_running(),
            elapsed: self.elapsed(),
        }
    }

    /// Asks it to end and waits until it has.
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        self.over().await;
    }

    async fn over(&self) {
        let mut ended = self.ended.subscribe();
        while ended.borrow_and_update().is_none() && self.is_running() {
            // The sender is ours, so this fails never; a dropped task is seen by the look again.
            if tokio::time::timeout(Duration::from_millis(100), ended.changed())
                .await
                .is_ok_and(|c| c.is_err())
            {
                return;
            }
        }
    }

    /// One word for how it is.
    pub(super) fn status(&self) -> &'static str {
        match self.ended() {
            None if self.is_running() => "running",
            None => "dropped",
            Some(ended) => match &ended.ran.end {
                End::Exited | End::PrintedTooMuch => "exited",
                End::TimedOut => "timed-out",
                End::Cancelled => "stopped",
                End::SinkFailed(_) | End::Lost(_) => "failed",
            },
        }
    }
}
