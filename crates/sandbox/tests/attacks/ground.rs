//! Where the attacks take place: a home, a workspace, and two users to be.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use toolgate_sandbox::{Child, Command, Enforcement, Error, Exit, Io, Machine, Policy, Sandbox, Status};

/// Set in the second run of a scenario: where it may make its directories.
const BASE: &str = "TOOLGATE_ATTACK_BASE";
const NOBODY: u32 = 65534;

/// Runs a scenario as whoever runs the tests, and if that is root, as nobody too.
pub(crate) fn everyone(scenario: fn(&Ground)) {
    scenario(&Ground::new());
    if is_root() && std::env::var_os(BASE).is_none() {
        as_nobody();
    }
}

/// Whether the scenario is run by root.
pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// This test's own executable, where everybody can read it.
pub(crate) struct Copy(pub(crate) PathBuf);

impl Copy {
    pub(crate) fn new() -> Self {
        let directory = fresh(&std::env::temp_dir());
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        let own = std::env::current_exe().unwrap();
        let copy = directory.join("attacks");
        if fs::hard_link(&own, &copy).is_err() {
            fs::copy(&own, &copy).unwrap();
        }
        Self(copy)
    }

    /// Runs one test of it in another surrounding; `through` is a command line that ends in it.
    pub(crate) fn again(&self, through: &[&str], base: &Path) -> std::process::Command {
        let name = std::thread::current().name().unwrap().to_owned();
        let mut words = through.iter().map(OsString::from).collect::<Vec<_>>();
        words.push(self.0.clone().into());
        words.extend(["--exact", &name, "--nocapture", "--test-threads=1"].map(OsString::from));
        let mut again = std::process::Command::new(&words[0]);
        again.args(&words[1..]).env(BASE, base).current_dir("/");
        again
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        fs::remove_dir_all(self.0.parent().unwrap()).ok();
    }
}

fn as_nobody() {
    let copy = Copy::new();
    let base = fresh(&bases());
    std::os::unix::fs::chown(&base, Some(NOBODY), Some(NOBODY)).unwrap();
    let output = copy.again(&[], &base).uid(NOBODY).gid(NOBODY).env("HOME", &base).output().unwrap();
    fs::remove_dir_all(&base).ok();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "as nobody:\n{}\n{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("1 passed"), "the scenario didn't run as nobody");
}

/// A directory everybody can reach that is not private inside the boundary.
fn bases() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let reachable = target
        .ancestors()
        .all(|path| fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o005 == 0o005));
    if reachable { target } else { PathBuf::from("/var/tmp") }
}

/// Makes a directory that nobody else has, not even who has our number in another process namespace.
fn fresh(below: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = below.join(format!("attack-{}-{number}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => return path,
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{}", path.display()),
        }
    }
}

/// A process outside, with the environment of this one and a number that none inside has: in a young process
/// namespace, ours could be one of theirs.
pub(crate) struct Outsider(std::process::Child);

