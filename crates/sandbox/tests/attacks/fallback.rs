//! Machines that can do less: what is refused, what is taken instead, and what is said.
//!
//! Where this machine can be put into the condition it is; where it can't, it is described.

use toolgate_sandbox::{
    Errno, Error, Level, Machine, Missing, Network, Sandbox, Stage, Strictness, Verdict, examine,
};

use super::ground::{Copy, Ground, Outsider, everyone, has, is_root, on};

const INSIDE: &str = "TOOLGATE_ATTACK_SURROUNDING";

fn refused(at: Stage, errno: i32) -> impl FnOnce(&mut Machine) {
    move |machine| machine.namespaces_refused = Some((at, Errno(errno)))
}

#[test]
fn less_than_asked_is_a_refusal_with_the_remedy() {
    everyone(|ground| {
        for (at, errno, word) in [
            (Stage::Namespaces, libc::EPERM, "user namespaces"),
            (Stage::Namespaces, libc::ENOSPC, "user.max_user_namespaces"),
            (Stage::Identity, libc::EACCES, "user namespaces"),
            (Stage::Mounts, libc::EPERM, "mounts inside user namespaces"),
            (Stage::Mounts, libc::ENOSYS, "linux 5.12"),
        ] {
            let error = on(ground.policy(), refused(at, errno)).unwrap_err();
            let Error::NotEnforceable { asked: Level::Full, reached: Level::Landlock, .. } = error else {
                panic!("{error:?}");
            };
            let hint = error.hint().unwrap();
            assert!(hint.contains(word) || hint.contains("AppArmor"), "{hint}");
            assert!(hint.contains("accept the level `landlock`"), "{hint}");
        }
    });
}

#[test]
fn without_namespaces_landlock_holds_what_it_can() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.least = Level::Landlock;
        let sandbox = on(policy, refused(Stage::Namespaces, libc::EPERM)).unwrap();
        let program = "
import os, socket
for what in [lambda: open('../.ssh/id_ed25519').read(), lambda: open('../.bash_history').read(), lambda: open('../notes', 'w'),
             lambda: os.unlink('../notes'), lambda: socket.socket(), lambda: os.rename('../notes', 'stolen'), lambda: os.mkdir('/x'),
             lambda: os.link('../notes', 'linked'), lambda: open('/proc/%d/environ' % os.getppid()).read(),
             lambda: os.kill(os.getppid(), 0)]:
    try:
        print('GOT THROUGH', what())
    except OSError:
        pass
open('made', 'w').write('x'); os.mkdir('d'); os.rename('made', 'd/made')
print(open('../notes').read(), len(os.listdir('/usr/bin')) > 3, 'done')";
        let ran = ground.run_in(&sandbox, ["/usr/bin/python3", "-c", program]);
        ran.never_says("GOT THROUGH").never_says("SECRETKEY").says("as it was").says("True done");
        assert_eq!(ran.enforcement.level, Level::Landlock);
        let codes: Vec<_> = ran.enforcement.missing.iter().map(Missing::code).collect();
        for code in
            ["namespaces", "hidden-names", "protected-names", "metadata", "private-scratch", "host-sockets"]
        {
            assert!(codes.contains(&code), "{code} isn't in {codes:?}");
        }
        assert_eq!(std::fs::read_to_string(ground.path("home/notes")).unwrap(), "as it was\n");
    });
}

/// Without a private one the host's temporary directory is given, and not what is hidden in it.
#[test]
fn without_namespaces_what_is_hidden_in_the_temporary_directory_stays_hidden() {
    let ground = Ground::below(&std::env::temp_dir());
    let mut policy = ground.policy();
    policy.least = Level::Landlock;
    let sandbox = on(policy, refused(Stage::Namespaces, libc::EPERM)).unwrap();
    let ran = ground.run_in(
        &sandbox,
        ["bash", "-c", "cat ../.ssh/*; cat ../notes; echo x > ../notes; echo x > made; echo end"],
    );
    ran.never_says("SECRETKEY").says("as it was").says("end");
    assert_eq!(ran.enforcement.level, Level::Landlock);
    assert_eq!(std::fs::read_to_string(ground.path("home/notes")).unwrap(), "as it was\n");
    assert_eq!(std::fs::read_to_string(ground.path("work/made")).unwrap(), "x\n");
}

