//! Reaching for the kernel: namespaces, mounts, settings, devices, rarely used calls.

use toolgate_sandbox::{Limits, Nesting, Policy, Privileges, Status};

use super::ground::{Ground, everyone, has, is_root};

/// Python that makes raw calls and prints what didn't fail as it should.
fn calls(ground: &Ground, cases: &str) {
    let program = format!(
        "
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, number, *args, want):
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    code = ctypes.get_errno() if got == -1 else 0
    if code not in (want if isinstance(want, tuple) else (want,)):
        print('WRONG', name, got, errno.errorcode.get(code))
NOSYS, PERM = errno.ENOSYS, errno.EPERM
{cases}
print('done')"
    );
    ground.python(&program).never_says("WRONG").says("done");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn refused_calls_fail_with_the_error_that_fits() {
    everyone(|ground| {
        calls(
            ground,
            "
for name, number in dict(io_uring_setup=425, io_uring_enter=426, io_uring_register=427, clone3=435, open_tree=428,
        move_mount=429, fsopen=430, fsconfig=431, fsmount=432, fspick=433, mount_setattr=442, memfd_secret=447,
        open_tree_attr=467, lookup_dcookie=212, nfsservctl=180, uselib=134, _sysctl=156, sysfs=139).items():
    call(name, number, 0, 0, 0, 0, 0, want=NOSYS)
for name, number in dict(mount=165, umount2=166, pivot_root=155, chroot=161, unshare=272, setns=308, bpf=321,
        perf_event_open=298, userfaultfd=323, add_key=248, request_key=249, keyctl=250, init_module=175, finit_module=313,
        delete_module=176, kexec_load=246, kexec_file_load=320, reboot=169, swapon=167, swapoff=168, acct=163, quotactl=179,
        quotactl_fd=443, settimeofday=164, clock_settime=227, clock_adjtime=305, adjtimex=159, open_by_handle_at=304,
        syslog=103, vhangup=153, iopl=172, ioperm=173, modify_ldt=154, fanotify_init=300, move_pages=279, mbind=237,
        set_mempolicy=238, migrate_pages=256, pidfd_getfd=438, process_madvise=440, process_mrelease=448, kcmp=312,
        ustat=136).items():
    call(name, number, 0, 0, 0, 0, 0, want=PERM)
for flag in [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80]:
    call('clone %x' % flag, 56, flag | 17, 0, 0, 0, 0, want=PERM)
for value in [1, 4, 0x20, 0x400000, 0x8000000]:
    call('personality %x' % value, 135, value, want=PERM)
for value in [0xffffffff, 0x40000, 0]:
    call('personality %x' % value, 135, value, want=0)
for number in [39, 41, 16]:
    call('x32 %d' % number, 0x40000000 | number, 2, 1, 0, want=NOSYS)
for request in [0x5412, 0x541C, 0x5423, 1 << 32 | 0x5412, 0xdead00005412]:
    call('ioctl %x' % request, 16, 0, request, ctypes.create_string_buffer(b'x'), want=PERM)",
        );
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_of_another_processor_end_the_process() {
    everyone(|ground| {
        // socket(AF_INET, SOCK_STREAM, 0) by the 32-bit table, as its only argument block.
        let program = "
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b'\\xb8\\x67\\x01\\x00\\x00\\xbb\\x02\\x00\\x00\\x00\\xb9\\x01\\x00\\x00\\x00\\xba\\x00\\x00\\x00\\x00\\x53\\xcd\\x80\\x5b\\xc3')
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
print('SOCKET', ctypes.CFUNCTYPE(ctypes.c_int)(address)())";
        let ran = ground.python(program);
        ran.never_says("SOCKET");
        assert_eq!(ran.exit.status, Status::Signal(libc::SIGSYS));
    });
}

#[test]
fn nothing_covering_can_be_lifted() {
    everyone(|ground| {
        let ran = ground.run(
            "umount -l ../.ssh; umount /proc; umount -l /tmp; mount -o remount,rw /; mount --bind / /tmp; mount -t tmpfs x /mnt
             unshare -Urm sh -c 'umount ../.ssh; cat ../.ssh/*'; unshare -m true; nsenter -t 1 -m true; chroot / true; echo done",
        );
        ran.never_says("SECRETKEY").says("done");
    });
}

#[test]
fn settings_and_devices_of_the_machine_are_closed() {
    everyone(|ground| {
        let program = "
import glob, os
paths = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/drop_caches', '/proc/sysrq-trigger',
    '/proc/sys/fs/binfmt_misc/register', '/proc/sys/kernel/pid_max', '/proc/irq/default_smp_affinity', '/sys/power/state',
    '/sys/kernel/uevent_helper', '/sys/kernel/mm/ksm/run', '/proc/kcore', '/dev/mem', '/dev/kmsg', '/dev/port', '/dev/fuse',
    '/dev/kvm', '/dev/net/tun', '/dev/loop-control', *glob.glob('/dev/[shv]d[a-z]*'), *glob.glob('/dev/nvme*')]
for path in paths:
    try:
        os.close(os.open(path, os.O_RDWR))
        print('OPENED', path)
    except OSError:
        pass
try:
    os.mknod('disk', 0o60600, os.makedev(254, 0))
    os.open('disk', os.O_RDONLY)
    print('OPENED disk')
except OSError:
    pass
print(sorted(os.listdir('/dev')))";
        let ran = ground.python(program);
        ran.never_says("OPENED").says("['fd', 'full', 'null', 'ptmx', 'pts', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'tty', 'urandom', 'zero']");
    });
}

#[test]
fn no_privilege_is_left() {
    everyone(|ground| {
        let ran = ground.run("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -s '\\t\\n' ' '");
        assert_eq!(
            ran.ok().trim(),
            "CapInh: 0000000000000000 CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000 \
             CapAmb: 0000000000000000 NoNewPrivs: 1 Seccomp: 2"
        );
        ground.run("su -c true; sudo -n true; chown 1:1 . && echo OWNED; setpriv --reuid 1 true && echo BECAME; ping -c1 127.0.0.1 && echo PINGED")
            .never_says("OWNED").never_says("BECAME").never_says("PINGED");
    });
}

#[test]
fn a_superuser_may_keep_what_package_managers_need() {
    if !is_root() {
        println!("skipped: needs root");
        return;
    }
    let ground = Ground::new();
    let mut policy = ground.policy();
    policy.privileges = Privileges::Files;
    let ran = ground.run_under(
        policy,
        "touch f && chown 1:1 f && stat -c %u f && mount -t tmpfs x /mnt; mknod d b 254 0; umount /tmp",
    );
    ran.says("1\n").says("ermi");
    assert!(!ground.path("work/d").exists());
}

#[test]
fn the_files_are_shared_with_others_as_they_are() {
    // Under root everyone keeps their number; a map of one would make all others nobody.
    if !is_root() {
        println!("skipped: needs root");
        return;
    }
    let ground = Ground::new();
    std::os::unix::fs::chown(ground.write("work/theirs", "x"), Some(1234), Some(1235)).unwrap();
    assert_eq!(ground.run("stat -c %u:%g theirs").ok(), "1234:1235\n");
}

#[test]
fn nesting_is_an_open_decision() {
    everyone(|ground| {
        if !has("unshare") {
            println!("skipped: no unshare");
            return;
        }
        ground.run("unshare -U true && echo NESTED").never_says("NESTED");
        let mut policy = ground.policy();
        policy.nesting = Nesting::Allow;
        let ran = ground.run_under(policy, "unshare -U sh -c 'echo NESTED; mount -t tmpfs x /mnt && echo MOUNTED; umount ../.ssh; cat ../.ssh/*; echo x > ../notes'");
        ran.says("NESTED").never_says("MOUNTED").never_says("SECRETKEY");
        assert_eq!(std::fs::read_to_string(ground.path("home/notes")).unwrap(), "as it was\n");
    });
}

#[test]
fn shared_memory_of_the_host_is_out_of_reach() {
    everyone(|ground| {
        // SAFETY: takes numbers only; the segment is removed below.
        let segment = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, 0o666 | libc::IPC_CREAT) };
        assert!(segment >= 0);
        let program = format!(
            "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
print('ATTACHED' if libc.shmat({segment}, None, 0) not in (ctypes.c_void_p(-1).value, None) else 'no')"
        );
        let ran = ground.python(&program);
        // SAFETY: takes numbers only.
        unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
        ran.never_says("ATTACHED").says("no");
    });
}

#[test]
fn the_open_policy_still_shuts_the_kernels_doors() {
    everyone(|ground| {
        let mut policy = Policy::open(&ground.home);
        policy.limits = Limits::none();
        let ran = ground.run_under(
            policy,
            "unshare -U true && echo NESTED; mount -t tmpfs x /mnt && echo MOUNTED; kill -0 1; echo $$",
        );
        ran.never_says("NESTED").never_says("MOUNTED").says("2\n");
    });
}
