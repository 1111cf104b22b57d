//! The one stack every call goes through, and the only place where the port is answered.
//!
//! Observers, then the wall (every gate and the tool's own opinion; the strictest verdict
//! wins; approval lifts `Ask`, never `Deny`), then layers, then the tool. A text is turned
//! into calls at the door and takes the same way.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::Map;
use sha2::{Digest, Sha256};

use crate::call::{Findings, ToolCall};
use crate::checkpoint::{
    CHECKPOINT_REDO, CHECKPOINT_UNDO, CheckpointActionResult, CheckpointListResult, Checkpoints,
};
use crate::digest::CallDigest;
use crate::error::ToolError;
use crate::event::{ToolEvent, ToolEventTx};
use crate::foreign::ForeignTool;
use crate::gate::Gate;
use crate::layer::{Layer, Next, Request};
use crate::network::NetworkScope;
use crate::output::ToolOutput;
use crate::registry::{Capabilities, InvocationHint, ToolDef};
use crate::session::{Session, SkillEnv};
use crate::text::Text;
use crate::tool::{Cleared, Nature, Tool};
use crate::tool_id::ToolId;
use crate::trust::SkillTrustLevel;
use crate::unwind::{Unwound, quietly};
use crate::verdict::{Reason, Verdict};
use crate::{BoxFuture, Outcome};

/// Finds things out about a call before it is judged, so that gates need no IO.
///
/// It runs once per call, before the wall, whatever the door. It may complete the call (a
/// relative path made absolute) and leave findings that travel with it (a parsed command).
pub trait Normaliser: Send + Sync {
    /// What [`Pipeline::order`] calls it.
    fn name(&self) -> &'static str;

    /// Looks at one call.
    ///
    /// # Errors
    /// Why the call can't be judged; it is refused with this text.
    fn normalise(
        &self,
        call: &mut ToolCall,
        findings: &mut Findings,
        session: &Session,
    ) -> Result<(), String>;
}

/// Why a pipeline can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have one name, so that a call would be ambiguous.
    #[error("two tools claim the name `{name}`")]
    NameClash {
        /// The normalised name.
        name: String,
    },
    /// Two tools have one fence tag.
    #[error("two tools claim fenced blocks tagged `{tag}`")]
    TagClash {
        /// The tag.
        tag: String,
    },
    /// A tool has no usable definition.
    #[error("the definition of tool `{name}` can't be used: {why}")]
    BadDefinition {
        /// The tool's name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}

#[derive(Default)]
pub(crate) struct Stack {
    observers: Vec<Box<dyn Layer>>,
    normalisers: Vec<Box<dyn Normaliser>>,
    gates: Vec<Box<dyn Gate>>,
    layers: Vec<Box<dyn Layer>>,
    router: Router,
    events: Option<ToolEventTx>,
    /// Questions count as refused.
    nobody_to_ask: bool,
    /// Questions about these calls count as answered.
    answered: Option<Box<Answered>>,
}

/// Which calls a person approved before they were made.
type Answered = dyn Fn(&ToolCall) -> bool + Send + Sync;

#[derive(Default)]
struct Router {
    tools: Vec<Box<dyn Tool>>,
    routes: HashMap<ToolId, (usize, Arc<ToolDef>)>,
    /// Definitions in the order in which tools gave them.
    definitions: Vec<Arc<ToolDef>>,
}

impl Router {
    fn find(&self, id: &str) -> Option<(&dyn Tool, &Arc<ToolDef>)> {
        let (at, def) = self.routes.get(id)?;
        Some((&**self.tools.get(*at)?, def))
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.order()).finish()
    }
}