#[test]
fn no_fresh_process_list_is_a_level_of_its_own() {
    everyone(|ground| {
        let change = |machine: &mut Machine| machine.fresh_proc_refused = Some(Errno(libc::EPERM));
        assert!(matches!(
            on(ground.policy(), change),
            Err(Error::NotEnforceable { reached: Level::FullNoProc, .. })
        ));
        let mut policy = ground.policy();
        policy.least = Level::FullNoProc;
        let sandbox = on(policy.clone(), change).unwrap();
        let outsider = Outsider::new();
        let it = outsider.id();
        let ran = ground.run_in(
            &sandbox,
            ["bash", "-c", &format!("cat /proc/{it}/environ /proc/{it}/mem; ls /proc/{it}/root/ /proc/{it}/cwd/; echo 1 > /proc/sys/kernel/core_pattern; kill -0 {it} && echo REACHED; cat ../.ssh/*; echo end")],
        );
        ran.says("end").never_says("PATH=").never_says("usr").never_says("REACHED").never_says("SECRETKEY");
        assert_eq!(ran.enforcement.level, Level::FullNoProc);
        policy.strictness = Strictness::Strict;
        assert!(on(policy, change).is_err(), "strict takes no less than all");
    });
}

#[test]
fn an_old_landlock_is_made_up_for_by_a_network_of_its_own() {
    everyone(|ground| {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::net::{SocketAddr, UnixListener};
        let name = format!("toolgate-fallback-{}", std::process::id());
        let _listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        let program = format!(
            "import socket\ntry:\n    socket.socket(socket.AF_UNIX).connect('\\0{name}')\n    print('CONNECTED')\nexcept OSError: print('refused')"
        );
        for abi in [0, 1, 5] {
            let sandbox = on(ground.policy(), |machine| machine.landlock_abi = abi).unwrap();
            let ran = ground.run_in(&sandbox, ["/usr/bin/python3", "-c", &program]);
            ran.says("refused").never_says("CONNECTED");
            assert_eq!((ran.enforcement.level, ran.enforcement.landlock_abi), (Level::Full, abi));
            assert!(ran.enforcement.missing.is_empty(), "{ran:?}");
            ground
                .run_in(
                    &sandbox,
                    ["bash", "-c", "cat ../.ssh/*; echo x > ../notes; mkdir a b; touch a/x; mv a/x b"],
                )
                .never_says("SECRETKEY");
        }
        // With the host's network that can't be, and is said.
        let mut policy = ground.policy();
        policy.network = Network::Allow;
        let sandbox = on(policy, |machine| machine.landlock_abi = 3).unwrap();
        let ran = ground.run_in(&sandbox, ["true"]);
        assert!(ran.enforcement.missing.contains(&Missing::AbstractSockets), "{ran:?}");
    });
}

#[test]
fn without_filters_there_is_no_boundary() {
    everyone(|ground| {
        let error = on(ground.policy(), |machine| machine.seccomp = false).unwrap_err();
        assert!(matches!(error, Error::NotEnforceable { reached: Level::None, .. }), "{error:?}");
        assert!(error.hint().unwrap().contains("CONFIG_SECCOMP_FILTER"));
    });
}

#[test]
fn nothing_at_all_is_said_to_be_nothing() {
    everyone(|ground| {
        let mut policy = ground.policy();
        let nothing = |machine: &mut Machine| {
            machine.landlock_abi = 0;
            machine.seccomp = false;
            machine.namespaces_refused = Some((Stage::Namespaces, Errno(libc::EPERM)));
        };
        assert!(on(policy.clone(), nothing).is_err());
        policy.least = Level::None;
        let ran = ground.run_in(&on(policy, nothing).unwrap(), ["bash", "-c", "cat ../notes; cat ../.ssh/*"]);
        ran.says("as it was").says("SECRETKEY");
        assert_eq!(ran.enforcement.level, Level::None);
        assert!(ran.enforcement.missing.len() >= 5, "{ran:?}");
    });
}

#[test]
fn a_private_network_that_can_not_be_is_a_refusal() {
    everyone(|ground| {
        let change = |machine: &mut Machine| machine.network_refused = Some(Errno(libc::EPERM));
        assert!(on(ground.policy(), change).is_ok(), "denying needs none");
        let mut policy = ground.policy();
        policy.network = Network::Loopback;
        assert!(matches!(on(policy, change), Err(Error::NotEnforceable { .. })));
    });
}

