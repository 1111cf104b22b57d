//! Reading what is hidden and changing what is not the workspace's.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use toolgate_sandbox::{Error, Level, Policy, Sandbox, Status, View};

use super::ground::{Copy, Ground, everyone, has, is_root};

#[test]
fn hidden_files_are_denied_by_every_name() {
    everyone(|ground| {
        symlink(ground.path("home/.ssh"), ground.path("work/keys")).unwrap();
        let home = ground.home.display();
        let ran = ground.run(&format!(
            "for f in {home}/.ssh/id_ed25519 keys/id_ed25519 /proc/1/root{home}/.ssh/id_ed25519 \
             /proc/self/cwd/../.ssh/id_ed25519 /proc/self/root{home}/.ssh/id_ed25519 {home}/.bash_history; do cat $f; done
             ln {home}/.bash_history mine && cat mine; mv {home}/.ssh moved && cat moved/*; cp -r {home} copy; cat copy/.ssh/*
             find {home} -name 'id_*' -exec cat {{}} +; tar cf - -C {home} . | grep -a SECRET; ls -A {home}/.ssh"
        ));
        ran.never_says("SECRETKEY").never_says("id_ed25519\n").says("Permission denied");
    });
}

#[test]
fn a_denied_file_is_denied_and_not_empty() {
    everyone(|ground| {
        let program = "
import errno, os
for path in ['../.ssh', '../.ssh/id_ed25519', '../.bash_history']:
    try:
        fd = os.open(path, os.O_RDONLY)
        print('OPENED', path, os.listdir(path) if os.path.isdir(path) else os.read(fd, 10))
    except OSError as error:
        assert error.errno == errno.EACCES, error
    try:
        os.chmod(path, 0o777)
        print('CHANGED', path)
    except OSError as error:
        assert error.errno in (errno.EROFS, errno.EACCES), error
print('done')";
        ground.python(program).never_says("OPENED").never_says("CHANGED").says("done");
    });
}

#[test]
fn what_is_in_the_temporary_directory_is_hidden_too() {
    // Homes of tests lie there; the private one must neither show nor lose them.
    let ground = Ground::below(&std::env::temp_dir());
    let secret = std::env::temp_dir().join(format!("toolgate-other-{}", std::process::id()));
    fs::write(&secret, "OTHERS").unwrap();
    let ran = ground.run(&format!(
        "cat ../.ssh/id_ed25519 {}; cat ../notes; echo inside > made; echo x > ../notes; echo x > /tmp/free && cat /tmp/free",
        secret.display()
    ));
    fs::remove_file(secret).unwrap();
    ran.never_says("SECRETKEY").never_says("OTHERS").says("as it was").says("\nx\n");
    assert_eq!(fs::read_to_string(ground.path("work/made")).unwrap(), "inside\n");
    assert_eq!(fs::read_to_string(ground.path("home/notes")).unwrap(), "as it was\n");
    assert!(!PathBuf::from("/tmp/free").exists());
}

#[test]
fn nothing_outside_can_be_changed_in_any_way() {
    everyone(|ground| {
        let before = ground.snapshot();
        let program = "
import os
me = os.path.abspath('..')
ways = {
    'write': lambda p: open(p + '/notes', 'w').write('x'),
    'append': lambda p: open(p + '/notes', 'a').write('x'),
    'truncate': lambda p: os.truncate(p + '/notes', 0),
    'chmod': lambda p: os.chmod(p + '/notes', 0o777),
    'chown': lambda p: os.chown(p + '/notes', os.getuid(), os.getgid()),
    'times': lambda p: os.utime(p + '/notes', (1, 1)),
    'attribute': lambda p: os.setxattr(p + '/notes', 'user.x', b'x'),
    'rename': lambda p: os.rename(p + '/notes', p + '/other'),
    'rename in': lambda p: os.rename('made', p + '/made'),
    'rename out': lambda p: os.rename(p + '/notes', 'stolen'),
    'unlink': lambda p: os.unlink(p + '/notes'),
    'mkdir': lambda p: os.mkdir(p + '/directory'),
    'rmdir': lambda p: os.rmdir(p + '/.ssh'),
    'symlink': lambda p: os.symlink('x', p + '/link'),
    'link': lambda p: os.link('made', p + '/link'),
    'link in and write': lambda p: (os.link(p + '/notes', 'linked'), open('linked', 'w').write('x')),
    'fifo': lambda p: os.mkfifo(p + '/fifo'),
}
open('made', 'w').write('x')
for name, way in ways.items():
    for path in [me, '/proc/self/cwd/..', '/proc/self/root' + me, '/proc/thread-self/cwd/..']:
        try:
            way(path)
            print('GOT THROUGH', name, path)
        except OSError:
            pass
os.unlink('made')
print('done')";
        ground.python(program).never_says("GOT THROUGH").says("done");
        assert_eq!(ground.snapshot(), before);
    });
}

#[test]
fn every_mount_of_the_host_is_read_only() {
    everyone(|ground| {
        let program = "
import os
own = [os.getcwd(), '/tmp', '/var/tmp', '/dev', '/run', '/proc']
for line in open('/proc/self/mountinfo'):
    at = line.split()[4].encode().decode('unicode_escape')
    if any(at == path or at.startswith(path + '/') for path in own):
        continue
    if 'rw' in line.split()[5].split(','):
        print('WRITABLE', line)
for path in ['/', '/etc', '/usr', '/var', '/sys', '/opt', '/home', '/root']:
    try:
        open(path + '/toolgate-attack', 'w')
        print('WRITTEN', path)
    except OSError:
        pass
print('done')";
        ground.python(program).never_says("WRITABLE").never_says("WRITTEN").says("done");
    });
}

#[test]
fn the_workspace_can_be_used() {
    everyone(|ground| {
        let ran = ground.run("mkdir a && echo x > a/b && mv a/b c && ln c d && ln -s c e && chmod 700 c && rm d && cat e && rm -r a");
        assert_eq!(ran.ok(), "x\n");
        assert_eq!(ran.enforcement.level, Level::Full);
        assert!(ran.exit.touched.is_empty());
    });
}

#[test]
fn a_workspace_that_leads_elsewhere_is_refused() {
    everyone(|ground| {
        symlink(&ground.home, ground.path("work/out")).unwrap();
        let mut policy = ground.policy();
        policy.writable.push(ground.path("work/out"));
        let (command, _output) = ground.command(["true"]);
        let error = Sandbox::new(policy).unwrap().spawn(command).unwrap_err();
        assert!(matches!(error, Error::WritableEscapes { .. }), "{error:?}");

        symlink(ground.path("home/.ssh"), ground.path("home/alias")).unwrap();
        let mut policy = ground.policy();
        policy.writable = vec![ground.path("home/alias")];
        let (command, _output) = ground.command(["true"]);
        let error = Sandbox::new(policy).unwrap().spawn(command).unwrap_err();
        assert!(matches!(error, Error::WritableHidden { .. }), "{error:?}");
    });
}

#[test]
fn a_missing_workspace_is_an_error_and_stays_missing() {
    everyone(|ground| {
        let mut policy = ground.policy();
        policy.writable.push(ground.path("home/absent"));
        let (command, _output) = ground.command(["true"]);
        let error = Sandbox::new(policy).unwrap().spawn(command).unwrap_err();
        assert!(matches!(error, Error::Writable { .. }), "{error:?}");
        assert!(!ground.path("home/absent").exists());
    });
}

#[test]
fn a_read_only_policy_writes_nowhere_but_in_private() {
    everyone(|ground| {
        let before = ground.snapshot();
        let ran = ground.run_under(
            Policy::read_only(&ground.home),
            "echo x > made; cat ../notes; echo y > /tmp/made && cat /tmp/made",
        );
        ran.says("Read-only file system").says("as it was").says("y\n");
        assert_eq!(ground.snapshot(), before);
    });
}

#[test]
fn an_open_policy_is_the_users_own_view() {
    everyone(|ground| {
        let ran = ground.run_under(
            Policy::open(&ground.home),
            "cat ../.ssh/id_ed25519 && echo changed > ../notes && echo $$",
        );
        assert_eq!(ran.ok(), "SECRETKEY\n2\n", "the process tree is its own all the same");
        assert_eq!(fs::read_to_string(ground.path("home/notes")).unwrap(), "changed\n");
    });
}

#[test]
fn a_readable_set_is_all_there_is() {
    everyone(|ground| {
        let mut policy = ground.policy();
        let system = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"].map(PathBuf::from);
        policy.view = View::Only(system.into_iter().filter(|path| path.exists()).collect());
        let ran = ground.run_under(
            policy,
            "cat ../notes /etc/passwd; ls /; ls -A ..; echo x > made; cat made; touch /x /usr/x ../x; echo z > /tmp/z && cat /tmp/z",
        );
        ran.never_says("as it was").never_says("root:").never_says("home\n").says("x\n").says("z\n");
        ran.says("work\n").never_says(".ssh");
        assert_eq!(fs::read_to_string(ground.path("work/made")).unwrap(), "x\n");
        assert!(!ground.path("home/x").exists());
    });
}

#[test]
fn a_working_directory_out_of_sight_is_an_error() {
    everyone(|ground| {
        let (mut command, _output) = ground.command(["true"]);
        command.cwd = ground.path("home/.ssh");
        let error = Sandbox::new(ground.policy()).unwrap().spawn(command).unwrap_err();
        assert!(matches!(error, Error::Directory { .. }), "{error:?}");
    });
}

#[test]
fn many_hidden_paths_cost_no_command_line() {
    everyone(|ground| {
        let mut policy = ground.policy();
        for number in 0..300 {
            policy.hidden.push(ground.write(&format!("home/secrets/{number}"), "SECRETKEY"));
            policy.hidden.push(ground.path(&format!("home/absent/{number}")));
        }
        ground.run_under(policy, "cat ../secrets/*; echo done").never_says("SECRETKEY").says("done");
    });
}

#[test]
fn dotenv_files_can_be_hidden() {
    everyone(|ground| {
        ground.write("work/.env", "SECRETKEY");
        ground.run("cat .env").says("SECRETKEY");
        let ran = ground
            .run_under(ground.policy().hide_dotenv(), "cat .env; mv .env x; rm -f .env; ln .env y; cat x y");
        ran.never_says("SECRETKEY").says("Permission denied");
        assert!(ground.path("work/.env").exists());
    });
}

/// A directory mounted at a second place has a second name, which has to be found in the table.
#[test]
fn a_second_mount_of_the_home_is_hidden_too() {
    const INSIDE: &str = "TOOLGATE_ATTACK_MOUNTED";
    if std::env::var_os(INSIDE).is_some() {
        let ground = Ground::new();
        let again = ground.home.with_extension("again");
        fs::create_dir_all(&again).unwrap();
        let mounted =
            std::process::Command::new("mount").arg("--bind").arg(&ground.home).arg(&again).status().unwrap();
        assert!(mounted.success());
        let ran = ground
            .run(&format!("cat {0}/.ssh/id_ed25519; cat {0}/notes; echo x > {0}/notes", again.display()));
        ran.never_says("SECRETKEY").says("as it was").says("Read-only file system");
        return;
    }
    if !is_root() || !has("unshare") {
        println!("skipped: needs root and unshare");
        return;
    }
    let (copy, ground) = (Copy::new(), Ground::new());
    let output = copy.again(&["unshare", "-m"], &ground.home).env(INSIDE, "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn nothing_is_left_in_the_users_tree() {
    everyone(|ground| {
        ground.write("work/.vscode/tasks.json", "{}");
        let before = ground.snapshot();
        let ran = ground.run("true");
        assert_eq!((ran.exit.status, &ran.exit.touched), (Status::Code(0), &Vec::new()));
        assert_eq!(ground.snapshot(), before);
        let sandbox = Sandbox::new(ground.policy()).unwrap();
        let (mut child, _output) = ground.start(&sandbox, "sleep 100");
        child.kill();
        assert_eq!(ground.snapshot(), before, "killed in the middle");
    });
}