impl Stack {
    fn order(&self) -> Vec<&'static str> {
        let names = |layers: &[Box<dyn Layer>]| layers.iter().map(|l| l.name()).collect::<Vec<_>>();
        let mut order: Vec<_> = self.normalisers.iter().map(|n| n.name()).collect();
        order.push("|");
        order.extend(names(&self.observers));
        order.push("|");
        order.extend(self.gates.iter().map(|g| g.name()));
        order.push("|");
        order.extend(names(&self.layers));
        order
    }

    /// The stage numbered `at`: observers, the wall, layers, the tool.
    pub(crate) fn step(&self, at: usize, request: Request) -> BoxFuture<'_, Outcome> {
        let next = Next { at: at + 1, stack: self };
        if let Some(observer) = self.observers.get(at) {
            return Unwound::boxed(observer.name(), || observer.handle(request, next));
        }
        let past = at - self.observers.len();
        if past == 0 {
            return match self.wall(&request) {
                Ok(()) => Box::pin(self.cleared(next, request)),
                Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
            };
        }
        match self.layers.get(past - 1) {
            Some(layer) => Unwound::boxed(layer.name(), || layer.handle(request, next)),
            None => self.run_tool(request),
        }
    }

    /// Every gate and the tool itself: the strictest counts.
    fn judge(&self, call: &ToolCall, session: &Session) -> Verdict {
        let wall = self.gates_say(call, session);
        match self.router.find(&call.tool_id) {
            Some((tool, _)) => wall.and(opinion("tool", || tool.judges(call, session))),
            None => wall,
        }
    }

    fn gates_say(&self, call: &ToolCall, session: &Session) -> Verdict {
        self.gates
            .iter()
            .fold(Verdict::Allow, |all, gate| all.and(opinion(gate.name(), || gate.check(call, session))))
    }

    /// What the wall would answer right now: the one function behind every question and every refusal.
    fn verdict(&self, request: &Request) -> Verdict {
        let fresh = self.judge(&request.call, &request.session);
        let verdict = match &request.judged {
            Some(earlier) if *earlier != fresh => earlier.clone().and(fresh),
            _ => fresh,
        };
        match verdict {
            Verdict::Ask(_) if self.is_answered(&request.call) => Verdict::Allow,
            Verdict::Ask(reasons) if self.nobody_to_ask => Verdict::Deny(reasons),
            verdict => verdict,
        }
    }

    /// Whether a question about this call was answered before it was made; a refusal never is.
    fn is_answered(&self, call: &ToolCall) -> bool {
        self.answered.as_ref().is_some_and(|answered| quietly(|| answered(call)).unwrap_or(false))
    }

    fn wall(&self, request: &Request) -> Result<(), ToolError> {
        let mut refusal = match self.refusal(request) {
            None => return Ok(()),
            // Who approves a call must see all of it: what is masked could hide what it does.
            Some(question @ ToolError::ConfirmationRequired { .. }) => return Err(question),
            Some(refusal) => refusal,
        };
        refusal.each_text(&mut |text| {
            if let Some(masked) = self.mask(text, &request.session) {
                *text = masked;
            }
        });
        Err(refusal)
    }

    fn refusal(&self, request: &Request) -> Option<ToolError> {
        if let Some(unfit) = &request.unfit {
            return Some(ToolError::invalid_params(&**unfit));
        }
        let command = || request.call.subject().into_owned();
        match self.verdict(request) {
            Verdict::Deny(reasons) => Some(ToolError::Blocked { command: command(), reasons }),
            Verdict::Ask(reasons) if !request.approved => Some(ToolError::ConfirmationRequired {
                command: command(),
                reasons,
                digest: Some(request.call.digest()),
            }),
            _ => None,
        }
    }

    /// What comes after the wall: the layers and the tool. Who watches sees what the layers made of
    /// it, and nothing that they took out.
    async fn cleared(&self, next: Next<'_>, request: Request) -> Outcome {
        let Some(events) = &self.events else { return next.run(request).await };
        let tool_name: Arc<str> = request.call.tool_id.as_str().into();
        let call_id = request.call.context.call_id.clone();
        let command: Arc<str> = self.subject(&request).into();
        events.send(ToolEvent::Started {
            tool_name: tool_name.clone(),
            call_id: call_id.clone(),
            command: command.clone(),
            cwd: request.call.context.cwd.clone(),
        });
        let mut ended = Ended { events, call: Some(Begun { tool_name, call_id, command }) };
        let mut outcome = next.run(request).await;
        if let Ok(output) = &mut outcome {
            output.streamed = true;
        }
        ended.with(&outcome);
        outcome
    }

    /// What a call is about, as it is shown and recorded.
    pub(crate) fn subject<'r>(&self, request: &'r Request) -> Cow<'r, str> {
        let subject = request.call.subject();
        self.mask(&subject, &request.session).map_or(subject, Cow::Owned)
    }

    /// A text of a call without what tools and layers take out; `None` where they leave it as it is.
    fn mask(&self, text: &str, session: &Session) -> Option<String> {
        let mut masked: Option<String> = None;
        let mut by = |mask: &dyn Fn(&str) -> Option<String>| {
            let panicked = |_| Some("[not shown: what masks it panicked]".to_owned());
            masked = quietly(|| mask(masked.as_deref().unwrap_or(text)))
                .unwrap_or_else(panicked)
                .or_else(|| masked.take());
        };
        self.router.tools.iter().for_each(|tool| by(&|text| tool.mask(text, session)));
        self.layers.iter().for_each(|layer| by(&|text| layer.mask(text, session)));
        masked
    }

    fn run_tool(&self, request: Request) -> BoxFuture<'_, Outcome> {
        let name = request.call.tool_id.clone();
        let Some((tool, _)) = self.router.find(&name) else {
            let error = ToolError::UnknownTool { name: name.to_string(), nearest: None };
            return Box::pin(std::future::ready(Err(error)));
        };
        let cleared = Cleared::new(request, self.events.clone());
        Box::pin(async move { Unwound::boxed(&name, || tool.run(cleared)).await })
    }
}

