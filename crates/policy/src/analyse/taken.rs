//! What may have been taken away since the script began.

use crate::effect::{Effect, Kind};
use std::collections::HashSet;

/// What effects say of the directories that were there when the script began. Each is looked at once, however
/// often somebody asks.
#[derive(Default)]
pub(super) struct Taken {
    /// How many effects were looked at.
    looked: usize,
    /// Whether it could be any.
    any: bool,
    /// Commands that build a project.
    builds: HashSet<Option<u32>>,
    /// Where something was written, by what does not build.
    written: HashSet<Box<str>>,
}

impl Taken {
    /// Looks at what was noted since the last look.
    pub(super) fn look(&mut self, effects: &[Effect]) {
        let new = effects.get(self.looked..).unwrap_or_default();
        self.looked = effects.len();
        self.builds.extend(new.iter().filter(|e| e.kind == Kind::Project).map(|e| e.command));
        for effect in new {
            match effect.kind {
                Kind::Delete | Kind::Move | Kind::Loss | Kind::Unknown => self.any = true,
                // A build writes among the files of a project. Others put all of them in another state:
                // `git checkout`.
                Kind::Write if !self.builds.contains(&effect.command) => match &effect.path {
                    Some(path) => _ = self.written.insert(path.clone()),
                    None => self.any = true,
                },
                _ => {}
            }
        }
    }

    /// Whether a directory may be among it: an absolute path.
    pub(super) fn may_hold(&self, dir: &str) -> bool {
        let mut around = std::iter::successors(Some(dir), |dir| match dir.rsplit_once('/')? {
            ("", "") => None,
            ("", _) => Some("/"),
            (above, _) => Some(above),
        });
        self.any || around.any(|dir| self.written.contains(dir))
    }
}
