//! From a command line to the commands whose output is seen.
//!
//! Which filter fits is all that rests on this, never whether something may run: a wrong guess
//! costs tokens, not safety. Text that is not understood gives no commands, and then the output is
//! only cleaned.

use toolgate_bash::ast::{Command, Compound, List, Part, PartKind, Stage, Word};
use toolgate_bash::{Options, parse};

/// One simple command: the program and its arguments.
pub type Argv = Vec<String>;

/// Commands that print nothing of their own on a good day, so they do not blur whose output it is.
const SILENT: &[&str] = &[
    "cd", "export", "mkdir", "touch", "set", "source", ".", "true", ":", "sleep", "pushd", "popd", "umask",
    "chmod", "unset", "alias", "test", "[", "[[", "wait", "shopt", "ulimit", "trap", "exit", "eval_env",
    "local", "declare", "readonly", "hash", "return", "nvm", "conda", "pyenv", "rbenv", "asdf", "false",
    "kill", "mv", "cp", "rm", "ln", "chown",
];

/// Commands that hand on what they read, whole or in part.
const TRANSPARENT: &[&str] = &["head", "tail", "cat", "tee", "less", "more", "sponge", "unbuffer", "ts"];

/// The commands of a line whose output is shown, wrappers taken off.
///
/// In a pipeline that is the last command that does not merely hand on what it reads.
///
/// ```
/// use toolgate_filter::command::commands;
/// assert_eq!(commands("cd /x && cargo test --lib 2>&1 | tail -60"), [["cargo", "test", "--lib"]]);
/// assert_eq!(commands("npx eslint 'a b'; git status"), [vec!["eslint", "a b"], vec!["git", "status"]]);
/// assert!(commands("echo 'unfinished").is_empty());
/// ```
#[must_use]
pub fn commands(line: &str) -> Vec<Argv> {
    gather(line, 0).unwrap_or_default()
}

fn gather(line: &str, depth: u8) -> Option<Vec<Argv>> {
    if depth > 3 {
        return None;
    }
    let script = parse(line.as_bytes(), &Options::default()).ok()?;
    let mut seen = Seen { source: line, depth, out: Vec::new() };
    seen.list(&script.body)?;
    Some(seen.out)
}

/// Collects the commands whose output is seen.
struct Seen<'s> {
    source: &'s str,
    depth: u8,
    out: Vec<Argv>,
}

impl Seen<'_> {
    fn list(&mut self, list: &List) -> Option<()> {
        for item in &list.items {
            for pipeline in item.pipelines() {
                let transparent = |stage: &Stage| match &stage.command {
                    Command::Simple(simple) => {
                        simple.words.first().is_some_and(|word| TRANSPARENT.contains(&base(&self.text(word))))
                    }
                    _ => false,
                };
                let producer = pipeline.stages.iter().rposition(|stage| !transparent(stage)).unwrap_or(0);
                if let Some(stage) = pipeline.stages.get(producer) {
                    self.command(&stage.command)?;
                }
            }
        }
        Some(())
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match command {
            Command::Simple(simple) => self.simple(simple.words.iter().map(|word| self.text(word)).collect()),
            Command::Compound(compound) => match &compound.kind {
                Compound::Group(list) | Compound::Subshell(list) => self.list(list),
                Compound::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.list(condition)?;
                        self.list(body)?;
                    }
                    otherwise.as_ref().map_or(Some(()), |list| self.list(list))
                }
                Compound::While { condition, body } | Compound::Until { condition, body } => {
                    self.list(condition)?;
                    self.list(body)
                }
                Compound::For { body, .. }
                | Compound::ArithmeticFor { body, .. }
                | Compound::Select { body, .. } => self.list(body),
                Compound::Case { arms, .. } => arms.iter().try_for_each(|arm| self.list(&arm.body)),
                Compound::Condition(_) | Compound::Arithmetic(_) => Some(()),
            },
            // What a function prints is seen where it is called, and that is not followed.
            Command::Function(_) => None,
            Command::Coproc(_) => Some(()),
        }
    }

    fn simple(&mut self, argv: Argv) -> Option<()> {
        let argv = unwrap(argv);
        let Some(program) = argv.first().map(|p| base(p)) else { return Some(()) };
        if matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh")
            && let Some(at) =
                argv.iter().position(|a| a.starts_with('-') && !a.starts_with("--") && a.ends_with('c'))
            && let Some(script) = argv.get(at + 1)
        {
            self.out.extend(gather(script, self.depth + 1)?);
        } else if !SILENT.contains(&program) {
            self.out.push(argv);
        }
        Some(())
    }

    /// The word without its quotes where it needs no expansion, else as it was written.
    fn text(&self, word: &Word) -> String {
        let mut out = Vec::new();
        if plain(&word.parts, &mut out) {
            return String::from_utf8_lossy(&out).into_owned();
        }
        self.source.get(word.span.start as usize..word.span.end as usize).unwrap_or_default().to_owned()
    }
}