/// What one judge says; each reason gets its name. One that panics or gives no reason denies or is told so.
fn opinion(name: &'static str, ask: impl FnOnce() -> Verdict) -> Verdict {
    let mut verdict = quietly(ask).unwrap_or_else(|panic| {
        Verdict::deny(Reason::new("gate-panicked", format!("the {name} gate panicked: {panic}")))
    });
    if let Verdict::Ask(reasons) | Verdict::Deny(reasons) = &mut verdict {
        if reasons.is_empty() {
            reasons.push(Reason::new("no-reason-given", format!("the {name} gate gave no reason")));
        }
        reasons.iter_mut().filter(|r| r.gate.is_empty()).for_each(|r| r.gate = name.into());
    }
    verdict
}

/// Sends `Completed` for a call that began, even where its future is dropped.
struct Ended<'a> {
    events: &'a ToolEventTx,
    /// Taken when it is told, so that it is told once.
    call: Option<Begun>,
}

struct Begun {
    tool_name: Arc<str>,
    call_id: Option<Arc<str>>,
    command: Arc<str>,
}

impl Ended<'_> {
    fn with(&mut self, outcome: &Outcome) {
        match outcome {
            Ok(output) => self.send(Arc::from(output.summary.as_str()), output.success(), Some(output)),
            Err(error) => self.send(Arc::from(error.to_string()), false, error.partial()),
        }
    }

    fn send(&mut self, output: Arc<str>, success: bool, from: Option<&ToolOutput>) {
        if let Some(Begun { tool_name, call_id, command }) = self.call.take() {
            self.events.send(ToolEvent::Completed {
                tool_name,
                call_id,
                command,
                output,
                success,
                exit: from.and_then(|o| o.exit),
                enforcement: from.and_then(|o| o.enforcement.clone()),
                filter_stats: from.and_then(|o| o.filter_stats.clone()),
                diff: from.and_then(|o| o.diff.clone()),
            });
        }
    }
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.send("operation cancelled".into(), false, None);
    }
}

/// A text that stopped at a question after some of its calls had run.
struct Pause {
    text: [u8; 32],
    done: ToolOutput,
    ran: usize,
}

/// Whose approval a text comes with.
pub(crate) enum Approval<'a> {
    /// Nobody's.
    None,
    /// A person's, for the whole text.
    Whole,
    /// A person's, for the calls with these digests.
    Calls(&'a [CallDigest]),
}

/// One call of a text, judged and not run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedCall {
    /// The call, as it would run.
    pub call: ToolCall,
    /// What the wall says of it. A call that does not fit its tool is denied here.
    pub verdict: Verdict,
    /// What an approval of it is bound to.
    pub digest: CallDigest,
}

/// Paused texts that wait for their approval at the most; the oldest is forgotten.
const MAX_PAUSES: usize = 32;