impl Outsider {
    pub(crate) fn new() -> Self {
        loop {
            let sleeper = Self(std::process::Command::new("sleep").arg("1000").spawn().unwrap());
            if sleeper.id() > 100 {
                return sleeper;
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Whether nobody ended it.
    pub(crate) fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Outsider {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A home with secrets and a workspace in it.
pub(crate) struct Ground {
    pub(crate) home: PathBuf,
    pub(crate) workspace: PathBuf,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self::below(&std::env::var_os(BASE).map_or_else(bases, PathBuf::from))
    }

    pub(crate) fn below(base: &Path) -> Self {
        let home = fs::canonicalize(fresh(base)).unwrap();
        fs::create_dir(home.join("work")).unwrap();
        let ground = Self { workspace: home.join("work"), home };
        ground.write("home/.ssh/id_ed25519", "SECRETKEY\n");
        ground.write("home/.bash_history", "SECRETKEY\n");
        ground.write("home/notes", "as it was\n");
        ground
    }

    /// Writes a file: `home/…` or `work/…`.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match name.split_once('/') {
            Some(("home", rest)) => self.home.join(rest),
            Some(("work", rest)) => self.workspace.join(rest),
            _ => panic!("{name} is neither in home nor in work"),
        }
    }

    pub(crate) fn policy(&self) -> Policy {
        let mut policy = Policy::workspace_write(&self.home, &self.workspace);
        // A hole must end in a failed test and not in a test that never ends.
        policy.limits.wall = Some(std::time::Duration::from_secs(60));
        policy
    }

    /// Runs a shell script in the workspace under the usual policy.
    pub(crate) fn run(&self, script: &str) -> Ran {
        self.run_under(self.policy(), script)
    }

    /// Runs a shell script in the workspace under a policy.
    pub(crate) fn run_under(&self, policy: Policy, script: &str) -> Ran {
        self.run_in(&Sandbox::new(policy).unwrap(), ["bash", "-c", script])
    }

    /// Runs a python program in the workspace under the usual policy.
    pub(crate) fn python(&self, program: &str) -> Ran {
        self.run_in(&Sandbox::new(self.policy()).unwrap(), ["/usr/bin/python3", "-c", program])
    }

    /// Runs a command in the workspace.
    pub(crate) fn run_in<S: AsRef<OsStr>>(
        &self,
        sandbox: &Sandbox,
        argv: impl IntoIterator<Item = S>,
    ) -> Ran {
        let (command, output) = self.command(argv);
        finish(sandbox.spawn(command).unwrap(), output)
    }

    /// Starts a shell script and gives the running command and its output.
    pub(crate) fn start(&self, sandbox: &Sandbox, script: &str) -> (Child, std::io::PipeReader) {
        let (command, output) = self.command(["bash", "-c", script]);
        (sandbox.spawn(command).unwrap(), output)
    }

    /// A command in the workspace whose output and errors go to one pipe.
    pub(crate) fn command<S: AsRef<OsStr>>(
        &self,
        argv: impl IntoIterator<Item = S>,
    ) -> (Command, std::io::PipeReader) {
        let (reader, writer) = std::io::pipe().unwrap();
        let stderr: OwnedFd = writer.try_clone().unwrap().into();
        let io = Io::Files { stdin: null(), stdout: writer.into(), stderr };
        let env = [
            ("PATH".into(), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into()),
            ("HOME".into(), self.home.clone().into()),
            ("LANG".into(), "C".into()),
        ];
        (Command::new(argv, &self.workspace, io).env(env), reader)
    }

    /// Everything below the home: names, kinds, modes and contents.
    pub(crate) fn snapshot(&self) -> Vec<String> {
        let mut list = Vec::new();
        walk(&self.home, &mut list);
        list.sort();
        list
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.home).ok();
    }
}

fn walk(directory: &Path, list: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let (path, meta) = (entry.path(), entry.metadata().unwrap());
        let content = if meta.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        list.push(format!("{} {:o} {content:?}", path.display(), meta.permissions().mode()));
        if meta.is_dir() {
            walk(&path, list);
        }
    }
}

pub(crate) fn null() -> OwnedFd {
    fs::OpenOptions::new().read(true).write(true).open("/dev/null").unwrap().into()
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) text: String,
    pub(crate) exit: Exit,
    pub(crate) enforcement: Enforcement,
}

impl Ran {
    /// The output of a command that must have ended well.
    #[track_caller]
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.exit.status, Status::Code(0), "{self:?}");
        &self.text
    }

    #[track_caller]
    pub(crate) fn says(&self, what: &str) -> &Self {
        assert!(self.text.contains(what), "no {what:?} in {self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn never_says(&self, what: &str) -> &Self {
        assert!(!self.text.contains(what), "{what:?} in {self:?}");
        self
    }
}

/// Reads the output of a command and waits for its end.
pub(crate) fn finish(mut child: Child, mut output: std::io::PipeReader) -> Ran {
    let mut text = Vec::new();
    output.read_to_end(&mut text).unwrap();
    let exit = child.wait().unwrap();
    let enforcement = child.enforcement().clone();
    Ran { text: String::from_utf8_lossy(&text).into_owned(), exit, enforcement }
}

/// The policy on a machine that lacks something.
pub(crate) fn on(policy: Policy, change: impl FnOnce(&mut Machine)) -> Result<Sandbox, Error> {
    let mut machine = Machine::look();
    change(&mut machine);
    Sandbox::on(policy, machine)
}

/// Whether a program is there.
pub(crate) fn has(program: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .any(|directory| Path::new(directory).join(program).exists())
}