fn plain(parts: &[Part], out: &mut Vec<u8>) -> bool {
    parts.iter().all(|part| {
        match &part.kind {
            PartKind::Literal(literal) => out.extend_from_slice(&literal.text),
            PartKind::Escaped(byte) => out.push(*byte),
            PartKind::SingleQuoted(text) => out.extend_from_slice(text),
            PartKind::DoubleQuoted(inner) => return plain(inner, out),
            _ => return false,
        }
        true
    })
}

/// Name of a program without its folder.
pub(crate) fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name)
}

/// Takes off what only starts another command: `sudo`, `env`, `npx`, `uv run`, `docker exec` …
fn unwrap(mut argv: Argv) -> Argv {
    for _ in 0..8 {
        while argv.first().is_some_and(|word| is_assignment(word)) {
            argv.remove(0);
        }
        let Some(program) = argv.first().map(|p| base(p).to_owned()) else { return argv };
        let second = argv.get(1).map(String::as_str).unwrap_or_default();
        let third = argv.get(2).map(String::as_str).unwrap_or_default();
        // How many words before the options of the wrapper, and which of its options take a value.
        let (skip, valued): (usize, &[&str]) = match program.as_str() {
            "sudo" | "doas" => (1, &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T"]),
            "env" => (1, &["-u", "-C", "-S"]),
            "time" | "nohup" | "command" | "exec" | "builtin" | "setsid" | "unbuffer" | "chronic"
            | "catchsegv" => (1, &["-f", "-o"]),
            "nice" | "ionice" | "chrt" => (1, &["-n", "-c", "-p"]),
            "stdbuf" => (1, &["-i", "-o", "-e"]),
            "timeout" => (1, &["-k", "-s"]),
            "npx" | "bunx" | "pnpx" => (1, &["-p", "--package", "-c"]),
            "xvfb-run" => (1, &["-s", "-n"]),
            "winpty" | "rtx" | "direnv" if second == "exec" => (3, &[]),
            "pnpm" | "yarn" | "npm" | "bun" if matches!(second, "exec" | "dlx" | "x") => {
                (2, &["-p", "--package", "-w"])
            }
            "uv" | "poetry" | "pdm" | "rye" | "hatch" | "pipenv" | "pixi" if second == "run" => {
                (2, &["--with", "--python", "-p", "--extra", "--group", "--package", "--project"])
            }
            "bundle" | "opam" | "mise" if second == "exec" => (2, &["--switch"]),
            "docker" | "podman" if second == "exec" => {
                (2, &["-e", "-u", "-w", "--env", "--user", "--workdir"])
            }
            "docker" | "podman" if second == "compose" && matches!(third, "exec" | "run") => {
                (3, &["-e", "-u", "-w", "--env", "--user", "--workdir", "--name"])
            }
            "docker-compose" if matches!(second, "exec" | "run") => {
                (2, &["-e", "-u", "-w", "--env", "--user", "--workdir"])
            }
            "kubectl" | "oc" if second == "exec" => match argv.iter().position(|a| a == "--") {
                Some(at) => (at + 1, &[]),
                None => return argv,
            },
            "python" | "python3" | "py" if second == "-m" && !third.is_empty() => (2, &[]),
            p if p.starts_with("python3.") && second == "-m" && !third.is_empty() => (2, &[]),
            _ => return argv,
        };
        let mut at = skip;
        while let Some(word) = argv.get(at) {
            if word == "--" {
                at += 1;
                break;
            }
            if valued.contains(&word.as_str()) {
                at += 2;
            } else if word.starts_with('-') || is_assignment(word) {
                at += 1;
            } else {
                break;
            }
        }
        // `timeout 30 cmd`; `docker exec <container> cmd`; `docker compose exec <service> cmd`.
        if program == "timeout" || matches!(program.as_str(), "docker" | "podman" | "docker-compose") {
            at += 1;
        }
        if at >= argv.len() {
            return argv;
        }
        argv.drain(..at);
    }
    argv
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// First argument that is not an option, past options that take a value.
pub(crate) fn subcommand(argv: &[String]) -> Option<&str> {
    let program = base(argv.first()?);
    let valued: &[&str] = match program {
        "git" => &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"],
        "cargo" => &["-C", "--config", "--color", "-Z", "--manifest-path", "--target-dir"],
        "docker" | "podman" => &["-H", "--host", "--context", "-c", "--config", "-l", "--log-level"],
        "kubectl" | "oc" | "helm" => {
            &["-n", "--namespace", "--context", "--kubeconfig", "--cluster", "-s", "--kube-context"]
        }
        "npm" | "pnpm" | "yarn" | "bun" => {
            &["--prefix", "-w", "--workspace", "-C", "--dir", "--cwd", "--filter", "-F"]
        }
        "aws" | "gcloud" | "az" => {
            &["--profile", "--region", "--output", "--project", "--endpoint-url", "--query"]
        }
        "go" => &["-C"],
        "gradle" | "gradlew" => &["-p", "-b", "-c", "-x", "--project-dir"],
        "mvn" | "mvnw" => &["-f", "-pl", "-P", "-s", "-T"],
        "systemctl" | "journalctl" => &["-M", "-H", "-u", "-n"],
        "gh" => &["-R", "--repo"],
        _ => &[],
    };
    let mut rest = argv.iter().skip(1);
    while let Some(word) = rest.next() {
        if valued.contains(&word.as_str()) {
            rest.next();
        } else if !(word.starts_with('-') || word.starts_with('+')) {
            return Some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(line: &str) -> Vec<String> {
        commands(line).into_iter().map(|argv| argv.join(" ")).collect()
    }

    #[test]
    fn the_command_whose_output_is_seen_is_found() {
        for (line, want) in [
            ("cargo test", vec!["cargo test"]),
            ("cd /p && cargo clippy -- -D warnings 2>&1", vec!["cargo clippy -- -D warnings"]),
            ("cargo test 2>&1 | tee log | tail -n 50", vec!["cargo test"]),
            ("cargo test | grep FAILED", vec!["grep FAILED"]),
            ("cat app.log", vec!["cat app.log"]),
            ("cat app.log | head -5", vec!["cat app.log"]),
            ("git status; git diff", vec!["git status", "git diff"]),
            ("RUST_BACKTRACE=1 cargo run", vec!["cargo run"]),
            ("sudo -u app env X=1 timeout 30 npx jest a", vec!["jest a"]),
            ("python -m pytest -v t", vec!["pytest -v t"]),
            ("python3.12 -m pip install x", vec!["pip install x"]),
            ("uv run --with x pytest", vec!["pytest"]),
            ("uv sync", vec!["uv sync"]),
            ("uv --version", vec!["uv --version"]),
            ("docker exec -it web phpunit --testdox", vec!["phpunit --testdox"]),
            ("docker compose run --rm web rspec", vec!["rspec"]),
            ("docker build .", vec!["docker build ."]),
            ("kubectl exec -n x pod -- pytest", vec!["pytest"]),
            ("bash -lc 'cargo test && git diff'", vec!["cargo test", "git diff"]),
            ("for i in 1 2; do go test ./...; done", vec!["go test ./..."]),
            ("if make; then echo ok; fi", vec!["make", "echo ok"]),
            ("cat <<EOF\ncargo test\nEOF\ngit log", vec!["cat", "git log"]),
            ("make 2> err.txt", vec!["make"]),
            ("make > out.txt 2>&1", vec!["make"]),
            ("./node_modules/.bin/tsc -p .", vec!["./node_modules/.bin/tsc -p ."]),
            ("echo \"a && b\"", vec!["echo a && b"]),
            ("# only a note\ngit push", vec!["git push"]),
            ("diff <(sort a) <(sort b)", vec!["diff <(sort a) <(sort b)"]),
            ("(cd a && make) | tee log", vec!["make"]),
            ("while ! curl -s x; do sleep 1; done", vec!["curl -s x"]),
            ("pytest \"$dir/a b\"", vec!["pytest \"$dir/a b\""]),
            ("git log | { head -5; }", vec!["head -5"]),
        ] {
            assert_eq!(joined(line), want, "{line}");
        }
    }

    #[test]
    fn text_that_is_not_understood_gives_nothing() {
        for line in ["echo 'open", "echo \"open", "echo `open", "x=$(open", "f() { make; }; f", "if then fi"]
        {
            assert!(commands(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn subcommands_are_found_past_options() {
        let of = |line: &str| commands(line).first().and_then(|a| subcommand(a).map(str::to_owned));
        assert_eq!(of("git -C /x -c a=b --no-pager status -s").as_deref(), Some("status"));
        assert_eq!(of("cargo +nightly --color always test").as_deref(), Some("test"));
        assert_eq!(of("kubectl -n web get pods").as_deref(), Some("get"));
        assert_eq!(of("ls -la"), None);
    }

    proptest::proptest! {
        #[test]
        fn splitting_never_panics(line in "[ -~\\n]{0,80}") {
            let _ = commands(&line);
        }
    }
}