/// The stack of one agent, or of one part of it. See the [crate's page](crate).
pub struct Pipeline {
    stack: Stack,
    checkpoints: Option<Arc<dyn Checkpoints>>,
    session: RwLock<Session>,
    pauses: Mutex<VecDeque<Pause>>,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("stack", &self.stack).field("session", &self.session()).finish()
    }
}

impl Pipeline {
    /// Starts an empty one.
    pub fn builder() -> PipelineBuilder {
        PipelineBuilder::default()
    }

    /// The names of its parts in the order a call meets them: normalisers `|` observers `|` gates `|` layers.
    pub fn order(&self) -> Vec<&'static str> {
        self.stack.order()
    }

    /// A snapshot of the session.
    pub fn session(&self) -> Session {
        self.session.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the network the session may use.
    pub fn set_network(&self, scope: NetworkScope) {
        self.change(|session| session.network = scope);
    }

    /// Every tool it has, shown to the model or not.
    pub fn all_definitions(&self) -> Vec<ToolDef> {
        self.stack.router.definitions.iter().map(|d| (**d).clone()).collect()
    }

    /// What the wall says of a call, without running it; `None` where no tool of this pipeline has its id.
    ///
    /// # Errors
    /// [`ToolError::InvalidParams`] where the call can't be judged because it does not fit its tool.
    pub fn judge(&self, call: &ToolCall) -> Result<Option<Verdict>, ToolError> {
        let Some(request) = self.request(call.clone(), false) else { return Ok(None) };
        match &request.unfit {
            Some(unfit) => Err(ToolError::invalid_params(&**unfit)),
            None => Ok(Some(self.stack.verdict(&request))),
        }
    }

    /// Runs a call whose approval was given for `digest`; refuses where the call is another one.
    ///
    /// # Errors
    /// As [`execute_tool_call`](crate::ToolExecutor::execute_tool_call), and
    /// [`ToolError::Blocked`] with the code `approval-is-for-another-call`.
    pub async fn execute_approved(
        &self,
        call: &ToolCall,
        digest: CallDigest,
    ) -> Result<Option<ToolOutput>, ToolError> {
        let Some(mut request) = self.request(call.clone(), true) else { return Ok(None) };
        if request.call.digest() != digest {
            request.judged = Some(Verdict::deny(
                Reason::new("approval-is-for-another-call", "the approval was given for another call")
                    .hint("ask again, showing the call as it is now"),
            ));
        }
        self.stack.step(0, request).await.map(Some)
    }

    pub(crate) async fn run_call(
        &self,
        call: &ToolCall,
        approved: bool,
    ) -> Result<Option<ToolOutput>, ToolError> {
        match self.request(call.clone(), approved) {
            Some(request) => self.stack.step(0, request).await.map(Some),
            None => Ok(None),
        }
    }

    /// What the wall says of each call of a text, in order, without running any: what a person is
    /// asked about at once.
    pub fn judge_text(&self, text: &str) -> Vec<JudgedCall> {
        self.requests_in(text).into_iter().map(|request| self.judged(request)).collect()
    }

    /// What the wall says of a call, with what was found out about it; `None` where no tool of this
    /// pipeline has its id.
    pub fn judge_call(&self, call: &ToolCall) -> Option<JudgedCall> {
        self.request(call.clone(), false).map(|request| self.judged(request))
    }

    fn judged(&self, request: Request) -> JudgedCall {
        let verdict = match &request.unfit {
            Some(unfit) => Verdict::deny(Reason::new("invalid-params", &**unfit)),
            None => self.stack.verdict(&request),
        };
        JudgedCall { digest: request.call.digest(), verdict, call: request.call }
    }

    /// Runs a text of which a person approved the calls with these digests; any other question stops it.
    ///
    /// # Errors
    /// As [`execute_confirmed`](crate::ToolExecutor::execute_confirmed).
    pub async fn execute_text_approved(
        &self,
        text: &str,
        approved: &[CallDigest],
    ) -> Result<Option<ToolOutput>, ToolError> {
        self.run_text(text, Approval::Calls(approved)).await
    }

    fn requests_in(&self, text: &str) -> Vec<Request> {
        let scanned = Text::new(text);
        let mut found: Vec<_> = self.stack.router.tools.iter().flat_map(|t| t.calls_in(&scanned)).collect();
        found.sort_by_key(|c| c.at);
        found.into_iter().filter_map(|c| self.request(c.call, false)).collect()
    }

    /// Judges every call of a text before any of them runs, then runs them in order.
    pub(crate) async fn run_text(
        &self,
        text: &str,
        approval: Approval<'_>,
    ) -> Result<Option<ToolOutput>, ToolError> {
        let mut requests = self.requests_in(text);
        for request in &mut requests {
            request.approved |= match approval {
                Approval::None => false,
                Approval::Whole => true,
                Approval::Calls(digests) => digests.contains(&request.call.digest()),
            };
        }
        if requests.is_empty() {
            return Ok(None);
        }
        let key: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let resumes = !matches!(approval, Approval::None);
        let pause = self.take_pause(&key).filter(|_| resumes);
        let ran = pause.as_ref().map_or(0, |p| p.ran);

        for request in requests.iter_mut().skip(ran) {
            request.judged = Some(self.stack.verdict(request));
        }
        // The worst one speaks for the text. It keeps its verdict, so that it can't run after all
        // where the session changes in between.
        let stops = |r: &Request| match &r.judged {
            _ if r.unfit.is_some() => 3,
            Some(Verdict::Deny(_)) => 2,
            Some(Verdict::Ask(_)) if !r.approved => 1,
            _ => 0,
        };
        let worst =
            (ran..requests.len()).max_by_key(|i| (requests.get(*i).map(stops), std::cmp::Reverse(*i)));
        if let Some(worst) = worst.filter(|i| requests.get(*i).is_some_and(|r| stops(r) > 0)) {
            // What ran before still need not run again once it is approved.
            pause.into_iter().for_each(|pause| self.put_pause(pause));
            return self.stack.step(0, requests.swap_remove(worst)).await.map(Some);
        }

        let mut done = pause.map(|p| p.done);
        for (at, request) in requests.into_iter().enumerate().skip(ran) {
            let digest = request.call.digest();
            match (self.stack.step(0, request).await, &mut done) {
                (Ok(output), None) => done = Some(output),
                (Ok(output), Some(all)) => all.append(output),
                (Err(ToolError::ConfirmationRequired { command, reasons, .. }), _) => {
                    // Asked by something the wall could not foresee. What ran has run: it is kept,
                    // and the approved text goes on from here.
                    if let Some(done) = done {
                        self.put_pause(Pause { text: key, done, ran: at });
                    }
                    return Err(ToolError::ConfirmationRequired { command, reasons, digest: Some(digest) });
                }
                (Err(error), None) => return Err(error),
                (Err(error), Some(all)) => {
                    let completed = u32::try_from(at).unwrap_or(u32::MAX);
                    if let Some(partial) = error.partial() {
                        all.append(partial.clone());
                    }
                    let output = Box::new(done.unwrap_or_default());
                    return Err(ToolError::Stopped { completed, output, source: Box::new(error) });
                }
            }
        }
        Ok(done)
    }

    pub(crate) fn requires_confirmation(&self, call: &ToolCall) -> bool {
        matches!(self.judge(call), Ok(Some(Verdict::Ask(_))))
    }

    pub(crate) fn nature(&self, id: &str) -> Nature {
        let id = ToolId::new(id);
        self.stack
            .router
            .find(&id)
            .and_then(|(tool, _)| quietly(|| tool.nature(&id)).ok())
            .unwrap_or(Nature::ONCE)
    }

    /// Only where the tool says so, can change nothing, and the wall has no objection to it as such.
    pub(crate) fn is_speculatable(&self, id: &str) -> bool {
        let Some(request) = self.request(ToolCall::new(id, Map::new()), false) else { return false };
        self.nature(id).speculatable
            && request.call.capabilities().is_read_only()
            && self.stack.gates_say(&request.call, &request.session) == Verdict::Allow
    }

    pub(crate) fn visible_definitions(&self) -> Vec<ToolDef> {
        let session = self.session();
        let shown = |def: &ToolDef| self.shows(def, &session);
        self.stack.router.definitions.iter().filter(|d| shown(d)).map(|d| (**d).clone()).collect()
    }

    pub(crate) fn shows(&self, def: &ToolDef, session: &Session) -> bool {
        self.stack.gates.iter().all(|g| quietly(|| g.shows(def, session)).unwrap_or(false))
            && self.stack.router.find(&def.id).is_some_and(|(tool, _)| tool.shows(def, session))
    }

    pub(crate) fn mask(&self, text: &str, session: &Session) -> Option<String> {
        self.stack.mask(text, session)
    }

    pub(crate) fn set_skill_env(&self, env: Option<HashMap<String, String>>) {
        self.change(|session| session.skill_env = env.map(SkillEnv::from));
    }

    pub(crate) fn set_effective_trust(&self, level: SkillTrustLevel) {
        self.change(|session| session.trust = level);
    }

    pub(crate) async fn undo(&self, n: usize) -> CheckpointActionResult {
        let mut params = Map::new();
        params.insert("n".to_owned(), n.into());
        match self.checkpoints_for(CHECKPOINT_UNDO, params) {
            Ok(store) => store.undo(n).await,
            Err(refusal) => refusal,
        }
    }

    pub(crate) async fn redo(&self) -> CheckpointActionResult {
        match self.checkpoints_for(CHECKPOINT_REDO, Map::new()) {
            Ok(store) => store.redo().await,
            Err(refusal) => refusal,
        }
    }

    pub(crate) async fn list_checkpoints(&self) -> CheckpointListResult {
        match &self.checkpoints {
            Some(store) => store.list().await,
            None => CheckpointListResult::default(),
        }
    }

    /// Undo and redo write and delete files: they are looked at and judged like any call that does.
    fn checkpoints_for(
        &self,
        id: &str,
        params: Map<String, serde_json::Value>,
    ) -> Result<&dyn Checkpoints, CheckpointActionResult> {
        let store = self.checkpoints.as_deref().ok_or_else(CheckpointActionResult::unsupported)?;
        let def =
            ToolDef::new(id, "Puts files back.").capabilities(Capabilities::WRITES | Capabilities::DELETES);
        let request = self.prepared(ToolCall::new(id, params), &Arc::new(def), Nature::ONCE, false);
        let refuse = |why: &str| Err(CheckpointActionResult::nothing(format!("not allowed: {why}")));
        match (&request.unfit, self.stack.verdict(&request)) {
            (Some(unfit), _) => refuse(unfit),
            (None, Verdict::Allow) => Ok(store),
            (None, verdict) => {
                let why: Vec<_> = verdict.reasons().iter().map(|r| r.message.as_str()).collect();
                refuse(&why.join("; "))
            }
        }
    }

    /// Routes a call and makes it ready to be judged; `None` where no tool has its id.
    fn request(&self, call: ToolCall, approved: bool) -> Option<Request> {
        let (tool, def) = self.stack.router.find(&call.tool_id)?;
        let nature = quietly(|| tool.nature(&call.tool_id)).unwrap_or(Nature::ONCE);
        Some(self.prepared(call, def, nature, approved))
    }

    /// Narrows and normalises a call of what is defined like this.
    fn prepared(&self, mut call: ToolCall, def: &Arc<ToolDef>, nature: Nature, approved: bool) -> Request {
        let session = self.session().narrowed(&call.context);
        call.context.network = session.network.clone();
        // Normalisers may ask what the tool can do; what the caller claims was found is gone.
        call.prepare(def.clone(), Findings::default());
        let mut findings = Findings::default();
        let mut unfit = def.validate(&call.params).err();
        for normaliser in &self.stack.normalisers {
            if unfit.is_none() {
                unfit = quietly(|| normaliser.normalise(&mut call, &mut findings, &session))
                    .unwrap_or_else(|panic| Err(format!("`{}` panicked: {panic}", normaliser.name())))
                    .err();
            }
        }
        call.prepare(def.clone(), findings);
        // What is inside asks too, and is told that it was answered.
        let approved = approved || self.stack.is_answered(&call);
        Request { call, session, approved, nature, judged: None, unfit: unfit.map(Arc::from) }
    }

    fn change(&self, change: impl FnOnce(&mut Session)) {
        let session = {
            let mut session = self.session.write().unwrap_or_else(PoisonError::into_inner);
            change(&mut session);
            session.clone()
        };
        self.stack.router.tools.iter().for_each(|tool| tool.session_changed(&session));
    }

    fn take_pause(&self, text: &[u8; 32]) -> Option<Pause> {
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        let at = pauses.iter().position(|p| p.text == *text)?;
        pauses.remove(at)
    }

    fn put_pause(&self, pause: Pause) {
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        if pauses.len() == MAX_PAUSES {
            pauses.pop_front();
        }
        pauses.push_back(pause);
    }
}

