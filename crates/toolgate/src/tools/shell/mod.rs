//! The shell: `bash`, and `bash_output`, `bash_stop` and `bash_list` for what it runs in the background.
//!
//! A command goes to `bash -c` as one argument, exactly as it was given. How it is run, and how it
//! ends, is `run`'s; what becomes of its output is `passage`'s; where it is started, and behind
//! which boundary, is a [`Spawner`]'s.

mod background;
mod capture;
mod cwd;
mod environment;
mod params;
mod passage;
mod render;
mod report;
mod run;
mod sink;
mod streams;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_exec::{
    BoxFuture, Capabilities, Cleared, Nature, Outcome, OutputStream, Session, Tool, ToolDef, ToolError,
    ToolId, deserialize_params,
};

pub use background::{BackgroundRun, BackgroundRuns};
pub use cwd::Directories;
pub use environment::{Environment, EnvironmentError};
pub use params::{BashParams, ListParams, RunParams};
pub use passage::SHOWN_CHARS;
pub use sink::{OutputSink, OutputWriter};

use crate::output::{Filters, Outputs, SecretValues};
use crate::spawn::{HostSpawner, Needs, SpawnRequest, Spawner};
use crate::understanding::Understood;
use background::Plan;
use capture::cut_end;
use cwd::Listening;
use passage::Way;
use run::{Pipes, Ran, Running};

/// The id of the tool that runs commands.
pub const BASH: &str = "bash";
const BASH_OUTPUT: &str = "bash_output";
const BASH_STOP: &str = "bash_stop";
const BASH_LIST: &str = "bash_list";

/// The `timeout` of a call that names none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// The same for a call in the background.
pub const DEFAULT_BACKGROUND_TIMEOUT: Duration = Duration::from_secs(1800);
/// Commands that may run in the background at once.
pub const DEFAULT_MAX_BACKGROUND_RUNS: usize = 8;

/// Runs commands.
///
/// ```
/// use toolgate::tools::shell::ShellTool;
/// let shell = ShellTool::builder().timeout(std::time::Duration::from_secs(10)).build().unwrap();
/// # let _ = shell;
/// ```
pub struct ShellTool {
    spawner: Arc<dyn Spawner>,
    program: Option<PathBuf>,
    /// The bash that was found on the path.
    found: Mutex<Option<PathBuf>>,
    environment: Environment,
    directories: Directories,
    sink: Option<Arc<dyn OutputSink>>,
    way: Way,
    cancel: CancellationToken,
    timeout: Duration,
    background_timeout: Duration,
    max_background_runs: usize,
    runs: BackgroundRuns,
}

impl std::fmt::Debug for ShellTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellTool")
            .field("timeout", &self.timeout)
            .field("directories", &self.directories)
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}

/// Nothing a tool started outlives it, not even where someone still holds its [`BackgroundRuns`].
impl Drop for ShellTool {
    fn drop(&mut self) {
        self.runs.end_all();
    }
}

/// Puts a [`ShellTool`] together.
#[derive(Default)]
pub struct ShellToolBuilder {
    spawner: Option<Arc<dyn Spawner>>,
    program: Option<PathBuf>,
    environment: Option<Environment>,
    cwd: Option<PathBuf>,
    persist_cwd: bool,
    sink: Option<Arc<dyn OutputSink>>,
    way: Way,
    cancel: Option<CancellationToken>,
    timeout: Option<Duration>,
    background_timeout: Option<Duration>,
    max_background_runs: Option<usize>,
}