/// The doctor finds as much as there is, and no attack that this much promises to stop gets through.
fn examined_at(ground: &Ground, level: Level) {
    let found = examine(&ground.home, Level::None).unwrap();
    assert_eq!(found.enforcement.level, level, "{found:?}");
    assert_eq!(found.broken().next(), None, "{found:?}");
    let held = found.findings.iter().filter(|finding| finding.verdict == Verdict::Held).count();
    assert!(held >= 8, "{found:?}");
}

/// What this process is run in by the tests below.
fn inside(ground: &Ground) {
    match std::env::var(INSIDE).unwrap().as_str() {
        "none-left" => {
            let (command, _output) = ground.command(["true"]);
            let error = Sandbox::new(ground.policy()).unwrap().spawn(command).unwrap_err();
            let Error::NotEnforceable { missing, .. } = &error else { panic!("{error:?}") };
            assert!(
                matches!(
                    missing[0],
                    Missing::Namespaces { at: Stage::Namespaces, errno: Errno(libc::ENOSPC) }
                ),
                "{error:?}"
            );
            assert!(error.hint().unwrap().contains("not a matter of disk space"));
            examined_at(ground, Level::Landlock);
        }
        "chroot" => {
            let (command, _output) = ground.command(["true"]);
            let error = Sandbox::new(ground.policy()).unwrap().spawn(command).unwrap_err();
            let Error::NotEnforceable { missing, .. } = &error else { panic!("{error:?}") };
            assert!(matches!(missing[0], Missing::Namespaces { errno: Errno(libc::EPERM), .. }), "{error:?}");
            let mut policy = ground.policy();
            policy.least = Level::Landlock;
            let ran = ground.run_under(policy, "cat ../.ssh/*; echo x > ../notes; echo end");
            ran.never_says("SECRETKEY").says("end");
            assert_eq!(ran.enforcement.level, Level::Landlock);
            examined_at(ground, Level::Landlock);
        }
        "masked" => {
            let (command, _output) = ground.command(["true"]);
            let error = Sandbox::new(ground.policy()).unwrap().spawn(command).unwrap_err();
            assert!(matches!(error, Error::NotEnforceable { reached: Level::FullNoProc, .. }), "{error:?}");
            assert!(error.hint().unwrap().contains("Unmasked"), "{error:?}");
            let mut policy = ground.policy();
            policy.least = Level::FullNoProc;
            let ran = ground.run_under(policy, "cat ../.ssh/*; echo x > ../notes; echo $$; echo end");
            ran.never_says("SECRETKEY").says("2\nend");
            assert_eq!(ran.enforcement.level, Level::FullNoProc);
            examined_at(ground, Level::FullNoProc);
        }
        "nested" => {
            let ran = ground.run("cat ../.ssh/*; echo x > made; echo $$");
            ran.never_says("SECRETKEY").says("2\n");
            assert_eq!(ran.enforcement.level, Level::Full);
        }
        other => panic!("{other}"),
    }
}

/// Runs [`inside`] where a command line puts it.
fn surrounded(name: &str, through: &[&str]) {
    if std::env::var_os(INSIDE).is_some() {
        return inside(&Ground::new());
    }
    if !has("unshare") {
        println!("skipped: no unshare");
        return;
    }
    let (copy, ground) = (Copy::new(), Ground::new());
    let output = copy.again(through, &ground.home).env(INSIDE, name).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn no_namespaces_left() {
    surrounded(
        "none-left",
        &["unshare", "-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"", "sh"],
    );
}

#[test]
fn in_a_chroot() {
    if !is_root() {
        println!("skipped: needs root");
        return;
    }
    let script = "mount --make-rprivate / && mount --rbind / /mnt && exec chroot /mnt \"$@\"";
    surrounded("chroot", &["unshare", "-m", "sh", "-c", script, "sh"]);
}

#[test]
fn with_a_masked_process_list() {
    let script = "mount --bind /dev/null /proc/version && exec unshare -Ur -m \"$@\"";
    surrounded("masked", &["unshare", "-Ur", "-m", "sh", "-c", script, "sh"]);
}

#[test]
fn inside_other_namespaces() {
    surrounded("nested", &["unshare", "-Ur", "-m", "-p", "-f", "--mount-proc"]);
}