/// Puts a [`Pipeline`] together.
#[derive(Default)]
pub struct PipelineBuilder {
    stack: Stack,
    checkpoints: Option<Arc<dyn Checkpoints>>,
    session: Session,
}

impl fmt::Debug for PipelineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipelineBuilder").field(&self.stack).finish()
    }
}

impl PipelineBuilder {
    /// Adds something that finds things out about calls before they are judged.
    #[must_use]
    pub fn normaliser(mut self, normaliser: impl Normaliser + 'static) -> Self {
        self.stack.normalisers.push(Box::new(normaliser));
        self
    }

    /// Adds a layer outside the wall: it sees refusals too. The first added is the outermost.
    #[must_use]
    pub fn observer(mut self, observer: impl Layer + 'static) -> Self {
        self.stack.observers.push(Box::new(observer));
        self
    }

    /// Adds a gate to the wall. The order of gates only orders their reasons.
    #[must_use]
    pub fn gate(mut self, gate: impl Gate + 'static) -> Self {
        self.stack.gates.push(Box::new(gate));
        self
    }

    /// Adds a layer inside the wall. The first added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.stack.layers.push(Box::new(layer));
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.stack.router.tools.push(Box::new(tool));
        self
    }

    /// Puts this stack around a whole executor: its tools, and its undo and redo.
    #[must_use]
    pub fn around(self, inner: ForeignTool) -> Self {
        self.checkpoints(Arc::new(inner.checkpoints())).tool(inner)
    }

    /// Adds the store that undo and redo work on.
    #[must_use]
    pub fn checkpoints(mut self, store: Arc<dyn Checkpoints>) -> Self {
        self.checkpoints = Some(store);
        self
    }

    /// Sends events of every call that passes the wall.
    #[must_use]
    pub fn events(mut self, events: ToolEventTx) -> Self {
        self.stack.events = Some(events);
        self
    }

    /// Sets the trust the session starts with; [`SkillTrustLevel::Quarantined`] where nobody does.
    #[must_use]
    pub fn trust(mut self, level: SkillTrustLevel) -> Self {
        self.session.trust = level;
        self
    }

    /// Sets the network the session starts with.
    #[must_use]
    pub fn network(mut self, scope: NetworkScope) -> Self {
        self.session.network = scope;
        self
    }

    /// Refuses what a person would be asked about: nobody is there who could answer.
    #[must_use]
    pub fn nobody_to_ask(mut self) -> Self {
        self.stack.nobody_to_ask = true;
        self
    }

    /// Takes questions about these calls for answered with yes. What is refused stays refused.
    #[must_use]
    pub fn answered(mut self, calls: impl Fn(&ToolCall) -> bool + Send + Sync + 'static) -> Self {
        self.stack.answered = Some(Box::new(calls));
        self
    }

    /// Builds it.
    ///
    /// # Errors
    /// Where two tools claim one name or one fence tag, or a definition can't be used.
    pub fn build(self) -> Result<Pipeline, BuildError> {
        let Self { mut stack, checkpoints, session } = self;
        let router = &mut stack.router;
        let mut tags = Vec::new();
        for (at, tool) in router.tools.iter().enumerate() {
            for def in tool.definitions() {
                def.check().map_err(|why| BuildError::BadDefinition { name: def.id.to_string(), why })?;
                if let InvocationHint::FencedBlock(tag) = &def.invocation {
                    if tags.contains(tag) {
                        return Err(BuildError::TagClash { tag: tag.to_string() });
                    }
                    tags.push(tag.clone());
                }
                let def = Arc::new(def);
                if router.routes.insert(def.id.clone(), (at, def.clone())).is_some() {
                    return Err(BuildError::NameClash { name: def.id.to_string() });
                }
                router.definitions.push(def);
            }
        }
        Ok(Pipeline { stack, checkpoints, session: RwLock::new(session), pauses: Mutex::default() })
    }
}