impl std::fmt::Debug for ShellToolBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellToolBuilder")
            .field("program", &self.program)
            .field("cwd", &self.cwd)
            .field("persist_cwd", &self.persist_cwd)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl ShellToolBuilder {
    /// Sets what starts the commands; [`HostSpawner`], which contains nothing, where nobody does.
    #[must_use]
    pub fn spawner(mut self, spawner: impl Spawner + 'static) -> Self {
        self.spawner = Some(Arc::new(spawner));
        self
    }

    /// Sets the path of bash; the first `bash` on the environment's `PATH` where nobody does.
    #[must_use]
    pub fn program(mut self, bash: impl Into<PathBuf>) -> Self {
        self.program = Some(bash.into());
        self
    }

    /// Sets the variables that commands start from; what [`Environment::of_this_process`] lets in when
    /// the tool is built where nobody does.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Sets the directory of calls that name none; the process's own where nobody does.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// Lets a `cd` of one call hold for the caller's next.
    ///
    /// Put [`ShellTool::directories`] into the pipeline as a normaliser, so that the next call is
    /// also judged by that directory.
    #[must_use]
    pub fn persist_cwd(mut self, persist: bool) -> Self {
        self.persist_cwd = persist;
        self
    }

    /// Sets where the whole of every output goes.
    #[must_use]
    pub fn sink(mut self, sink: Arc<dyn OutputSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Sets the secrets that are masked in every output, besides known shapes and the variables of
    /// the call's skill.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretValues) -> Self {
        self.way.secrets = secrets;
        self
    }

    /// Sets the rules by which output is made shorter as it comes; none where nobody does.
    #[must_use]
    pub fn filters(mut self, filters: Filters) -> Self {
        self.way.filters = Some(filters);
        self
    }

    /// Sets where output goes that is not shown in full, and how much is shown; where nobody does, the
    /// middle of what is longer than [`SHOWN_CHARS`] is lost.
    #[must_use]
    pub fn outputs(mut self, outputs: Outputs) -> Self {
        self.way.outputs = Some(outputs);
        self
    }

    /// Sets a signal that ends everything that runs.
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Sets the limit of calls that name none.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Sets the limit of background runs that name none.
    #[must_use]
    pub fn background_timeout(mut self, limit: Duration) -> Self {
        self.background_timeout = Some(limit);
        self
    }

    /// Sets how many commands may run in the background at once; with none, the tools that tell of them are not
    /// offered.
    #[must_use]
    pub fn max_background_runs(mut self, max: usize) -> Self {
        self.max_background_runs = Some(max);
        self
    }

    /// Builds it.
    ///
    /// # Errors
    /// Where directories are to persist and no private place for that can be made.
    pub fn build(self) -> io::Result<ShellTool> {
        Ok(ShellTool {
            spawner: self.spawner.unwrap_or_else(|| Arc::new(HostSpawner)),
            program: self.program,
            found: Mutex::default(),
            environment: self.environment.unwrap_or_else(Environment::of_this_process),
            directories: match self.persist_cwd {
                true => Directories::persistent(self.cwd)?,
                false => Directories::fixed(self.cwd),
            },
            sink: self.sink,
            way: self.way,
            cancel: self.cancel.unwrap_or_default(),
            timeout: self.timeout.unwrap_or(DEFAULT_TIMEOUT),
            background_timeout: self.background_timeout.unwrap_or(DEFAULT_BACKGROUND_TIMEOUT),
            max_background_runs: self.max_background_runs.unwrap_or(DEFAULT_MAX_BACKGROUND_RUNS),
            runs: BackgroundRuns::default(),
        })
    }
}

impl Tool for ShellTool {
    fn definitions(&self) -> Vec<ToolDef> {
        let bash = ToolDef::new(
            BASH,
            "Runs a bash command line and gives its output and exit status. Standard input is empty. \
             What it leaves running is ended with it, unless `background` is set.",
        )
        .params::<BashParams>()
        .fenced(BASH)
        .capabilities(
            Capabilities::EXECUTES
                | Capabilities::READS
                | Capabilities::WRITES
                | Capabilities::DELETES
                | Capabilities::NETWORK,
        );
        if self.max_background_runs == 0 {
            return vec![bash];
        }
        vec![
            bash,
            ToolDef::new(BASH_OUTPUT, "Gives the state and the output so far of a background run of `bash`.")
                .params::<RunParams>()
                .capabilities(Capabilities::READS),
            ToolDef::new(BASH_STOP, "Ends a background run of `bash` and gives its output.")
                .params::<RunParams>()
                .capabilities(Capabilities::WRITES | Capabilities::IDEMPOTENT),
            ToolDef::new(BASH_LIST, "Lists the background runs of `bash`.")
                .params::<ListParams>()
                .capabilities(Capabilities::READS),
        ]
    }

    fn nature(&self, id: &ToolId) -> Nature {
        match id.as_str() {
            BASH_OUTPUT | BASH_LIST => Nature::READ_ONLY,
            BASH_STOP => Nature { retryable: true, speculatable: false },
            _ => Nature::ONCE,
        }
    }

    fn mask(&self, text: &str, session: &Session) -> Option<String> {
        self.way.secrets.masked(text, session)
    }

