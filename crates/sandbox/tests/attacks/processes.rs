//! Outliving the command, and reaching other processes.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::process::Stdio;

use toolgate_sandbox::{Level, Sandbox, Status};

use super::ground::{Copy, Ground, Outsider, everyone, on};

/// Leaves children behind in every way there is, then says so.
const LEAVE: &str = "
trap '' TERM HUP INT
for i in $(seq 12); do
    setsid sleep 1000.25 & nohup sleep 1000.25 > /dev/null & (setsid bash -c 'trap \"\" TERM; sleep 1000.25 & wait' &)
done
echo left";

/// Processes of the host whose command line holds a text.
fn living(text: &str) -> usize {
    let holds = |entry: &std::fs::DirEntry| {
        let path = entry.path();
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(text)
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .filter(holds)
        .count()
}

/// A marker nobody else's processes have.
fn marker() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("1{}.{}5", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

#[test]
fn nothing_outlives_the_program() {
    everyone(|ground| {
        let marker = marker();
        let ran = ground.run(&LEAVE.replace("1000.25", &marker));
        ran.says("left");
        assert_eq!(living(&marker), 0);
    });
}

#[test]
fn nothing_outlives_a_kill() {
    everyone(|ground| {
        let marker = marker();
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let script = LEAVE.replace("1000.25", &marker) + "; sleep 1000";
        let (mut child, output) = ground.start(&sandbox, &script);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "left\n");
        assert!(living(&marker) >= 24);
        child.kill();
        assert_eq!(living(&marker), 0);
        assert_eq!(child.wait().unwrap().status, Status::Killed);
    });
}

#[test]
fn all_of_it_is_asked_to_end() {
    everyone(|ground| {
        // One that is stopped, one of another session, and the program itself say goodbye.
        let stopped = "bash -c 'trap \"echo stopped; exit\" TERM; kill -STOP $$; while :; do :; done' &
            until read -r _ _ state _ < /proc/$!/stat && [ $state = T ]; do :; done; echo ready;";
        let session = "setsid bash -c 'trap \"echo session; exit\" TERM; echo ready; while :; do :; done' &";
        let program = "trap 'echo program; wait; exit 7' TERM; echo ready; while :; do wait; done";
        let ask = |sandbox: Sandbox, script: String, count: usize| {
            let (mut child, output) = ground.start(&sandbox, &script);
            let mut lines = BufReader::new(output).lines().map(Result::unwrap);
            assert!(lines.by_ref().take(count).all(|line| line == "ready"));
            child.terminate();
            assert_eq!(child.wait().unwrap().status, Status::Code(7));
            let mut said: Vec<String> = lines.collect();
            said.sort();
            said
        };
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let said = ask(sandbox, format!("{stopped} {session} {program}"), 3);
        assert_eq!(said, ["program", "session", "stopped"]);

        // Without namespaces who left the group is only killed.
        let mut policy = ground.policy();
        policy.least = Level::Landlock;
        let bare = on(policy, |machine| {
            machine.namespaces_refused =
                Some((toolgate_sandbox::Stage::Namespaces, toolgate_sandbox::Errno(libc::EPERM)));
        });
        assert_eq!(ask(bare.unwrap(), format!("{stopped} {program}"), 2), ["program", "stopped"]);
    });
}

#[test]
fn nothing_outlives_a_dropped_handle() {
    everyone(|ground| {
        let marker = marker();
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let (child, output) = ground.start(&sandbox, &(LEAVE.replace("1000.25", &marker) + "; sleep 1000"));
        BufReader::new(output).read_line(&mut String::new()).unwrap();
        drop(child);
        assert_eq!(living(&marker), 0);
    });
}

#[test]
fn nothing_outlives_its_caller_even_killed() {
    const INSIDE: &str = "TOOLGATE_ATTACK_CALLER";
    if let Some(marker) = std::env::var_os(INSIDE) {
        let ground = Ground::new();
        // With a helper, whose end or life must make no difference.
        toolgate_sandbox::init();
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let script = LEAVE.replace("1000.25", marker.to_str().unwrap()) + "; sleep 1000";
        let (child, output) = ground.start(&sandbox, &script);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        println!("started");
        std::mem::forget(child);
        std::thread::park();
    }
    everyone(|ground| {
        let marker = marker();
        let copy = Copy::new();
        let mut caller =
            copy.again(&[], &ground.home).env(INSIDE, &marker).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(caller.stdout.take().unwrap());
        let mut line = String::new();
        while line != "started\n" {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "the caller ended early");
            // The harness prints the test's name without an end of line first.
            line = line.rsplit("... ").next().unwrap().to_owned();
        }
        assert!(living(&marker) >= 24);
        caller.kill().unwrap();
        caller.wait().unwrap();
        // The kernel closes the line, the first process sees it, the kernel takes the rest down: soon,
        // but nobody says when. Reading from the pipe the caller shared with none tells nothing, so
        // this looks until it is so; the test's own time is the bound.
        while living(&marker) > 0 {
            std::thread::yield_now();
        }
    });
}

