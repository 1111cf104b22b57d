//! Asking a person, in one flow for every front end.
//!
//! A front end implements [`Approver`]: a terminal prompt, a dialog of an editor, a message. Where
//! nobody can be asked, [`Headless`] refuses. What was judged is what runs: an answer is bound to the
//! digest of the call it was given for.

use toolgate_exec::{
    BoxFuture, CallDigest, Pipeline, Reason, ToolCall, ToolError, ToolExecutor, ToolOutput, Verdict,
};

/// One call that a person is asked about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// The call, as it would run.
    pub call: ToolCall,
    /// Why it is asked about.
    pub reasons: Vec<Reason>,
    /// What the answer is bound to.
    pub digest: CallDigest,
}

/// A person's answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run it.
    Approve,
    /// Don't.
    Refuse,
}

/// Someone who can be asked.
pub trait Approver: Send + Sync {
    /// Puts all questions of one batch to a person at once; one answer each, in order.
    ///
    /// A missing answer is a refusal.
    fn ask<'a>(&'a self, questions: &'a [Question]) -> BoxFuture<'a, Vec<Answer>>;
}

/// Nobody is there: every question is refused, and the error names the grant that would help.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headless;

impl Approver for Headless {
    fn ask<'a>(&'a self, _: &'a [Question]) -> BoxFuture<'a, Vec<Answer>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// Someone who said yes to all questions beforehand. Lifts questions, never refusals.
#[derive(Clone, Copy, Debug, Default)]
pub struct YesToAll;

impl Approver for YesToAll {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> BoxFuture<'a, Vec<Answer>> {
        Box::pin(std::future::ready(vec![Answer::Approve; questions.len()]))
    }
}

/// Runs one call, asking where the wall asks.
///
/// # Errors
/// As [`ToolExecutor::execute_tool_call`]; [`ToolError::ConfirmationRequired`] where the answer was no.
pub async fn execute_call_asking(
    pipeline: &Pipeline,
    approver: &dyn Approver,
    call: &ToolCall,
) -> Result<Option<ToolOutput>, ToolError> {
    match pipeline.execute_tool_call(call).await {
        Err(ToolError::ConfirmationRequired { command, reasons, digest: Some(digest) }) => {
            let question = Question { call: call.clone(), reasons, digest };
            if approved(approver, std::slice::from_ref(&question)).await.is_empty() {
                let reasons = question.reasons;
                return Err(ToolError::ConfirmationRequired { command, reasons, digest: Some(digest) });
            }
            pipeline.execute_approved(call, digest).await
        }
        other => other,
    }
}

/// Runs the calls of a text: all are judged first, a person is asked once about all questions
/// together, and where something asks later on, the text is resumed there and nothing runs twice.
///
/// # Errors
/// As [`ToolExecutor::execute`]; [`ToolError::ConfirmationRequired`] where an answer was no.
pub async fn execute_text_asking(
    pipeline: &Pipeline,
    approver: &dyn Approver,
    text: &str,
) -> Result<Option<ToolOutput>, ToolError> {
    let judged = pipeline.judge_text(text);
    let refused = judged.iter().any(|j| matches!(j.verdict, Verdict::Deny(_)));
    let questions: Vec<Question> = judged
        .into_iter()
        .filter_map(|j| match j.verdict {
            Verdict::Ask(reasons) => Some(Question { call: j.call, reasons, digest: j.digest }),
            _ => None,
        })
        .collect();
    // Nobody is asked about a text that is refused anyway.
    if refused || questions.is_empty() {
        return pipeline.execute(text).await;
    }
    let yes = approved(approver, &questions).await;
    if yes.is_empty() {
        return pipeline.execute(text).await;
    }
    pipeline.execute_text_approved(text, &yes).await
}

async fn approved(approver: &dyn Approver, questions: &[Question]) -> Vec<CallDigest> {
    let answers = approver.ask(questions).await;
    questions.iter().zip(answers).filter(|(_, a)| *a == Answer::Approve).map(|(q, _)| q.digest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use toolgate_testkit::doors::{Came, bash_call};
    use toolgate_testkit::{FixedGate, ScriptedTool, reason};

    /// Answers as told and remembers how many questions came at once.
    struct Person(Vec<Answer>, Mutex<Vec<usize>>);

    impl Approver for Person {
        fn ask<'a>(&'a self, questions: &'a [Question]) -> BoxFuture<'a, Vec<Answer>> {
            self.1.lock().unwrap().push(questions.len());
            Box::pin(std::future::ready(self.0.clone()))
        }
    }

    fn pipeline(tool: &ScriptedTool) -> Pipeline {
        Pipeline::builder()
            .gate(FixedGate::of("push", Verdict::ask(reason())))
            .gate(FixedGate::of("reboot", Verdict::deny(reason())))
            .tool(tool.clone())
            .build()
            .unwrap()
    }

    const TEXT: &str = "```bash\nls\n```\n```bash\ngit push a\n```\n```bash\ngit push b\n```\n";

    #[tokio::test]
    async fn a_batch_is_asked_about_once_and_runs_once() {
        let tool = ScriptedTool::bash();
        let person = Person(vec![Answer::Approve, Answer::Approve], Mutex::default());
        let output = execute_text_asking(&pipeline(&tool), &person, TEXT).await.unwrap().unwrap();
        assert_eq!(output.blocks_executed, 3);
        assert_eq!(*person.1.lock().unwrap(), [2]);
        assert_eq!(tool.ran(), ["ls", "git push a", "git push b"]);
    }

    #[tokio::test]
    async fn one_no_or_a_missing_answer_stops_the_whole_text() {
        for answers in [vec![Answer::Approve, Answer::Refuse], vec![Answer::Approve], vec![]] {
            let tool = ScriptedTool::bash();
            let person = Person(answers, Mutex::default());
            let came = Came::from(execute_text_asking(&pipeline(&tool), &person, TEXT).await);
            assert_eq!(came, Came::Asks);
            assert!(tool.ran().is_empty());
        }
    }

    #[tokio::test]
    async fn nobody_is_asked_about_what_is_refused_anyway() {
        let tool = ScriptedTool::bash();
        let person = Person(vec![Answer::Approve; 9], Mutex::default());
        let text = format!("{TEXT}```bash\nreboot\n```\n");
        let came = Came::from(execute_text_asking(&pipeline(&tool), &person, &text).await);
        assert_eq!(came, Came::Refused);
        let came = Came::from(execute_call_asking(&pipeline(&tool), &person, &bash_call("reboot")).await);
        assert_eq!(came, Came::Refused);
        assert!(tool.ran().is_empty() && person.1.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn headless_refuses_and_yes_to_all_approves() {
        let tool = ScriptedTool::bash();
        let call = bash_call("git push a");
        let came = Came::from(execute_call_asking(&pipeline(&tool), &Headless, &call).await);
        assert_eq!(came, Came::Asks);
        let came = Came::from(execute_call_asking(&pipeline(&tool), &YesToAll, &call).await);
        assert_eq!(came, Came::Ran("git push a".to_owned()));
    }
}
