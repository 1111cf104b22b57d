//! Tries a call again where that is harmless and could help.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use toolgate_exec::{BoxFuture, ErrorKind, Layer, Next, Outcome, Request, ToolError};

/// How long to wait between tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Tries in all, the first included.
    pub tries: u32,
    /// The wait after the first try; it doubles with each.
    pub first: Duration,
    /// The longest wait.
    pub most: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { tries: 3, first: Duration::from_millis(200), most: Duration::from_secs(5) }
    }
}

impl Backoff {
    /// The longest the wait after try `n` (from 0) can be.
    fn ceiling(&self, n: u32) -> Duration {
        self.first.saturating_mul(1u32.checked_shl(n).unwrap_or(u32::MAX)).min(self.most)
    }

    /// A wait between half of the ceiling and all of it, so that callers who failed together do
    /// not come back together.
    fn wait(&self, n: u32) -> Duration {
        let ceiling = self.ceiling(n);
        let share = RandomState::new().hash_one(n) % 1024;
        ceiling / 2 + ceiling.mul_f64(share as f64 / 2048.0)
    }
}

/// Retries calls of tools that say it is harmless, after errors that may pass.
///
/// It stands inside the wall, so a retry is the judged call and nothing else; and outside of
/// filters and overflow, so each try is shaped by them afresh. A call's deadline holds over all
/// tries together: no wait is begun that would not end before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RetryLayer {
    backoff: Backoff,
}

impl RetryLayer {
    /// A layer with this backoff.
    pub fn new(backoff: Backoff) -> Self {
        Self { backoff }
    }
}

/// Whether waiting for another try is worth it.
fn may_pass(error: &ToolError) -> bool {
    // A call that used up its time once does so again; its limit is the caller's, not the network's.
    error.kind() == ErrorKind::Transient && !matches!(error, ToolError::Timeout { .. })
}

impl Layer for RetryLayer {
    fn name(&self) -> &'static str {
        "retry"
    }

    fn handle<'a>(&'a self, request: Request, next: Next<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if !request.nature().retryable {
                return next.run(request).await;
            }
            let mut earlier = Vec::new();
            loop {
                let try_number = u32::try_from(earlier.len()).unwrap_or(u32::MAX);
                match next.run(request.clone()).await {
                    Err(error) if may_pass(&error) && try_number + 1 < self.backoff.tries => {
                        let wait = self.backoff.wait(try_number);
                        let late = |at: Instant| Instant::now() + wait >= at;
                        if request.call().context.deadline.is_some_and(late) {
                            return Err(error);
                        }
                        earlier.push(error.to_string());
                        tokio::time::sleep(wait).await;
                    }
                    Ok(mut output) => {
                        output.retries = earlier;
                        return Ok(output);
                    }
                    Err(error) => return Err(error),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use toolgate_exec::{Capabilities, Nature, Pipeline, ToolExecutor};
    use toolgate_testkit::doors::bash_call;
    use toolgate_testkit::{Answer, ScriptedTool};

    fn reset() -> Answer {
        Answer::Error(ToolError::execution("reading", io::Error::from(io::ErrorKind::ConnectionReset)))
    }

    fn pipeline(tool: &ScriptedTool) -> Pipeline {
        Pipeline::builder().layer(RetryLayer::default()).tool(tool.clone()).build().unwrap()
    }

    fn harmless() -> ScriptedTool {
        ScriptedTool::named("bash", "bash", Capabilities::READS).nature(Nature::READ_ONLY)
    }

    #[tokio::test(start_paused = true)]
    async fn a_harmless_call_is_tried_again_and_each_failure_is_told() {
        let tool = harmless().then(reset()).then(reset());
        let output = pipeline(&tool).execute_tool_call(&bash_call("ls")).await.unwrap().unwrap();
        assert_eq!(tool.ran().len(), 3);
        assert_eq!(output.retries.len(), 2);
        assert!(output.retries[0].contains("connection reset"), "{:?}", output.retries);
    }

    #[tokio::test(start_paused = true)]
    async fn tries_end_and_the_last_error_is_the_answer() {
        let tool = harmless().then(reset()).then(reset()).then(reset());
        pipeline(&tool).execute_tool_call(&bash_call("ls")).await.unwrap_err();
        assert_eq!(tool.ran().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_may_do_harm_or_can_not_succeed_is_run_once() {
        let once = ScriptedTool::bash().then(reset());
        pipeline(&once).execute_tool_call(&bash_call("ls")).await.unwrap_err();
        assert_eq!(once.ran().len(), 1);
        let hopeless = harmless().then(Answer::Error(ToolError::invalid_params("no")));
        pipeline(&hopeless).execute_tool_call(&bash_call("ls")).await.unwrap_err();
        assert_eq!(hopeless.ran().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn no_wait_goes_past_the_deadline() {
        let tool = harmless().then(reset());
        let mut call = bash_call("ls");
        call.context.deadline = Some(Instant::now());
        pipeline(&tool).execute_tool_call(&call).await.unwrap_err();
        assert_eq!(tool.ran().len(), 1);
    }

    #[test]
    fn waits_double_up_to_the_longest_and_differ() {
        let backoff = Backoff::default();
        for n in 0..40 {
            let ceiling = backoff.ceiling(n);
            assert!(ceiling <= backoff.most);
            let wait = backoff.wait(n);
            assert!(wait >= ceiling / 2 && wait <= ceiling);
        }
        assert_eq!(backoff.ceiling(1), backoff.first * 2);
    }
}