    fn run<'a>(&'a self, call: Cleared) -> BoxFuture<'a, Outcome> {
        match call.call().tool_id.as_str() {
            BASH => Box::pin(self.bash(call)),
            BASH_OUTPUT => Box::pin(std::future::ready(self.output(&call))),
            BASH_STOP => Box::pin(self.stop(call)),
            BASH_LIST => Box::pin(std::future::ready(self.list(&call))),
            other => {
                let error = ToolError::UnknownTool { name: other.to_owned(), nearest: None };
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }
}

impl ShellTool {
    /// Starts putting one together.
    pub fn builder() -> ShellToolBuilder {
        ShellToolBuilder::default()
    }

    /// The normaliser that settles the directory of its calls before they are judged.
    pub fn directories(&self) -> Directories {
        self.directories.clone()
    }

    /// The commands it runs in the background.
    pub fn background_runs(&self) -> BackgroundRuns {
        self.runs.clone()
    }

    async fn bash(&self, call: Cleared) -> Outcome {
        let params: BashParams = deserialize_params(&call.call().params)?;
        params.check()?;
        let start = Instant::now();
        let limit = self.limit(&params, &call, start);
        if limit.is_zero() {
            return Err(ToolError::Timeout { timeout_secs: 0, partial: None });
        }
        if params.background {
            return self.bash_in_background(params, call, start, limit).await;
        }
        let run_id = run_id();
        let (running, heard) = self.start(&params, &call, run_id, start.checked_add(limit)).await?;
        let passage = running.passage();
        let mut cancel = vec![&self.cancel];
        cancel.extend(&call.call().context.cancel);
        let ran = watched(running, &cancel, &call).await;
        if let Some(heard) = heard {
            self.directories.learn(&call.call().context, &heard);
        }
        report::foreground(&passage, ran, limit)
    }

    async fn bash_in_background(
        &self,
        params: BashParams,
        call: Cleared,
        start: Instant,
        limit: Duration,
    ) -> Outcome {
        let place = self.runs.place(&params.command, self.max_background_runs)?;
        let run_id = run_id();
        let id: Arc<str> = run_id.get(..8).unwrap_or(&run_id).into();
        // A directory that it ends in later is no business of the calls in between.
        let (running, _) = self.start(&params, &call, run_id, start.checked_add(limit)).await?;
        let shown = self.mask(&params.command, call.session());
        let plan = Plan {
            id,
            command: shown.unwrap_or(params.command).into(),
            caller_id: call.call().context.caller_id.clone(),
            limit,
        };
        let all = self.cancel.clone();
        let run = self.runs.follow(place, plan, running, move |running, stop| async move {
            let mut cancel = vec![&all, &stop];
            cancel.extend(&call.call().context.cancel);
            watched(running, &cancel, &call).await
        });
        Ok(report::started(&run))
    }

    fn output(&self, call: &Cleared) -> Outcome {
        let params: RunParams = deserialize_params(&call.call().params)?;
        let run = self.find(&params.id, call)?;
        Ok(report::background(&run, BASH_OUTPUT))
    }

    async fn stop(&self, call: Cleared) -> Outcome {
        let params: RunParams = deserialize_params(&call.call().params)?;
        let run = self.find(&params.id, &call)?;
        run.stop().await;
        Ok(report::background(&run, BASH_STOP))
    }

    fn list(&self, call: &Cleared) -> Outcome {
        deserialize_params::<ListParams>(&call.call().params)?;
        Ok(report::list(&self.runs.of(call.call().context.caller_id.as_deref())))
    }

    fn find(&self, id: &str, call: &Cleared) -> Result<Arc<background::Run>, ToolError> {
        let caller = call.call().context.caller_id.as_deref();
        self.runs.find(id, caller).ok_or_else(|| {
            let known: Vec<String> = self.runs.of(caller).iter().map(|run| run.id.to_string()).collect();
            let known = match known.is_empty() {
                true => "there are none".to_owned(),
                false => format!("there are {}", known.join(", ")),
            };
            ToolError::invalid_params(format!("field `id` names no background run: {known}"))
        })
    }

    /// How long the call may take: what it asks for or the default, and never beyond its own deadline.
    fn limit(&self, params: &BashParams, call: &Cleared, now: Instant) -> Duration {
        let default = if params.background { self.background_timeout } else { self.timeout };
        let limit = params.timeout.map_or(default, Duration::from_secs);
        match call.call().context.deadline {
            Some(deadline) => limit.min(Instant::from_std(deadline).saturating_duration_since(now)),
            None => limit,
        }
    }

