//! Globs of paths: `**` crosses directories, `*` and `?` do not.

use crate::argv::glob;
use crate::path::{Map, below};
use crate::word::{SOME, UNKNOWN, is_exact};

/// How well a rule fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It does not.
    No,
    /// Something that is not known decides.
    Maybe,
    /// It does.
    Yes,
}

/// Where a pattern starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// `src/**`: every root of the workspace.
    Workspace,
    /// `~/.config/**`
    Home,
    /// `/etc/**`, and `**/.env`, which is about any directory.
    Root,
}

/// A pattern, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathGlob {
    anchor: Anchor,
    parts: Vec<String>,
}

/// The most components of a pattern: positions in it are bits of a word.
const MOST_PARTS: usize = 60;

impl PathGlob {
    pub(super) fn read(pattern: &str) -> Result<PathGlob, String> {
        let (anchor, rest) = match pattern {
            "~" => (Anchor::Home, ""),
            _ if pattern.starts_with("~/") => (Anchor::Home, pattern.get(2..).unwrap_or("")),
            _ if pattern.starts_with('~') => {
                return Err(format!("`{pattern}`: only `~/` is known, no other home"));
            }
            _ if pattern.starts_with('/') || pattern == "**" || pattern.starts_with("**/") => {
                (Anchor::Root, pattern)
            }
            _ => (Anchor::Workspace, pattern),
        };
        if rest.split('/').any(|part| part == "..") {
            return Err(format!("`{pattern}`: `..` is nobody's name: write where it leads"));
        }
        let parts: Vec<String> =
            rest.split('/').filter(|p| !p.is_empty() && *p != ".").map(str::to_owned).collect();
        if parts.len() > MOST_PARTS {
            return Err(format!("a path has more than {MOST_PARTS} parts"));
        }
        Ok(PathGlob { anchor, parts })
    }

    /// Whether an absolute, normal path fits.
    pub(super) fn fit(&self, full: &str, map: &Map) -> Fit {
        let bases = self.bases(map);
        if is_exact(full) {
            let fits = bases.iter().any(|base| below(base, full).is_some_and(|rest| self.fits_below(rest)));
            return if fits { Fit::Yes } else { Fit::No };
        }
        bases.iter().map(|base| self.fit_in_part(base, full)).max().unwrap_or(Fit::No)
    }

    /// Whether all that fits lies below this exact path. `false` for patterns that start with a wildcard.
    pub(super) fn lies_below(&self, full: &str, map: &Map) -> bool {
        let fixed = |base: &String| self.fixed().fold(base.clone(), |path, part| path + "/" + part);
        self.bases(map).iter().any(|base| below(full, &fixed(base)).is_some_and(|rest| !rest.is_empty()))
    }

    /// Where the pattern starts; the root's path is empty.
    fn bases<'m>(&self, map: &'m Map) -> &'m [String] {
        const ROOT: &[String] = &[String::new()];
        match self.anchor {
            Anchor::Workspace => &map.roots,
            Anchor::Home => std::slice::from_ref(&map.home),
            Anchor::Root => ROOT,
        }
    }

    /// The parts before the first wildcard.
    fn fixed(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().take_while(|p| !p.contains(['*', '?']))
    }

    fn fits_below(&self, rest: &str) -> bool {
        // Bit i: the pattern's parts before i are used up. Linear in the path for each part of the pattern.
        let mut states = self.skipped(1);
        for part in rest.split('/').filter(|p| !p.is_empty()) {
            let mut next = 0_u64;
            for (i, pattern) in self.parts.iter().enumerate() {
                if states & 1 << i == 0 {
                    continue;
                }
                if pattern == "**" {
                    next |= 1 << i;
                } else if glob(pattern, part) {
                    next |= 1 << (i + 1);
                }
            }
            states = self.skipped(next);
        }
        states & 1 << self.parts.len() != 0
    }

    /// `**` may stand for nothing.
    fn skipped(&self, mut states: u64) -> u64 {
        for (i, part) in self.parts.iter().enumerate() {
            if states & 1 << i != 0 && part == "**" {
                states |= 1 << (i + 1);
            }
        }
        states
    }

    /// A path of which a part is not known may be anything below what is.
    fn fit_in_part(&self, base: &str, full: &str) -> Fit {
        let at = full.find([UNKNOWN, SOME]).unwrap_or(full.len());
        let head = full.get(..at).unwrap_or("");
        let fixed = self.fixed().fold(base.to_owned(), |path, part| path + "/" + part);
        let all_fixed = self.fixed().count() == self.parts.len();
        // Everything that the pattern is about lies below `fixed`, or is `fixed` itself.
        let close = head.is_empty() || fixed.starts_with(head) || !all_fixed && below(&fixed, head).is_some();
        match full.contains(UNKNOWN) {
            _ if !close => Fit::No,
            true => Fit::Maybe,
            // Every file there is taken: the one that the pattern is about as well.
            false => Fit::Yes,
        }
    }

    /// Whether all that `other` is about is what this is about. `false` where that takes more than a look.
    pub(super) fn covers(&self, other: &PathGlob) -> bool {
        if self == other || self.anchor == Anchor::Root && self.parts == ["**"] {
            return true;
        }
        if self.anchor != other.anchor {
            return false;
        }
        match self.parts.split_last() {
            Some((last, head)) if last == "**" => other.parts.starts_with(head),
            _ => {
                !other.parts.iter().any(|p| p.contains(['*', '?'])) && self.fits_below(&other.parts.join("/"))
            }
        }
    }
}

