//! Plain names that the search path leads into the workspace.
//!
//! A directory of the workspace on `PATH` (`node_modules/.bin`, `.venv/bin`) holds files that an agent can
//! write. A file there that is called like a known program is not that program, unless it is a link to it.

use super::state::State;
use super::{Analyst, Context};
use crate::effect::Kind;
use crate::knowledge;
use crate::path::{self, below};
use toolgate_bash::ast::Span;

impl Analyst<'_> {
    /// Notes that a plain name runs a file of the workspace, if it does and nothing says so yet.
    pub(super) fn on_search_path(&mut self, name: &str, span: Span, state: &State) {
        // Whoever runs the project's own code runs what it brings along.
        let command = self.command;
        let of_project = |kind: Kind| matches!(kind, Kind::Project | Kind::Script);
        if self.out.effects.iter().any(|e| e.command == command && of_project(e.kind)) {
            return;
        }
        if let Some(file) = found_first(self.context, name, state) {
            let why = "the search path leads into the workspace, whose file it is";
            self.path(Kind::Script, &file, span, &state.dirs, state, why);
        }
    }
}

/// The file that a plain name stands for, if that lies in the workspace and is no link to the program of that name.
fn found_first(context: &Context<'_>, name: &str, state: &State) -> Option<String> {
    let (_, search) = context.env.iter().find(|(n, _)| n == "PATH")?;
    let dir = state.dirs.first()?;
    let ours = |at: &str| context.roots.iter().any(|root| below(root, at).is_some());
    let entries: Vec<String> = search.split(':').map(|entry| path::join(dir, entry)).collect();
    // Nobody's files are looked at unless the workspace is on the path at all.
    let last = entries.iter().rposition(|at| ours(at))?;
    let file =
        entries.iter().take(last + 1).map(|at| path::join(at, name)).find(|file| context.links.runs(file))?;
    let real = context.links.resolve(&file).unwrap_or_else(|| file.clone());
    let spec = |name: &str| knowledge::program(name).map(std::ptr::from_ref);
    let is_the_program = !ours(&real) && spec(path::name(&real)) == spec(name);
    (ours(&file) && !is_the_program).then_some(file)
}
