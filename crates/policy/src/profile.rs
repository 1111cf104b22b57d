//! What a profile says about an effect: rows of data, compiled from `profiles/`.

use crate::effect::{Effect, Kind};
use crate::facts::{self, Classes};
use crate::path::{Map, Place, below};
use crate::word::{UNKNOWN, is_exact};

/// Whether something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may.
    Allow,
    /// A person is asked; where there is none, it is denied.
    Ask,
    /// It may not.
    Deny,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        }
    }
}

/// Which profile judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// For one person who watches.
    #[default]
    Default,
    /// For unattended or untrusted work.
    Strict,
    /// For a throw-away machine.
    Open,
}

impl Profile {
    /// The profile of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Profile> {
        match name {
            "default" => Some(Profile::Default),
            "strict" => Some(Profile::Strict),
            "open" => Some(Profile::Open),
            _ => None,
        }
    }

    fn rows(self) -> impl Iterator<Item = &'static Row> {
        let numbers: &[u8] = match self {
            Profile::Default => &DEFAULT,
            Profile::Strict => &STRICT,
            Profile::Open => &OPEN,
        };
        numbers.iter().filter_map(|&number| ROWS.get(usize::from(number)))
    }

    /// Codes of its rows with what they say, each once: code, action, why, and what to do instead.
    pub fn codes(self) -> impl Iterator<Item = (&'static str, Verdict, &'static str, &'static str)> {
        self.rows().map(|r| (r.code, r.action, r.why, r.instead))
    }
}

/// What of the world outside the call bears on the judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Whether the boundary is fully enforced around what runs.
    pub contained: bool,
    /// Whether undo covers what happens inside the workspace.
    pub undo: bool,
}

/// One row of a profile.
pub(crate) struct Row {
    kinds: u32,
    places: u32,
    classes: u32,
    not: u32,
    when: u32,
    /// Names it is about, divided by `|`; about any where it is empty.
    targets: &'static str,
    /// What it decides.
    pub action: Verdict,
    /// A stable name for the reason.
    pub code: &'static str,
    /// The reason.
    pub why: &'static str,
    /// What can be done in its place; empty if nothing is known.
    pub instead: &'static str,
    /// Whether nothing lifts it.
    pub hard: bool,
}

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

const CONTAINED: u32 = 1;
const UNCONTAINED: u32 = 2;
const UNDO: u32 = 4;
const NETWORK_DENY: u32 = 8;
const NETWORK_ALLOW: u32 = 16;
const LOOPBACK: u32 = 32;
const REMOTE: u32 = 64;

/// What an effect is to a profile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    place: Place,
    classes: Classes,
    when: u32,
}

/// Looks at an effect from the workspace.
pub(crate) fn see(effect: &Effect, map: &Map, setting: Setting, network_open: bool) -> Seen {
    let mut when = if setting.contained { CONTAINED } else { UNCONTAINED };
    if setting.undo {
        when |= UNDO;
    }
    when |= if network_open { NETWORK_ALLOW } else { NETWORK_DENY };
    let loopback = effect.kind.is_net() && effect.target.as_deref().is_some_and(crate::analyse::is_loopback);
    when |= if loopback { LOOPBACK } else { REMOTE };
    if !effect.kind.is_path() {
        return Seen { place: Place::Unknown, classes: Classes::default(), when };
    }
    let path = effect.path.as_deref().or(effect.target.as_deref()).unwrap_or("");
    let mut place = map.place(path);
    let destroys = matches!(effect.kind, Kind::Delete | Kind::Move | Kind::Loss);
    let changes = destroys || effect.kind == Kind::Write;
    // What is written to a directory for temporary files is written into it: `mv a /tmp`.
    if effect.kind == Kind::Write && map.scratch.iter().any(|s| s == path.trim_end_matches('/')) {
        place = Place::Scratch;
    }
    if place == Place::Unknown && destroys && !path.starts_with('/') {
        // The worst an unset variable can do: `rm -rf "$X/"`.
        let emptied: String = path.chars().filter(|c| *c != UNKNOWN).collect();
        if emptied.starts_with('/') && map.place(&emptied) == Place::Above {
            place = Place::Above;
        }
    } else if changes && !is_exact(path) && path.contains(UNKNOWN) && path.starts_with('/') {
        // `/$X`, `~/$X`: it may be the directory itself. Inside the workspace it may climb out.
        let head = path.split(UNKNOWN).next().unwrap_or("/");
        let bare = head.trim_end_matches('/');
        let whole = head == "/" || head.ends_with('/') && map.place(bare) == Place::Above;
        if destroys && whole {
            place = Place::Above;
        } else if matches!(place, Place::Inside | Place::Scratch)
            || !head.get(1..).unwrap_or("").contains('/')
        {
            place = Place::Unknown;
        }
    }
    let inside = matches!(place, Place::Inside | Place::Root | Place::Whole);
    let relative = map.roots.iter().find_map(|r| below(r, path)).filter(|_| inside);
    let classes = classes_at(path, relative);
    Seen { place, classes, when }
}

/// Classes that are about a project count below its root only; the others count anywhere.
fn classes_at(path: &str, relative: Option<&str>) -> Classes {
    match relative {
        Some(rest) => facts::classes(rest),
        None => facts::classes(path).without(Classes::GENERATED),
    }
}

impl Row {
    pub(crate) fn fits(&self, effect: &Effect, seen: &Seen) -> bool {
        self.kinds & 1 << effect.kind as u32 != 0
            && (self.places == 0 || self.places & 1 << seen.place as u32 != 0)
            && (self.classes == 0 || seen.classes.bits() & self.classes != 0)
            && seen.classes.bits() & self.not == 0
            && self.when & seen.when == self.when
            && (self.targets.is_empty() || self.on_target(effect))
    }

    fn on_target(&self, effect: &Effect) -> bool {
        let target = effect.target.as_deref().unwrap_or("");
        self.targets.split('|').any(|t| crate::argv::glob(t, target))
    }
}

/// The row of a profile that decides about an effect.
pub(crate) fn judge(profile: Profile, effect: &Effect, seen: &Seen) -> Option<&'static Row> {
    profile.rows().find(|r| r.fits(effect, seen))
}
