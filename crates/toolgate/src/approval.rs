//! Asking a person, in one flow for every front end.
//!
//! A front end implements [`Approver`]: a terminal prompt, a dialog of an editor, a message. Where
//! nobody can be asked, [`Headless`] refuses. What was judged is what runs: an answer is bound to the
//! digest of the call it was given for. An answer for longer than once is kept as a [grant](crate::grants).

use toolgate_exec::{
    BoxFuture, CallDigest, JudgedCall, Pipeline, Reason, ToolCall, ToolError, ToolExecutor, ToolOutput,
    Verdict,
};

use crate::gates::PermissionGate;
use crate::grants::{NotGrantable, Proposal, Scope};

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
    /// What an answer for longer would keep, to be shown before it is given; or why there can be none.
    pub grant: Result<Proposal, NotGrantable>,
}

/// A person's answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run it, this once.
    Approve,
    /// Run it, and keep what [`Question::grant`] says so that it is not asked about again.
    Remember(Scope),
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

/// How the questions of a pipeline are answered.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    pipeline: &'a Pipeline,
    approver: &'a dyn Approver,
    memory: Option<&'a PermissionGate>,
}

impl std::fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking").field("remembers", &self.memory.is_some()).finish_non_exhaustive()
    }
}

impl<'a> Asking<'a> {
    /// Puts the questions of `pipeline` to `approver`, and keeps no answer.
    pub fn new(pipeline: &'a Pipeline, approver: &'a dyn Approver) -> Self {
        Self { pipeline, approver, memory: None }
    }

    /// Keeps answers as grants of this gate, a copy of which stands in the pipeline.
    #[must_use]
    pub fn remembering(mut self, gate: &'a PermissionGate) -> Self {
        self.memory = Some(gate);
        self
    }

    /// Runs one call, asking where the wall asks.
    ///
    /// # Errors
    /// As [`ToolExecutor::execute_tool_call`]; [`ToolError::ConfirmationRequired`] where the answer was no.
    pub async fn call(&self, call: &ToolCall) -> Result<Option<ToolOutput>, ToolError> {
        let (command, mut reasons, digest) = match self.pipeline.execute_tool_call(call).await {
            Err(ToolError::ConfirmationRequired { command, reasons, digest: Some(digest) }) => {
                (command, reasons, digest)
            }
            other => return other,
        };
        let judged = self.pipeline.judge_call(call).filter(|judged| judged.digest == digest);
        let question =
            self.question(judged.map_or_else(|| call.clone(), |j| j.call), reasons.clone(), digest);
        let questions = [question];
        if self.approved(&questions).await?.is_empty() {
            name_grant(&questions, digest, &mut reasons);
            return Err(ToolError::ConfirmationRequired { command, reasons, digest: Some(digest) });
        }
        self.pipeline.execute_approved(call, digest).await
    }

    /// Runs the calls of a text: all are judged first, a person is asked once about all questions
    /// together, and where something asks later on, the text is resumed there and nothing runs twice.
    ///
    /// # Errors
    /// As [`ToolExecutor::execute`]; [`ToolError::ConfirmationRequired`] where an answer was no.
    pub async fn text(&self, text: &str) -> Result<Option<ToolOutput>, ToolError> {
        let judged = self.pipeline.judge_text(text);
        let question = |judged: &JudgedCall| match &judged.verdict {
            Verdict::Ask(reasons) => Some(self.question(judged.call.clone(), reasons.clone(), judged.digest)),
            _ => None,
        };
        let mut asked: Vec<Question> = Vec::new();
        // Nobody is asked about a text that is refused anyway.
        if !judged.iter().any(|j| matches!(j.verdict, Verdict::Deny(_))) {
            asked.extend(judged.iter().filter_map(question));
        }
        let mut yes = if asked.is_empty() { Vec::new() } else { self.approved(&asked).await? };
        let mut outcome = match yes.is_empty() {
            true => self.pipeline.execute(text).await,
            false => self.pipeline.execute_text_approved(text, &yes).await,
        };
        // Something that nobody could foresee asks in the middle: each such question is put once.
        while let Err(ToolError::ConfirmationRequired { reasons, digest: Some(digest), .. }) = &mut outcome {
            let late =
                judged.iter().find(|j| j.digest == *digest && asked.iter().all(|q| q.digest != *digest));
            let Some(late) = late else {
                name_grant(&asked, *digest, reasons);
                return outcome;
            };
            let question = self.question(late.call.clone(), reasons.clone(), *digest);
            asked.push(question);
            let more = self.approved(asked.get(asked.len() - 1..).unwrap_or_default()).await?;
            if more.is_empty() {
                return outcome;
            }
            yes.extend(more);
            outcome = self.pipeline.execute_text_approved(text, &yes).await;
        }
        outcome
    }

    fn question(&self, call: ToolCall, reasons: Vec<Reason>, digest: CallDigest) -> Question {
        let session = self.pipeline.session().narrowed(&call.context);
        let grant = self.memory.map_or(Err(NotGrantable::NotKept), |gate| gate.proposal(&call, &session));
        Question { call, reasons, digest, grant }
    }

    /// Those that may run. What is to be kept is kept before anything runs; where it can't be, nothing does.
    async fn approved(&self, questions: &[Question]) -> Result<Vec<CallDigest>, ToolError> {
        let answers = self.approver.ask(questions).await;
        let mut yes = Vec::new();
        for (question, answer) in questions.iter().zip(answers) {
            if let Answer::Remember(scope) = answer {
                self.remember(question, scope)?;
            }
            if answer != Answer::Refuse {
                yes.push(question.digest);
            }
        }
        Ok(yes)
    }

