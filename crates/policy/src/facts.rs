//! What the names of paths and environment variables say, compiled from `facts/`.

use crate::path::could_be;
use crate::word::{SOME, UNKNOWN, is_exact};

/// What is known about a path by its name: a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes(u8);

impl Classes {
    /// Holds keys that let one act as their owner.
    pub const CREDENTIAL: Classes = Classes(1);
    /// Often holds keys of the project.
    pub const SECRET: Classes = Classes(2);
    /// Is run when a shell or a program starts.
    pub const STARTUP: Classes = Classes(4);
    /// Is run later by the system.
    pub const PERSIST: Classes = Classes(8);
    /// Decides what an agent may do.
    pub const GUARD: Classes = Classes(16);
    /// Is in a project and runs without being asked for.
    pub const LATER: Classes = Classes(32);
    /// Is made again by a build.
    pub const GENERATED: Classes = Classes(64);

    pub(crate) fn bits(self) -> u32 {
        u32::from(self.0)
    }

    pub(crate) fn without(self, other: Classes) -> Classes {
        Classes(self.0 & !other.0)
    }

    /// Whether one of these classes is in the set.
    #[must_use]
    pub fn has(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }
}

/// A piece of the text of all names: a table of `&str` would be relocated at each start of a program.
#[derive(Clone, Copy)]
struct Name(u32, u8);

impl Name {
    fn text(self) -> &'static str {
        let at = self.0 as usize;
        NAMES.get(at..at + usize::from(self.1)).unwrap_or("")
    }
}

struct Exact {
    key: Name,
    before: Name,
    below: bool,
    absolute: bool,
    bit: u8,
}

/// What an environment variable does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Its value is a command line.
    Code,
    /// Its value is the path of a program.
    Program,
    /// Its value is a file that is run or read for settings.
    Script,
    /// It decides which code the next program loads.
    Inject,
    /// git works there.
    Place,
    /// A file or directory that programs write to.
    Output,
    /// Connections go there.
    Endpoint,
    /// It is known not to matter.
    Harmless,
}

include!(concat!(env!("OUT_DIR"), "/facts.rs"));

/// What the components of a path say about it.
#[must_use]
pub fn classes(path: &str) -> Classes {
    let mut found = 0;
    let lower;
    let path = if path.bytes().any(|b| b.is_ascii_uppercase()) {
        lower = path.to_ascii_lowercase();
        &*lower
    } else {
        path
    };
    let exact = is_exact(path);
    let mut start = 0;
    let bytes = path.as_bytes();
    while start < bytes.len() {
        let end = bytes[start..].iter().position(|b| *b == b'/').map_or(bytes.len(), |n| start + n);
        let part = &path[start..end];
        if !part.is_empty() {
            let last = end >= path.trim_end_matches('/').len();
            found |= if exact || is_exact(part) {
                let from = EXACT.partition_point(|e| e.key.text() < part);
                EXACT[from..]
                    .iter()
                    .take_while(|e| e.key.text() == part)
                    .fold(0, |f, e| f | fits(e, path, start, last, true))
            } else if part.chars().all(|c| matches!(c, SOME | UNKNOWN)) {
                // It could be any name, and says nothing.
                0
            } else {
                // What could be generated is not known to be: that class alone loosens.
                let sharp = EXACT.iter().filter(|e| e.bit != Classes::GENERATED.0);
                sharp
                    .map(|e| (e, e.key.text()))
                    .filter(|(_, key)| tells(part, key) && could_be(part, key))
                    .fold(0, |f, (e, key)| f | weakened(fits(e, path, start, last, false), part, key))
            };
            if last && !part.chars().all(|c| matches!(c, SOME | UNKNOWN)) {
                found |= by_name(part);
            }
        }
        start = end + 1;
    }
    if let Some(rest) = path.strip_prefix("/proc/")
        && matches!(rest.rsplit('/').next(), Some("environ" | "mem" | "auxv" | "kcore"))
    {
        found |= Classes::CREDENTIAL.0;
    }
    Classes(found)
}

fn fits(e: &Exact, path: &str, start: usize, last: bool, exact: bool) -> u8 {
    if !last && !e.below {
        return 0;
    }
    let before = e.before.text();
    if !before.is_empty() {
        let head = path[..start].trim_end_matches('/');
        let ok = if exact && is_exact(head) {
            head.ends_with(before)
                && matches!(head.as_bytes().get(head.len().wrapping_sub(before.len() + 1)), None | Some(b'/'))
                && (!e.absolute || head.len() == before.len() + 1)
        } else {
            // A parent that is known only in part: compare from the end, component by component.
            let mut parts = head.rsplit('/');
            before.rsplit('/').all(|b| parts.next().is_some_and(|p| could_be(p, b)))
        };
        if !ok {
            return 0;
        }
    }
    e.bit
}