#[test]
fn the_thread_that_started_it_may_end() {
    everyone(|ground| {
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let (child, output) = std::thread::scope(|scope| {
            scope
                .spawn(|| ground.start(&sandbox, "read -t 0.3 x < /dev/tty; sleep 0.2; echo alive"))
                .join()
                .unwrap()
        });
        super::ground::finish(child, output).says("alive");
    });
}

#[test]
fn a_pipe_held_by_a_grandchild_holds_nobody() {
    everyone(|ground| {
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let (mut child, mut output) = ground.start(&sandbox, "echo first; (setsid sleep 1000 &); exit 0");
        assert_eq!(child.wait().unwrap().status, Status::Code(0));
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        assert_eq!(text, "first\n");
    });
}

#[test]
fn processes_of_the_host_are_out_of_sight_and_reach() {
    everyone(|ground| {
        let mut outsider = Outsider::new();
        let it = outsider.id();
        let ran = ground.run(&format!(
            "kill -0 {it} && echo REACHED; kill -9 {it}; ls -d /proc/[0-9]* | wc -l; cat /proc/{it}/environ /proc/{it}/cmdline; pgrep -f attacks; echo end"
        ));
        ran.never_says("REACHED").never_says("PATH=").says("end");
        assert!(outsider.lives(), "{ran:?}");
        let seen: usize = ran.text.lines().find_map(|line| line.trim().parse().ok()).unwrap();
        assert!(seen <= 8, "{ran:?}");
    });
}

#[test]
fn the_first_process_can_not_be_harmed() {
    everyone(|ground| {
        let ran = ground.run(
            "kill -9 1; kill -STOP 1; kill -TERM 1; for s in $(seq 1 64); do kill -$s 1 2> /dev/null; done
             gdb -p 1 -batch 2>&1 | head -3; strace -p 1 2>&1 | head -2; cat /proc/1/maps; echo still here",
        );
        ran.says("still here");
        assert_eq!(ran.exit.status, Status::Code(0));
    });
}

/// Through the link to a running program one could write to a file that one can't name.
#[test]
fn the_program_outside_can_not_be_overwritten() {
    everyone(|ground| {
        let program = "
import os
for path in ['/proc/1/exe', '/proc/self/exe', '/proc/%d/exe' % os.getppid()]:
    for flags in (os.O_RDWR, os.O_WRONLY, os.O_WRONLY | os.O_TRUNC):
        try:
            os.open(path, flags)
            print('OPENED', path)
        except OSError:
            pass
for path in ['/proc/1/exe', '/proc/1/cwd', '/proc/1/root', '/proc/1/fd/0']:
    try:
        print('READ', os.readlink(path))
    except OSError:
        pass
print('done')";
        ground.python(program).never_says("OPENED").never_says("READ").says("done");
    });
}

#[test]
fn signals_of_the_program_are_as_a_shell_has_them() {
    everyone(|ground| {
        let ran = ground
            .run("grep -E '^Sig(Blk|Ign)' /proc/self/status; yes | head -1; (kill -PIPE $BASHPID); echo $?");
        ran.says("SigBlk:\t0000000000000000").says("SigIgn:\t0000000000000000").says("y\n").says("141");
    });
}

#[test]
fn without_namespaces_nothing_outlives_it_either() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.least = Level::Landlock;
        let sandbox = on(policy, |machine| {
            machine.namespaces_refused =
                Some((toolgate_sandbox::Stage::Namespaces, toolgate_sandbox::Errno(libc::EPERM)));
        })
        .unwrap();
        let marker = marker();
        let script = LEAVE.replace("1000.25", &marker);
        let (command, output) = ground.command(["bash", "-c", &script]);
        let ran = super::ground::finish(sandbox.spawn(command).unwrap(), output);
        ran.says("left");
        assert_eq!((ran.enforcement.level, living(&marker)), (Level::Landlock, 0));

        let (mut child, output) = ground.start(&sandbox, &(script + "; sleep 1000"));
        BufReader::new(output).read_line(&mut String::new()).unwrap();
        child.kill();
        assert_eq!(living(&marker), 0, "killed");
    });
}

#[test]
fn news_of_a_command_can_be_polled_for() {
    everyone(|ground| {
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        let (mut command, _output) = ground.command(["cat"]);
        if let toolgate_sandbox::Io::Files { stdin, .. } = &mut command.io {
            *stdin = reader.into();
        }
        let mut child = sandbox.spawn(command).unwrap();
        assert_eq!(child.try_wait().unwrap(), None);
        drop(writer);
        let mut fds = [libc::pollfd { fd: child.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 }];
        // SAFETY: the array is ours for its length.
        assert_eq!(unsafe { libc::poll(fds.as_mut_ptr(), 1, -1) }, 1);
        assert_eq!(child.try_wait().unwrap().unwrap().status, Status::Code(0));
    });
}
