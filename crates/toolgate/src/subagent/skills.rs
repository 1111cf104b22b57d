//! Which skills a sub-agent may use.

use globset::{Glob, GlobMatcher};
use toolgate_exec::SkillTrustLevel;

/// A skill as the filter sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// How far it is trusted; a skill of which nobody said is quarantined.
    pub trust: Option<SkillTrustLevel>,
}

/// A glob that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is no glob for skill names: {why}")]
pub struct BadGlob {
    glob: String,
    why: String,
}

/// Lets skills through by name and trust.
///
/// An empty include list stands for all names; exclusion wins; quarantined and blocked skills never pass.
#[derive(Clone, Debug, Default)]
pub struct SkillFilter {
    include: Vec<GlobMatcher>,
    exclude: Vec<GlobMatcher>,
}

impl SkillFilter {
    /// Reads the globs.
    ///
    /// # Errors
    /// Where one of them can't be read.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, BadGlob> {
        let read = |globs: &[S]| {
            let compile = |glob: &S| {
                let glob = glob.as_ref();
                let built = Glob::new(glob).map(|g| g.compile_matcher());
                built.map_err(|e| BadGlob { glob: glob.to_owned(), why: e.kind().to_string() })
            };
            globs.iter().map(compile).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { include: read(include)?, exclude: read(exclude)? })
    }

    /// Whether a skill passes.
    pub fn lets_through(&self, skill: &Skill) -> bool {
        let trusted = matches!(skill.trust, Some(SkillTrustLevel::Trusted | SkillTrustLevel::Verified));
        let named = |globs: &[GlobMatcher]| globs.iter().any(|g| g.is_match(&skill.name));
        trusted && !named(&self.exclude) && (self.include.is_empty() || named(&self.include))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exclusion_wins_and_only_trusted_skills_pass() {
        let filter = SkillFilter::new(&["git-*", "web"], &["git-push"]).unwrap();
        let passes = |name: &str, trust| filter.lets_through(&Skill { name: name.to_owned(), trust });
        let trusted = Some(SkillTrustLevel::Trusted);
        assert!(passes("git-log", trusted) && passes("web", Some(SkillTrustLevel::Verified)));
        assert!(!passes("git-push", trusted) && !passes("other", trusted));
        for trust in [None, Some(SkillTrustLevel::Quarantined), Some(SkillTrustLevel::Blocked)] {
            assert!(!passes("git-log", trust), "{trust:?}");
        }
        assert!(SkillFilter::default().lets_through(&Skill { name: "any".to_owned(), trust: trusted }));
        assert!(SkillFilter::new(&["a[b"], &[]).is_err());
    }
}