/// Whether a pattern says more of a name than its extension: `*.json` speaks of no file in particular.
fn tells(part: &str, key: &str) -> bool {
    let extension = match key.rfind('.') {
        Some(at) if at > 0 => &key[at..],
        _ => return true,
    };
    let fixed = part.trim_matches(|c| matches!(c, SOME | UNKNOWN));
    !extension.contains(fixed) || !part.starts_with([SOME, UNKNOWN])
}

/// What a few letters could be is a secret at most: `.e*` takes `.env`, and seldom a wallet.
fn weakened(bit: u8, part: &str, key: &str) -> u8 {
    let letters = part.bytes().filter(u8::is_ascii_alphanumeric).count();
    if bit == Classes::CREDENTIAL.0 && letters < 4 && letters * 2 < key.len() {
        Classes::SECRET.0
    } else {
        bit
    }
}

fn by_name(name: &str) -> u8 {
    let mut found = 0;
    for (pattern, bit) in &WILD {
        let pattern = pattern.text();
        let hit = if is_exact(name) {
            match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
                (Some(end), _) => name.len() > end.len() && name.ends_with(end),
                (_, Some(start)) => name.len() > start.len() && name.starts_with(start),
                _ => false,
            }
        } else {
            let fixed = pattern.trim_matches('*');
            *bit != Classes::GENERATED.0 && could_be(name, fixed) || partly(name, pattern)
        };
        if hit {
            found |= bit;
        }
    }
    for (excepted, bit) in &EXCEPT {
        if excepted.text() == name {
            found &= !bit;
        }
    }
    found
}

/// Whether a name known in part shares the fixed end or start of a wildcard: `*.pem` and `a*.pem`.
fn partly(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end) && name.len() > end.len(),
        (_, Some(start)) => name.starts_with(start),
        _ => false,
    }
}

/// Whether a file of this name tells a build tool or a runner which commands to start.
#[must_use]
pub fn drives_builds(name: &str) -> bool {
    const NAMES: [&str; 33] = [
        "makefile",
        "gnumakefile",
        "bsdmakefile",
        "justfile",
        ".justfile",
        "taskfile.yml",
        "taskfile.yaml",
        "package.json",
        "deno.json",
        "composer.json",
        "build.rs",
        "build.zig",
        "setup.py",
        "noxfile.py",
        "tox.ini",
        "tasks.py",
        "fabfile.py",
        "dodo.py",
        "rakefile",
        "gemfile",
        "cmakelists.txt",
        "meson.build",
        "build.ninja",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "pom.xml",
        "build.xml",
        "gulpfile.js",
        "gruntfile.js",
        "sconstruct",
        "wscript",
        "mix.exs",
    ];
    let lower = name.to_ascii_lowercase();
    NAMES.contains(&&*lower) || lower.ends_with(".mk")
}

/// What is known about an environment variable.
#[must_use]
pub fn variable(name: &str) -> Option<Meaning> {
    if let Ok(i) = VARIABLES.binary_search_by(|v| v.0.text().cmp(name)) {
        return VARIABLES.get(i).map(|v| v.1);
    }
    VARIABLE_GLOBS.iter().find(|v| crate::argv::glob(v.0.text(), name)).map(|v| v.1)
}

/// Whether a value that a variable often has is known to change no code that runs.
#[must_use]
pub fn usual_value(name: &str, value: &str) -> bool {
    let fits = |list: &str, t: &str| list.split_ascii_whitespace().any(|g| crate::argv::glob(g, t));
    // The value may end up in the line of a shell.
    let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b" -_=+.,:".contains(&b));
    plain
        && USUAL.lines().filter_map(|row| row.split_once('\t')).any(|(names, words)| {
            fits(names, name) && value.split_ascii_whitespace().all(|word| fits(words, word))
        })
}

