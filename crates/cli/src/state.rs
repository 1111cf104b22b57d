//! Where this user's state is kept: outside every project, and private.

use std::path::PathBuf;

use crate::config_files::home_dir;

/// Toolgate's part of the state directory; `None` where there is no home to keep it in.
pub(crate) fn state_dir() -> Option<PathBuf> {
    // XDG Base Directory 0.8: a relative path is to be ignored.
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    Some(state.or_else(|| Some(home_dir()?.join(".local/state")))?.join("toolgate"))
}
