//! Really runs scripts whose commands are stubs, and tells which of them ran.
//!
//! Bash runs in a directory that holds nothing but itself (a `chroot` in namespaces of its own, without
//! network and other processes), so a script can do no harm even if it is not the one that was meant.

use super::bash::Scratch;
use super::scripts::STUBS;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Gets scripts, each ending in a NUL, and runs each in a subshell. A line of what it writes is the number
/// of a script and the name of a command that ran.
///
/// Commands that do not exist are noted by name, and so are builtins that a text may well hold.
const DRIVER: &str = r#"
exec 3>&1 >/dev/null 2>&1
PATH=/nowhere FUNCNEST=20
note() {
  builtin printf '%s %s\n' "$RUN" "${1//[$'\n ']/_}" >&3
  ((++notes < 50)) || builtin exit
}
for ((stub = 0; stub < STUBS; stub++)); do
  builtin eval "k$stub() { note k$stub; builtin return $((stub & 1)); }"
done
for stub in cnA cnB cnC; do builtin eval "$stub() { note $stub; }"; done
for stub in echo : true printf test [; do
  builtin eval "$stub() { note '$stub'; builtin $stub \"\$@\"; }"
done
command_not_found_handle() { note "$1"; builtin return 1; }
builtin mapfile -d '' -t texts
for ((number = 0; number < ${#texts[@]}; number++)); do
  (builtin ulimit -t 1; RUN=$number; n=0; builtin eval -- "${texts[number]}") </dev/null
done
"#;

/// Gets scripts as above, and prints each as bash prints the body of a function. A script that it does not
/// accept gives nothing. Each ends in a NUL.
const PRINTER: &str = r#"
exec 3>&1 >/dev/null 2>&1
builtin mapfile -d '' -t texts
for text in "${texts[@]}"; do
  (builtin eval "f() {"$'\n'"$text"$'\n'"}" && builtin declare -f f >&3) </dev/null
  builtin printf '\0' >&3
done
"#;

/// A place where scripts are run.
pub struct Cage {
    root: Scratch,
    /// Whether bash runs in the root alone. If not, only text that is known to be harmless may be run.
    pub isolated: bool,
    bash: PathBuf,
}

impl Cage {
    pub fn new(bash: &Path) -> Self {
        let root = Scratch::new("canary");
        let mut cage = Cage { root, isolated: true, bash: bash.to_owned() };
        cage.isolated = cage.furnish().is_some() && cage.run(&["k7".into()]) == Some(vec![vec!["k7".into()]]);
        println!(
            "canaries run {}",
            if cage.isolated { "in a root of their own" } else { "without isolation" }
        );
        cage
    }

    /// Copies bash and its libraries into the root.
    fn furnish(&self) -> Option<()> {
        let output = Command::new("ldd").arg(&self.bash).output().ok()?;
        let listing = String::from_utf8_lossy(&output.stdout).into_owned();
        let libraries = listing.split_whitespace().filter(|word| word.starts_with('/'));
        for file in libraries {
            let place = self.root.path().join(file.trim_start_matches('/'));
            fs::create_dir_all(place.parent()?).ok()?;
            fs::copy(file, place).ok()?;
        }
        for folder in ["bin", "dev", "tmp", "w"] {
            fs::create_dir_all(self.root.path().join(folder)).ok()?;
        }
        fs::write(self.root.path().join("dev/null"), "").ok()?;
        fs::copy(&self.bash, self.root.path().join("bin/bash")).ok()?;
        Some(())
    }

    /// The names of the commands that each script ran, in order; `None` if they did not end in time.
    pub fn run(&self, scripts: &[String]) -> Option<Vec<Vec<String>>> {
        let output = self.drive(&DRIVER.replace("STUBS", &STUBS.to_string()), scripts)?;
        let mut ran = vec![Vec::new(); scripts.len()];
        for line in String::from_utf8_lossy(&output).lines() {
            if let Some((number, name)) = line.split_once(' ')
                && let Some(names) = number.parse().ok().and_then(|number: usize| ran.get_mut(number))
            {
                names.push(name.to_owned());
            }
        }
        Some(ran)
    }

    /// A function with the script as its body, as bash prints it; empty if bash does not accept it.
    pub fn reprint(&self, scripts: &[String]) -> Option<Vec<String>> {
        let output = self.drive(PRINTER, scripts)?;
        let texts: Vec<_> =
            output.split(|&byte| byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        (texts.len() == scripts.len() + 1).then_some(texts)
    }

    fn drive(&self, driver: &str, scripts: &[String]) -> Option<Vec<u8>> {
        let mut child = self.command(driver).spawn().ok()?;
        let mut input = Vec::new();
        for script in scripts {
            input.extend_from_slice(script.as_bytes());
            input.push(0);
        }
        let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
        // A driver that ends early closes the pipe.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let (sender, receiver) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut output = Vec::new();
            let _ = stdout.read_to_end(&mut output);
            let _ = sender.send(output);
        });
        let limit = Duration::from_secs(5 + scripts.len() as u64 / 8);
        let output = receiver.recv_timeout(limit).ok();
        // With it goes all that runs in its namespaces.
        let _ = child.kill();
        let _ = child.wait();
        let _ = writer.join();
        let _ = reader.join();
        output
    }

    fn command(&self, driver: &str) -> Command {
        let mut command = if self.isolated {
            let mut command = Command::new("unshare");
            command.args(["-r", "-n", "-p", "-i", "-u", "-m", "-f", "--kill-child", "chroot"]);
            command.arg(self.root.path()).arg("/bin/bash");
            command
        } else {
            Command::new(&self.bash)
        };
        let limits = "ulimit -v 1000000 -f 1000 -c 0; cd /w 2>/dev/null;";
        command.args(["--norc", "--noprofile", "-c", &format!("{limits}{driver}")]);
        // `kill -USR1 0` reaches a group across process namespaces: it must not be the tests' own.
        command.current_dir(self.root.path()).env_clear().env("LC_ALL", "C.UTF-8").process_group(0);
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }
}
