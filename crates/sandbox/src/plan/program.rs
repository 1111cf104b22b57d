//! The program, its arguments and its variables.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::files::FileView;
use super::{Program, Strings, c_path, c_text, resolve};
use crate::command::Command;
use crate::error::Error;
use crate::policy::{Policy, Scratch};

/// Where programs are looked for when no variable says.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Works out the program.
pub(crate) fn program(policy: &Policy, command: &Command, view: &FileView) -> Result<Program, Error> {
    let name = command.argv.first().filter(|name| !name.is_empty()).ok_or(Error::BadCommand)?;
    if !command.cwd.is_absolute() {
        return Err(Error::BadPath { path: command.cwd.clone() });
    }
    let env = variables(policy, command, view);
    let argv = command.argv.iter().map(|word| c_text(word.clone()).ok_or(Error::BadCommand));
    Ok(Program {
        candidates: candidates(name, &search_path(policy, command))?,
        argv: Strings::new(argv.collect::<Result<_, _>>()?),
        env: Strings::new(env.into_iter().map(pair).collect::<Result<_, _>>()?),
        cwd: c_path(&command.cwd)?,
        attack: None,
    })
}

fn pair((name, value): (OsString, OsString)) -> Result<CString, Error> {
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        return Err(Error::BadCommand);
    }
    let mut text = name.into_vec();
    text.push(b'=');
    text.extend(value.into_vec());
    CString::new(text).map_err(|_| Error::BadCommand)
}

/// Variables that reach the program: let through, granted, and mended where what they name is private.
fn variables(policy: &Policy, command: &Command, view: &FileView) -> Vec<(OsString, OsString)> {
    let mut list: Vec<(OsString, OsString)> = Vec::new();
    let passed = command
        .env
        .iter()
        .filter(|(name, _)| name.to_str().is_some_and(|name| policy.passes(name)))
        .chain(&command.granted);
    for (name, value) in passed {
        list.retain(|(other, _)| other != name);
        list.push((name.clone(), value.clone()));
    }
    if policy.scratch == Scratch::Private {
        for (name, value) in &mut list {
            if name == "TMPDIR"
                && resolve(Path::new(value)).is_none_or(|path| view.writable_root(&path).is_none())
            {
                *value = OsString::from("/tmp");
            }
            if name == "XDG_RUNTIME_DIR" {
                // SAFETY: takes nothing and can't fail.
                *value = OsString::from(format!("/run/user/{}", unsafe { libc::geteuid() }));
            }
        }
    }
    if let Some((_, value)) = list.iter_mut().find(|(name, _)| name == "PWD") {
        *value = command.cwd.clone().into_os_string();
    }
    list
}

/// Directories programs are looked for in, as the program will see them named.
pub(crate) fn search_path(policy: &Policy, command: &Command) -> Vec<PathBuf> {
    let is_path = |(name, _): &&(OsString, OsString)| name == "PATH";
    let value = command
        .granted
        .iter()
        .rev()
        .find(is_path)
        .or_else(|| command.env.iter().rev().find(is_path).filter(|_| policy.passes("PATH")))
        .map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value.as_os_str());
    std::env::split_paths(value).filter(|path| !path.as_os_str().is_empty()).collect()
}

fn candidates(name: &OsStr, path: &[PathBuf]) -> Result<Vec<CString>, Error> {
    if name.as_bytes().contains(&b'/') {
        return Ok(vec![c_path(Path::new(name))?]);
    }
    path.iter().map(|directory| c_path(&directory.join(name))).collect()
}