/// Whether the name of a variable nobody has listed sounds as if it changed what runs.
#[must_use]
pub fn sounds_sharp(name: &str) -> bool {
    const PARTS: [&str; 20] = [
        "PATH",
        "PRELOAD",
        "PAGER",
        "EDITOR",
        "BROWSER",
        "SHELL",
        "COMMAND",
        "_CMD",
        "WRAPPER",
        "RUNNER",
        "LINKER",
        "STARTUP",
        "LAUNCHER",
        "ASKPASS",
        "OPTIONS",
        "PLUGIN",
        "LOADER",
        "HOOK",
        "COMPILER",
        "INTERPRETER",
    ];
    const ENDS: [&str; 6] = ["_OPTS", "OPT", "FLAGS", "_ARGS", "_RC", "_INIT"];
    let upper;
    let name = if name.bytes().any(|b| b.is_ascii_lowercase()) {
        upper = name.to_ascii_uppercase();
        &*upper
    } else {
        name
    };
    PARTS.iter().any(|p| name.contains(p)) || ENDS.iter().any(|e| name.ends_with(e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_known_by_name_in_any_directory_and_case() {
        for p in
            ["/home/u/.ssh/id_rsa", "/x/.AWS/Credentials", "/etc/shadow", "link/shadow", "/home/u/.netrc"]
        {
            assert!(classes(p).has(Classes::CREDENTIAL), "{p}");
        }
        for p in ["/w/src/shadow.rs", "/w/ssh/x", "/w/aws/credentials.md", "/etc/passwd", "/w/netrc"] {
            assert!(!classes(p).has(Classes::CREDENTIAL), "{p}");
        }
    }

    #[test]
    fn a_wildcard_that_could_be_a_secret_counts() {
        assert!(classes(&format!("/home/u/.aws/cred{SOME}")).has(Classes::CREDENTIAL));
        assert!(classes(&format!("/home/u/.ss{SOME}/id_rsa")).has(Classes::CREDENTIAL));
        assert!(classes(&format!("/w/{SOME}.pem")).has(Classes::SECRET));
        assert!(classes(&format!("/w/.en{SOME}")).has(Classes::SECRET));
        assert!(!classes(&format!("/w/{SOME}.md")).has(Classes::SECRET));
        assert!(!classes(&format!("/w/{SOME}")).has(Classes::SECRET));
        assert!(classes(&format!("{UNKNOWN}/.ssh/config")).has(Classes::CREDENTIAL));
    }

    #[test]
    fn what_could_be_generated_is_not_taken_for_it() {
        for p in [
            format!("src/{SOME}"),
            format!("{SOME}/{SOME}.txt"),
            format!("{SOME}result"),
            format!("{SOME}ild/x"),
        ] {
            assert!(!classes(&p).has(Classes::GENERATED), "{p}");
        }
        for p in [
            format!("build/{SOME}"),
            format!("{SOME}/{SOME}.pyc"),
            "a/target/x".into(),
            "node_modules".into(),
        ] {
            assert!(classes(&p).has(Classes::GENERATED), "{p}");
        }
    }

    #[test]
    fn examples_of_secrets_are_none() {
        assert!(classes("/w/.env").has(Classes::SECRET));
        assert!(classes("/w/.env.production").has(Classes::SECRET));
        assert!(!classes("/w/.env.example").has(Classes::SECRET));
    }

    #[test]
    fn variables_are_found_by_name_and_by_wildcard() {
        assert_eq!(variable("LD_PRELOAD"), Some(Meaning::Inject));
        assert_eq!(variable("GIT_SSH_COMMAND"), Some(Meaning::Code));
        assert_eq!(variable("LC_ALL"), Some(Meaning::Harmless));
        assert_eq!(variable("FOO"), None);
        assert!(sounds_sharp("MY_PAGER_X") && !sounds_sharp("FOO"));
    }

    #[test]
    fn a_value_is_usual_word_by_word_and_in_plain_letters() {
        for (name, value) in [
            ("RUSTFLAGS", "-D warnings"),
            ("RUSTFLAGS", ""),
            ("CFLAGS", "-O2 -Wall -DNDEBUG=1"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("CARGO_PROFILE_RELEASE_LTO", "thin"),
        ] {
            assert!(usual_value(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("RUSTFLAGS", "-D warnings -C linker=./x.sh"),
            ("RUSTFLAGS", "-Clinker=x"),
            ("CFLAGS", "-DX;reboot"),
            ("CFLAGS", "-DX=$(reboot)"),
            ("CFLAGS", "-Wl,-plugin,x.so"),
            ("NODE_OPTIONS", "--max-old-space-size=4096 --require=x"),
            ("PYTHONPATH", ""),
            ("FOO", "1"),
        ] {
            assert!(!usual_value(name, value), "{name}={value}");
        }
        assert!(!usual_value("RUSTFLAGS", &format!("-C {UNKNOWN}")));
    }
}
