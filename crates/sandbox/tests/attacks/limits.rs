//! Using too much: time, memory, processes, disk.

use std::time::Duration;

use toolgate_sandbox::{Errno, Level, Limit, Sandbox, Stage, Status};

use super::ground::{everyone, has, on};

#[test]
fn time_on_the_clock_ends() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.wall = Some(Duration::from_millis(200));
        // A child that left the session and holds the pipe must not hold us.
        let ran = ground.run_under(policy, "trap '' TERM INT; setsid sleep 1000 & sleep 1000");
        assert_eq!((ran.exit.limit, ran.exit.status), (Some(Limit::Wall), Status::Signal(libc::SIGKILL)));
    });
}

#[test]
fn the_end_of_the_program_is_the_end() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.wall = Some(Duration::from_secs(100));
        let ran = ground.run_under(policy, "(sleep 1000 &); exit 3");
        assert_eq!((ran.exit.limit, ran.exit.status), (None, Status::Code(3)));
    });
}

#[test]
fn processor_time_ends() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.cpu = Some(Duration::from_millis(100));
        // Spread over short-lived children, so that no single one comes near the limit.
        let ran =
            ground.run_under(policy.clone(), "while :; do (for i in 1 2 3 4 5 6 7 8 9; do :; done); done");
        assert_eq!(ran.exit.limit, Some(Limit::Cpu), "{ran:?}");
        // One that spends it alone is ended for the same reason, by whoever sees it first.
        policy.limits.cpu = Some(Duration::from_secs(1));
        let ran = ground.run_under(policy.clone(), "while :; do :; done");
        assert_eq!(ran.exit.limit, Some(Limit::Cpu), "{ran:?}");
        // Where nobody can watch, the kernel does, for each process.
        policy.limits.cpu = Some(Duration::from_millis(100));
        policy.least = Level::Landlock;
        let bare = on(policy, |machine| {
            machine.namespaces_refused = Some((Stage::Namespaces, Errno(libc::EPERM)));
        });
        let ran = ground.run_in(&bare.unwrap(), ["bash", "-c", "while :; do :; done"]);
        assert_eq!((ran.enforcement.level, ran.exit.limit), (Level::Landlock, Some(Limit::Cpu)), "{ran:?}");
    });
}

#[test]
fn a_memory_bomb_ends_with_its_reason() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.memory = Some(96 << 20);
        // Four together break the limit, none alone does.
        let program = "
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20) * 40)
        time.sleep(1000)
os.wait()";
        let ran = ground.run_in(&Sandbox::new(policy.clone()).unwrap(), ["/usr/bin/python3", "-c", program]);
        assert_eq!(
            (ran.exit.limit, ran.exit.status),
            (Some(Limit::Memory), Status::Signal(libc::SIGKILL)),
            "{ran:?}"
        );
        // One that grows faster than anyone looks runs into the wall behind.
        let fast = "
try:
    held = bytearray(1 << 34)
    print('GOT IT')
except MemoryError:
    print('refused')";
        ground.run_in(&Sandbox::new(policy).unwrap(), ["/usr/bin/python3", "-c", fast]).never_says("GOT IT");
    });
}

#[test]
fn shared_pages_are_counted_once() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.memory = Some(160 << 20);
        let program = "
import os, time
held = bytearray(os.urandom(1 << 20) * 60)
children = []
for _ in range(6):
    pid = os.fork()
    if pid == 0:
        time.sleep(0.5)
        os._exit(0)
    children.append(pid)
for pid in children:
    assert os.waitpid(pid, 0)[1] == 0
print('done')";
        ground.run_in(&Sandbox::new(policy).unwrap(), ["/usr/bin/python3", "-c", program]).ok();
    });
}

#[test]
fn node_and_java_start_under_a_memory_limit() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.memory = Some(1 << 30);
        if has("node") {
            let script = "node -e 'WebAssembly.compile(new Uint8Array([0,97,115,109,1,0,0,0])).then(() => console.log(42))'";
            ground.run_under(policy.clone(), script).says("42");
        }
        if has("java") {
            ground.run_under(policy, "java -version").says("ersion");
        }
    });
}

#[test]
fn a_fork_bomb_ends_and_the_host_can_still_fork() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.processes = Some(60);
        let ran = ground.run_under(policy.clone(), "bomb() { bomb | bomb & }; bomb; sleep 1000");
        assert_eq!(ran.exit.limit, Some(Limit::Processes), "{:?} {:?}", ran.exit, ran.enforcement);
        // The number is a bound and not only a trigger: pids run out at some hundred.
        let program = "
import os, time
made = 0
try:
    for _ in range(5000):
        if os.fork() == 0:
            time.sleep(1000)
            os._exit(0)
        made += 1
except OSError as error:
    print('stopped', error.errno)
print('made', made, made < 1000)";
        policy.limits.processes = Some(200);
        let largest = || std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
        let of_the_host = largest();
        let inside = ground.run_under(policy.clone(), "cat /proc/sys/kernel/pid_max");
        let ran = ground.run_in(&Sandbox::new(policy).unwrap(), ["/usr/bin/python3", "-u", "-c", program]);
        assert!(ran.exit.limit == Some(Limit::Processes) || ran.text.contains("True"), "{ran:?}");
        // Where the kernel has one largest number for the whole machine, that is nobody's to set, root's
        // commands included; then it is said that there is a watch and no bound.
        let bounded = inside.ok() == "501\n";
        let missing = ran.enforcement.missing.iter().any(|missing| missing.code() == "process-limit");
        assert_eq!(missing, !bounded, "{ran:?}");
        assert_eq!(largest(), of_the_host);
    });
}

