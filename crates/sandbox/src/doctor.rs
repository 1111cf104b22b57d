//! Proves what this machine enforces by attacking it.
//!
//! A kernel that has a call may still refuse it, and a filter that is loaded may filter nothing. So
//! nothing is claimed that a small attack from inside has not just failed to do.

mod attacks;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::child::Status;
use crate::command::{Command, Io};
use crate::enforcement::{Enforcement, Level};
use crate::error::Error;
use crate::policy::{Guard, Policy, Protected};
use crate::sandbox::{Sandbox, nothing};
use crate::sys::Errno;

pub(crate) use attacks::run;

/// What a machine enforces, with the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// What the boundary says of itself.
    pub enforcement: Enforcement,
    /// What attacks on it say.
    pub findings: Vec<Finding>,
}

/// What became of one attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The attack's name.
    pub name: &'static str,
    /// What the boundary promises about it.
    pub claim: &'static str,
    /// Whether the promise was kept.
    pub verdict: Verdict,
}

/// Whether a promise was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The attack failed.
    Held,
    /// The attack succeeded.
    Broken,
    /// The attack makes no sense on this machine or at this level.
    Skipped,
}

impl Examination {
    /// Whether the boundary is whole: the full level, and every attack failed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.enforcement.level == Level::Full && self.broken().next().is_none()
    }

    /// The attacks that succeeded.
    pub fn broken(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.verdict == Verdict::Broken)
    }
}

/// A directory for the attacks to work in, gone afterwards.
struct Ground(PathBuf);

impl Ground {
    fn make(below: &Path) -> Result<Self, Error> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let fresh = || loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = below.join(format!("toolgate-doctor-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                // Someone has our number in another process namespace.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let make = || {
            let ground = fresh()?;
            fs::create_dir_all(ground.0.join("workspace/.git/hooks"))?;
            fs::write(ground.0.join("secret"), "a secret\n")?;
            fs::write(ground.0.join("outside"), "as it was\n")?;
            Ok(ground)
        };
        make().map_err(cannot_make)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Runs every attack inside a boundary in a fresh directory below the given one.
///
/// ```
/// let state = std::env::temp_dir();
/// let found = toolgate_sandbox::examine(&state, toolgate_sandbox::Level::None)?;
/// assert!(found.broken().next().is_none() || !found.is_whole());
/// # Ok::<(), toolgate_sandbox::Error>(())
/// ```
///
/// # Errors
///
/// If less than `least` is enforceable here, or the directory can't be made.
pub fn examine(below: &Path, least: Level) -> Result<Examination, Error> {
    examine_with(below, least, |sandbox| sandbox, None)
}

/// As [`examine`], by one attack and with a layer taken away.
///
/// # Errors
///
/// As [`examine`].
#[cfg(feature = "danger-ablation")]
pub fn danger_examine_without(
    below: &Path,
    layer: crate::ablation::Layer,
    attack: &str,
) -> Result<Examination, Error> {
    examine_with(below, Level::None, |sandbox| sandbox.danger_without(layer), Some(attack))
}

fn examine_with(
    below: &Path,
    least: Level,
    change: impl Fn(Sandbox) -> Sandbox,
    only: Option<&str>,
) -> Result<Examination, Error> {
    let below = fs::canonicalize(below).unwrap_or_else(|_| below.to_owned());
    let ground = Ground::make(&below)?;
    let workspace = ground.0.join("workspace");
    let mut policy = Policy::workspace_write(&ground.0, &workspace);
    policy.hidden.push(ground.0.join("secret"));
    policy.protected = vec![Protected { name: ".git".into(), guard: Guard::ReadOnly }];
    policy.least = least;
    let mut whole = policy.clone();
    whole.hidden.push(workspace.join("secret"));
    whole.least = least.max(Level::FullNoProc);
    let inside = workspace.join("secret");
    fs::write(&inside, "a secret\n").map_err(cannot_make)?;
    match attack_all(&ground, &workspace, &change(Sandbox::new(whole)?), only) {
        // Only namespaces hide a file inside the workspace. What else holds is not to be given up with it.
        Err(Error::NotEnforceable { reached, .. }) if reached >= least => {
            fs::remove_file(&inside).map_err(cannot_make)?;
            attack_all(&ground, &workspace, &change(Sandbox::new(policy)?), only)
        }
        found => found,
    }
}

fn cannot_make(error: io::Error) -> Error {
    let errno = Errno(error.raw_os_error().unwrap_or(libc::EIO));
    Error::System { doing: "making a directory to attack", errno }
}

fn attack_all(
    ground: &Ground,
    workspace: &Path,
    sandbox: &Sandbox,
    only: Option<&str>,
) -> Result<Examination, Error> {
    let _listener = attacks::listen();
    let mut enforcement = None;
    let mut findings = Vec::new();
    for (index, attack) in attacks::ATTACKS.iter().enumerate() {
        if only.is_some_and(|only| only != attack.name) {
            continue;
        }
        let io = Io::Files { stdin: nothing()?, stdout: nothing()?, stderr: nothing()? };
        let command = Command::new(["attack"], workspace, io);
        let mut child = sandbox.spawn_attack(&command, index)?;
        let level = child.enforcement().level;
        enforcement.get_or_insert_with(|| child.enforcement().clone());
        let exit = child.wait()?;
        let verdict = match exit.status {
            _ if level < attack.since && only.is_none() => Verdict::Skipped,
            Status::Code(attacks::SKIPPED) => Verdict::Skipped,
            status if (attack.held)(status, &ground.0) => Verdict::Held,
            _ => Verdict::Broken,
        };
        findings.push(Finding { name: attack.name, claim: attack.claim, verdict });
    }
    let enforcement =
        enforcement.unwrap_or(Enforcement { level: Level::None, missing: Vec::new(), landlock_abi: 0 });
    Ok(Examination { enforcement, findings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_attack_succeeds_here() {
        let found = examine(&std::env::temp_dir(), Level::None).unwrap();
        let broken: Vec<_> = found.broken().collect();
        assert!(broken.is_empty(), "{broken:?} at {:?}", found.enforcement);
        assert_eq!(found.findings.len(), attacks::ATTACKS.len());
    }

    #[test]
    fn every_attack_is_named_once() {
        let mut names: Vec<_> = attacks::ATTACKS.iter().map(|attack| attack.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), attacks::ATTACKS.len());
    }
}
