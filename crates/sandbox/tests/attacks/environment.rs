//! Secrets in the environment and in inherited files.

use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use toolgate_sandbox::Sandbox;

use super::ground::{everyone, finish};

#[test]
fn secrets_of_the_environment_stay_outside() {
    everyone(|ground| {
        let (command, output) = ground.command(["/usr/bin/env"]);
        let host = [
            ("OPENAI_API_KEY", "SECRET"),
            ("SSH_AUTH_SOCK", "/x/SECRET"),
            ("LD_PRELOAD", "SECRET"),
            ("LC_TIME", "C"),
        ];
        let command =
            command.env(host.map(|(name, value)| (name.into(), value.into()))).grant("SKILL", "granted");
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let ran = finish(sandbox.spawn(command).unwrap(), output);
        ran.never_says("SECRET").says("SKILL=granted").says("LC_TIME=C").says("PATH=");
    });
}

#[test]
fn the_boundarys_own_environment_is_closed() {
    everyone(|ground| {
        // Whatever this test process has in its environment is in the first process's memory.
        let ran = ground
            .run("cat /proc/1/environ /proc/1/maps /proc/1/mem; ls -l /proc/1/fd /proc/1/cwd/ /proc/1/root/");
        ran.never_says("CARGO_").never_says("r-xp").says("Permission denied");
    });
}

#[test]
fn open_files_are_not_inherited() {
    everyone(|ground| {
        let secret = std::fs::File::open(ground.path("home/.ssh/id_ed25519")).unwrap();
        // Without the close-on-exec mark, as a careless library would leave it.
        // SAFETY: takes numbers only; the copy is ours.
        let leaked = unsafe { OwnedFd::from_raw_fd(libc::dup(secret.as_raw_fd())) };
        let ran = ground.run(&format!("cat <&{}; ls /proc/self/fd | wc -l", leaked.as_raw_fd()));
        ran.never_says("SECRETKEY").says("Bad file descriptor");
        // The fourth is the listing's own.
        assert_eq!(ran.text.trim().lines().last(), Some("4"), "{ran:?}");
    });
}

#[test]
fn a_temporary_directory_outside_is_replaced() {
    everyone(|ground| {
        let (command, output) = ground.command(["bash", "-c", "echo $TMPDIR; mktemp"]);
        let command = command.env([("TMPDIR".into(), ground.path("home/tmp").into())]);
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let ran = finish(sandbox.spawn(command).unwrap(), output);
        assert!(ran.ok().starts_with("/tmp\n/tmp/"), "{ran:?}");
    });
}