    fn find_bash(&self) -> Result<PathBuf, ToolError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bash) = &*found {
            return Ok(bash.clone());
        }
        Ok(found.insert(find_bash(self.environment.var("PATH"))?).clone())
    }

    async fn start(
        &self,
        params: &BashParams,
        call: &Cleared,
        run_id: String,
        deadline: Option<Instant>,
    ) -> Result<(Running, Option<Listening>), ToolError> {
        let context = &call.call().context;
        let cwd = self
            .directories
            .of(context, params.cwd.as_deref())
            .map_err(|e| ToolError::execution("reading the current directory", e))?;
        let mut env = self.environment.for_call(context, call.session().skill_env.as_ref())?;
        let program = match &self.program {
            Some(program) => program.clone(),
            // Not by the call's own PATH: which program judges the command is not the call's business.
            None => self.find_bash()?,
        };
        // Keeps the name of the directory where it has several; bash checks it.
        env.insert("PWD".into(), cwd.clone().into_os_string());
        let mut scratch = Vec::new();
        // A call with a start-up file of its own keeps it, and its `cd` does not hold.
        let asked = !params.background && !env.contains_key(OsStr::new("BASH_ENV"));
        let heard = match asked.then(|| self.directories.listen(&run_id)).transpose() {
            Ok(heard) => heard.flatten(),
            Err(error) => {
                return Err(ToolError::execution("making a place for the shell's directory", error));
            }
        };
        if let Some(heard) = &heard {
            env.extend([heard.variable()]);
            scratch.push(heard.scratch());
        }

        let ([stdout, stderr], pipes) = Pipes::new()?.split();
        let request = SpawnRequest {
            program,
            args: vec!["-c".into(), OsString::from(&params.command)],
            env: env.into_iter().collect(),
            cwd,
            stdout: OwnedFd::from(stdout),
            stderr: OwnedFd::from(stderr),
            network: call.session().network.clone(),
            needs: call
                .call()
                .finding()
                .map_or(Needs::Everything, |Understood(analysis)| Needs::of(analysis)),
            scratch,
            run_id,
        };
        let writer = self.sink.as_ref().and_then(|sink| sink.begin(call.call()));
        let passage = self.way.begin(&params.command, call.session());
        let running = Running::start(&*self.spawner, request, pipes, passage, writer, deadline).await?;
        Ok((running, heard))
    }
}

/// Follows a run and shows its output to whoever watches, whole characters at a time.
async fn watched(running: Running, cancel: &[&CancellationToken], call: &Cleared) -> Ran {
    if !call.is_watched() {
        return running.follow(cancel, &mut |_, _| {}).await;
    }
    let mut held: [Vec<u8>; 2] = Default::default();
    let slot = |stream| usize::from(stream == OutputStream::Stderr);
    let child = running.child();
    let ran = running
        .follow(cancel, &mut |stream, bytes| {
            child.refusals().iter().for_each(|what| call.refused(what));
            let Some(held) = held.get_mut(slot(stream)) else { return };
            let piece = match held.is_empty() {
                true => Cow::Borrowed(bytes),
                false => Cow::Owned([std::mem::take(held).as_slice(), bytes].concat()),
            };
            let (whole, rest) = piece.split_at(piece.len() - cut_end(&piece));
            held.extend_from_slice(rest);
            if !whole.is_empty() {
                call.show(stream, whole);
            }
        })
        .await;
    child.refusals().iter().for_each(|what| call.refused(what));
    for stream in [OutputStream::Stdout, OutputStream::Stderr] {
        if let Some(rest) = held.get(slot(stream)).filter(|rest| !rest.is_empty()) {
            call.show(stream, rest);
        }
    }
    ran
}

/// A number that no other run has: 128 bits from the hasher's random keys.
fn run_id() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// The first `bash` on the path.
fn find_bash(path: Option<&OsStr>) -> Result<PathBuf, ToolError> {
    let path = path.unwrap_or("/usr/local/bin:/usr/bin:/bin".as_ref());
    std::env::split_paths(path)
        // A relative entry would depend on the directory of the call.
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(BASH))
        .find(|bash| {
            bash.is_file() && rustix::fs::access(bash.as_path(), rustix::fs::Access::EXEC_OK).is_ok()
        })
        .ok_or_else(|| ToolError::Execution {
            doing: "looking for bash".into(),
            source: io::Error::new(io::ErrorKind::NotFound, "there is none on the PATH"),
            hint: Some("install bash, or configure its path".to_owned()),
        })
}