    fn remember(&self, question: &Question, scope: Scope) -> Result<(), ToolError> {
        let failed = |error: std::io::Error| ToolError::execution("keeping the grant", error);
        let proposal =
            question.grant.as_ref().map_err(|why| failed(std::io::Error::other(why.to_string())))?;
        let grants = self.memory.and_then(PermissionGate::kept);
        let grants =
            grants.ok_or_else(|| failed(std::io::Error::other(NotGrantable::NotKept.to_string())))?;
        grants.add(scope, proposal, None).map_err(|error| failed(std::io::Error::other(error)))?;
        Ok(())
    }
}

/// Says with a refused question which grant would have answered it.
fn name_grant(questions: &[Question], digest: CallDigest, reasons: &mut [Reason]) {
    let asked = questions.iter().find(|q| q.digest == digest);
    if let Some(Ok(proposal)) = asked.map(|q| &q.grant) {
        let forms: Vec<_> = proposal.parts.iter().map(|(form, _)| form.to_string()).collect();
        reasons.iter_mut().for_each(|reason| reason.grant = Some(forms.join("; ")));
    }
}

/// Runs one call, asking where the wall asks, and keeps no answer.
///
/// # Errors
/// As [`Asking::call`].
pub async fn execute_call_asking(
    pipeline: &Pipeline,
    approver: &dyn Approver,
    call: &ToolCall,
) -> Result<Option<ToolOutput>, ToolError> {
    Asking::new(pipeline, approver).call(call).await
}

/// Runs the calls of a text, asking once about all that the wall asks about, and keeps no answer.
///
/// # Errors
/// As [`Asking::text`].
pub async fn execute_text_asking(
    pipeline: &Pipeline,
    approver: &dyn Approver,
    text: &str,
) -> Result<Option<ToolOutput>, ToolError> {
    Asking::new(pipeline, approver).text(text).await
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
    async fn an_answer_for_longer_is_kept_and_nobody_is_asked_again() {
        use crate::grants::Grants;
        use crate::understanding::{Surroundings, Understanding};
        let around = || Surroundings::new("/home/dev/repo", "/home/dev");
        let grants = std::sync::Arc::new(Grants::in_memory(&around().cwd));
        let gate = PermissionGate::new(&around()).grants(grants.clone());
        let tool = ScriptedTool::bash();
        let pipeline = Pipeline::builder()
            .normaliser(Understanding::new(around()))
            .gate(gate.clone())
            .gate(FixedGate::of("staging", Verdict::ask(reason())))
            .tool(tool.clone())
            .build()
            .unwrap();
        let text = "```bash\nmytool a\n```\n```bash\ngit push origin main\n```\n";
        let person = Person(
            vec![Answer::Remember(Scope::Session), Answer::Remember(Scope::Session)],
            Mutex::default(),
        );
        let asking = Asking::new(&pipeline, &person).remembering(&gate);
        asking.text(text).await.unwrap().unwrap();
        assert_eq!(grants.list().len(), 2);
        Asking::new(&pipeline, &Headless).text(text).await.unwrap().unwrap();
        asking.call(&bash_call("mytool a && git push origin main")).await.unwrap().unwrap();
        assert_eq!(person.1.lock().unwrap().len(), 1, "asked once in all");

        // Another gate asks as well: it is answered once, and no grant can say more.
        let asked = asking.call(&bash_call("mytool staging")).await;
        assert!(asked.is_ok());
        assert_eq!(grants.list().len(), 3);
        assert_eq!(
            Came::from(Asking::new(&pipeline, &Headless).call(&bash_call("mytool staging")).await),
            Came::Asks
        );

        // There is no file to keep it in: it is not run as if it had been kept.
        let project = Person(vec![Answer::Remember(Scope::Project)], Mutex::default());
        let asking = Asking::new(&pipeline, &project).remembering(&gate);
        let before = tool.ran().len();
        assert!(asking.call(&bash_call("mytool b")).await.is_err());
        // What can't be granted is not run as if it had been.
        assert!(asking.call(&bash_call("bash ./x.sh")).await.is_err());
        assert_eq!(tool.ran().len(), before);

        let asking = Asking::new(&pipeline, &Headless).remembering(&gate);
        let error = asking.call(&bash_call("mytool c; git push origin main")).await.unwrap_err();
        assert_eq!(error.reasons()[0].grant.as_deref(), Some("mytool c"), "{error:?}");
    }

    #[tokio::test]
    async fn what_asks_in_the_middle_is_asked_about_and_the_text_goes_on_there() {
        use toolgate_testkit::Answer as Given;
        let asks = || {
            let (command, reasons) = ("inside".to_owned(), vec![reason()]);
            Given::Error(ToolError::ConfirmationRequired { command, reasons, digest: None })
        };
        let tool = ScriptedTool::bash().then(Given::Text("first".to_owned())).then(asks());
        let person = Person(vec![Answer::Approve], Mutex::default());
        let text = "```bash\none\n```\n```bash\ntwo\n```\n";
        let output = execute_text_asking(&pipeline(&tool), &person, text).await.unwrap().unwrap();
        assert_eq!((output.summary.as_str(), output.blocks_executed), ("first\n\ntwo", 2));
        assert_eq!(tool.ran(), ["one", "two", "two"]);

        let tool = ScriptedTool::bash().then(asks());
        let came = Came::from(execute_text_asking(&pipeline(&tool), &Headless, text).await);
        assert_eq!(came, Came::Asks);
        assert_eq!(tool.ran(), ["one"]);
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