/// Refuses a glob that could never match, or would match something else than it looks like.
pub(super) fn check_glob(pattern: &str) -> Result<(), String> {
    if pattern.is_empty() {
        return Err("an empty pattern matches nothing".into());
    }
    if pattern.contains(['[', ']', '{', '}']) {
        return Err(format!("`{pattern}`: only * and ? are wildcards here"));
    }
    if pattern.len() > 1024 {
        return Err("a pattern is longer than 1024 bytes".into());
    }
    Ok(())
}

/// Whether a glob over names is about all that another is.
pub(super) fn glob_covers(wide: &str, narrow: &str) -> bool {
    wide == narrow || wide == "*" || !narrow.contains(['*', '?']) && glob(wide, narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Map {
        Map { roots: vec!["/w".into(), "/other".into()], home: "/home/u".into(), scratch: vec![] }
    }

    fn fit(pattern: &str, path: &str) -> Fit {
        PathGlob::read(pattern).unwrap().fit(path, &map())
    }

    #[test]
    fn stars_stay_in_a_directory_and_double_stars_do_not() {
        for (pattern, path, fits) in [
            ("src/**", "/w/src/a/b", true),
            ("src/**", "/w/src", true),
            ("src/**", "/w/src2/a", false),
            ("src/*", "/other/src/a", true),
            ("src/*", "/w/src/a/b", false),
            ("*.lock", "/w/a.lock", true),
            ("*.lock", "/w/a/b.lock", false),
            ("**/.env", "/w/.env", true),
            ("**/.env", "/etc/x/.env", true),
            ("**/a/**/b", "/x/a/y/z/b", true),
            ("**/a/**/b", "/x/a", false),
            ("~/.ssh/**", "/home/u/.ssh/id", true),
            ("~/.ssh/**", "/home/u2/.ssh/id", false),
            ("/etc/*", "/etc/passwd", true),
            ("**", "/anything/at/all", true),
            (".", "/w", true),
            ("a//b/", "/w/a/b", true),
        ] {
            assert_eq!(fit(pattern, path) == Fit::Yes, fits, "{pattern} on {path}");
        }
    }

    #[test]
    fn what_is_not_known_may_be_what_the_pattern_is_about() {
        let some = |head: &str| format!("{head}{SOME}");
        let unknown = |head: &str| format!("{head}{UNKNOWN}");
        assert_eq!(fit("src/**", &some("/w/")), Fit::Yes);
        assert_eq!(fit("src/secret.txt", &some("/w/src/")), Fit::Yes);
        assert_eq!(fit("src/**", &some("/w/src/deep/")), Fit::Yes);
        assert_eq!(fit("src/**", &some("/w/docs/")), Fit::No);
        assert_eq!(fit("src/**", &unknown("")), Fit::Maybe);
        assert_eq!(fit("src/**", &unknown("/w/s")), Fit::Maybe);
        assert_eq!(fit("src/**", &unknown("/w/d")), Fit::No);
        assert_eq!(fit("src/x", &unknown("/w/src/x/")), Fit::No);
    }

    #[test]
    fn a_directory_holds_what_a_pattern_is_about() {
        let holds = |dir: &str, pattern: &str| PathGlob::read(pattern).unwrap().lies_below(dir, &map());
        assert!(holds("/w/docs", "docs/keep/**") && holds("/w", "src") && holds("/home", "~/.ssh/*"));
        assert!(!holds("/w/docs", "docs") && !holds("/w/doc", "docs/keep") && !holds("/w", "**/.env"));
    }

    #[test]
    fn a_pattern_covers_what_lies_below_it() {
        let covers = |a: &str, b: &str| PathGlob::read(a).unwrap().covers(&PathGlob::read(b).unwrap());
        for (wide, narrow) in [("src/**", "src/a/*"), ("src/*", "src/a"), ("**", "~/x"), ("a", "./a")] {
            assert!(covers(wide, narrow), "{wide} {narrow}");
        }
        for (wide, narrow) in
            [("src/*", "src/**"), ("src/a", "src/*"), ("/src/**", "src/a"), ("src/*", "src/a/b")]
        {
            assert!(!covers(wide, narrow), "{wide} {narrow}");
        }
    }

    #[test]
    fn patterns_that_mislead_are_refused() {
        for bad in ["~root/x", "../x", "a/../b"] {
            assert!(PathGlob::read(bad).is_err(), "{bad}");
        }
        assert!(PathGlob::read(&"a/".repeat(61)).is_err());
        assert!(check_glob("").is_err() && check_glob("[a]").is_err() && check_glob("a*").is_ok());
    }
}