#[test]
fn private_directories_fill_up_by_themselves() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.scratch = Some(8 << 20);
        policy.limits.scratch_files = Some(200);
        let ran = ground.run_under(
            policy,
            "head -c 20M /dev/zero > /tmp/a; head -c 20M /dev/zero > /dev/shm/b; head -c 20M /dev/zero > /run/user/$(id -u)/c
             rm -f /tmp/a; for i in $(seq 300); do : > /tmp/$i || break; done; echo $i",
        );
        ran.says("No space left on device").never_says("300\n");
    });
}

#[test]
fn a_file_larger_than_allowed_ends_the_program() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.file_size = Some(1 << 20);
        let ran = ground.run_under(policy, "exec head -c 10M /dev/zero > big");
        assert_eq!(ran.exit.limit, Some(Limit::FileSize), "{ran:?}");
        assert_eq!(std::fs::metadata(ground.path("work/big")).unwrap().len(), 1 << 20);
    });
}

#[test]
fn open_files_and_cores_are_bounded() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.open_files = Some(64);
        let ran = ground.run_under(policy, "ulimit -n; ulimit -Hn; ulimit -c; ulimit -Hc; ulimit -n 100");
        ran.says("64\n64\n0\n0\n");
    });
}

#[test]
fn usage_is_told() {
    everyone(|ground| {
        let ran = ground.run_in(
            &Sandbox::new(ground.policy()).unwrap(),
            ["/usr/bin/python3", "-c", "x = bytearray(50 << 20)\nfor i in range(3000000): pass"],
        );
        ran.ok();
        assert!(ran.exit.largest > 50 << 20 && ran.exit.user > Duration::ZERO, "{ran:?}");
    });
}

/// The hierarchy here has no memory controller to delegate, so this is about being born in a group,
/// being told nothing is missing, and leaving none behind.
#[test]
fn a_control_group_is_used_and_removed() {
    let Some(parent) = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
        .into_iter()
        .map(std::path::Path::new)
        .find(|path| path.join("cgroup.procs").exists() && path.join("cgroup.controllers").exists())
    else {
        println!("skipped: no version 2 hierarchy");
        return;
    };
    let ground = super::ground::Ground::new();
    let groups = || {
        std::fs::read_dir(parent)
            .unwrap()
            .flatten()
            .filter(|e| e.file_name().to_string_lossy().starts_with("toolgate-"))
            .count()
    };
    let mut policy = ground.policy();
    policy.limits = toolgate_sandbox::Limits::none();
    let sandbox = Sandbox::new(policy).unwrap().in_cgroup(parent);
    let ran = ground.run_in(&sandbox, ["bash", "-c", "setsid sleep 1000 & cat /proc/self/cgroup"]);
    if super::ground::is_root() {
        ran.says("0::/toolgate-");
    }
    ran.ok();
    assert_eq!(groups(), 0);
    let (mut child, _output) = ground.start(&sandbox, "sleep 1000");
    child.kill();
    drop(child);
    assert_eq!(groups(), 0);
}

/// Few machines that run tests delegate memory and process numbers; where one does, this is the proof.
#[test]
fn a_delegated_group_bounds_what_nobody_can_watch() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.limits.memory = Some(96 << 20);
        policy.limits.processes = Some(60);
        let ran = ground.run_under(policy.clone(), "cat /proc/self/cgroup");
        let own = ran.text.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or_default().to_owned();
        if !own.contains("/toolgate-") {
            println!("skipped: no control group is delegated to us");
            return;
        }
        println!("delegated: {own}");
        assert!(ran.enforcement.missing.is_empty(), "{:?}", ran.enforcement);
        // A file in memory belongs to no process that could be looked at.
        let ran = ground.run_under(policy.clone(), "head -c 300M /dev/zero > /tmp/held; echo GOT IT");
        ran.never_says("GOT IT");
        assert_eq!(
            (ran.exit.limit, ran.exit.status),
            (Some(Limit::Memory), Status::Signal(libc::SIGKILL)),
            "{ran:?}"
        );
        // What forks slowly is told of like what forks quickly.
        let ran = ground.run_under(policy.clone(), "for i in $(seq 100); do sleep 1000 & done; wait");
        assert_eq!(ran.exit.limit, Some(Limit::Processes), "{ran:?}");
        let ran = ground.run_under(policy, "bomb() { bomb | bomb & }; bomb; sleep 1000");
        assert_eq!(ran.exit.limit, Some(Limit::Processes), "{ran:?}");
        let parent = std::path::Path::new("/sys/fs/cgroup").join(own.trim_start_matches('/'));
        if let Some(parent) = parent.parent().filter(|parent| parent.is_dir()) {
            let left = std::fs::read_dir(parent).unwrap().flatten();
            let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("toolgate-"));
            assert_eq!(left.count(), 0);
        }
    });
}
