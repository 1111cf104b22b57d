//! The Landlock rules: behind namespaces the same grants once more, without them all there is.

use std::fs;
use std::path::{Path, PathBuf};

use super::c_path;
use super::files::FileView;
use super::guards::Guards;
use crate::enforcement::{Level, Missing};
use crate::error::Error;
use crate::landlock::{Ruleset, files, net, scope};
use crate::machine::Machine;
use crate::policy::{Network, Policy, Scratch, View};

/// Most siblings allowed one by one where something among them is hidden.
const MOST_SIBLINGS: usize = 4096;

/// The ruleset for a level.
pub(crate) fn ruleset(
    policy: &Policy,
    view: &FileView,
    guards: &Guards,
    machine: &Machine,
    level: Level,
    missing: &mut Vec<Missing>,
) -> Result<Option<Ruleset>, Error> {
    if level == Level::None {
        return Ok(None);
    }
    let alone = level == Level::Landlock;
    let mut handled = if view.all_writable { 0 } else { files::CHANGE | files::DEVICE_CONTROL };
    if view.new_root || (alone && (policy.view != View::Everything || !guards.hidden.is_empty())) {
        handled |= files::LOOK;
    }
    let ports = if policy.network == Network::Deny { net::BIND | net::CONNECT } else { 0 };
    let mut scopes = 0;
    if policy.scratch == Scratch::Private {
        scopes |= scope::ABSTRACT_SOCKETS | scope::SIGNALS;
    }
    let Some(mut rules) = Ruleset::new(machine.landlock_abi, handled, ports, scopes) else {
        return Ok(None);
    };
    let everything = files::CHANGE | files::LOOK | files::DEVICE_CONTROL;
    for root in &view.writable {
        rules.allow(c_path(root)?, everything);
    }
    // Devices and the process list are written to by every program; what must not be is read-only
    // by its mount, or by its mode where there are no mounts.
    for path in ["/dev", "/proc"]
        .into_iter()
        .filter(|path| !view.private().iter().any(|area| area.as_path() == Path::new(path)))
    {
        rules.allow(
            c_path(Path::new(path))?,
            files::LOOK | files::WRITE | files::TRUNCATE | files::DEVICE_CONTROL,
        );
    }
    if alone {
        allow_alone(policy, guards, &mut rules, missing)?;
        return Ok(Some(rules));
    }
    for area in view.private() {
        rules.allow(c_path(area)?, everything);
    }
    if view.new_root {
        // All there is at the root is what was put there.
        rules.allow(c_path(Path::new("/"))?, files::LIST);
        for path in view.kept() {
            rules.allow(c_path(path)?, files::LOOK);
        }
    }
    Ok(Some(rules))
}

/// Rules where nothing else stands between the command and the files.
fn allow_alone(
    policy: &Policy,
    guards: &Guards,
    rules: &mut Ruleset,
    missing: &mut Vec<Missing>,
) -> Result<(), Error> {
    if policy.scratch == Scratch::Private {
        // A right to a directory is one to all below it, what is hidden there too.
        let free = |path: &&Path| !guards.hidden.iter().any(|hidden| hidden.starts_with(path));
        for path in ["/tmp", "/var/tmp", "/dev/shm"].map(Path::new).iter().filter(|path| free(path)) {
            rules.allow(c_path(path)?, files::CHANGE | files::LOOK);
        }
    }
    match &policy.view {
        View::Only(paths) => {
            for path in paths {
                rules.allow(c_path(path)?, files::LOOK);
            }
        }
        View::Everything if guards.hidden.is_empty() => {}
        View::Everything => {
            // Only allowing exists, so everything beside the way to a hidden path is allowed, and
            // directories on the way may be listed: names can be seen, contents can't.
            missing.push(Missing::HiddenNames);
            rules.allow(c_path(Path::new("/"))?, files::LIST);
            let mut left = MOST_SIBLINGS;
            allow_beside(Path::new("/"), &guards.hidden, rules, &mut left)?;
        }
    }
    for hidden in &guards.hidden {
        if policy.writable.iter().any(|root| hidden.starts_with(root)) {
            missing.push(Missing::HiddenPath(hidden.clone()));
        }
    }
    Ok(())
}

fn allow_beside(
    directory: &Path,
    hidden: &[PathBuf],
    rules: &mut Ruleset,
    left: &mut usize,
) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // A link gives what its target gives; a right to it alone means nothing.
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) || hidden.contains(&path) {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            allow_beside(&path, hidden, rules, left)?;
        } else if *left > 0 {
            *left -= 1;
            rules.allow(c_path(&path)?, files::EXECUTE | files::READ);
        }
    }
    Ok(())
}
