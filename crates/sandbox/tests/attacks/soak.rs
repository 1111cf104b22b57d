//! Many commands leave nothing behind.

use toolgate_sandbox::{Sandbox, Status};

use super::ground::everyone;

/// Enough to see a leak of one thing per command; the long run is the bench's.
const COMMANDS: usize = 80;

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn mounts() -> String {
    std::fs::read_to_string("/proc/self/mountinfo").unwrap()
}

#[test]
fn many_commands_leave_nothing_behind() {
    everyone(|ground| {
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let (tree, mounted) = (ground.snapshot(), mounts());
        ground.run_in(&sandbox, ["true"]).ok();
        let before = descriptors();
        for number in 0..COMMANDS {
            let script =
                ["true", "(setsid sleep 1000 &)", "kill -9 $$", "exit 3", "head -c 100k /dev/zero > /tmp/x"]
                    [number % 5];
            if number % 7 == 0 {
                let (mut child, _output) = ground.start(&sandbox, script);
                child.kill();
            } else if number % 11 == 0 {
                drop(ground.start(&sandbox, script));
            } else {
                let ran = ground.run_in(&sandbox, ["bash", "-c", script]);
                assert_ne!(ran.exit.status, Status::Killed);
            }
        }
        // The last few may still take their namespaces down; other tests of this process run too.
        let after = descriptors();
        assert!(after < before + COMMANDS / 2, "{before} descriptors became {after}");
        assert_eq!(ground.snapshot(), tree);
        assert_eq!(mounts(), mounted);
    });
}
