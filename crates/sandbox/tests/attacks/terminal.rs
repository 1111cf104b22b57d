//! A terminal of the command's own, and none of the caller's.

use std::fs::File;
use std::io::{Read as _, Write as _};

use toolgate_sandbox::{Io, Sandbox, Status};

use super::ground::everyone;

fn converse(ground: &super::ground::Ground, script: &str, input: &[u8]) -> (String, Status) {
    let (mut command, _output) = ground.command(["bash", "-c", script]);
    command.io = Io::Terminal { rows: 33, columns: 99 };
    let mut child = Sandbox::new(ground.policy()).unwrap().spawn(command).unwrap();
    let mut terminal = File::from(child.terminal().unwrap().try_clone_to_owned().unwrap());
    let mut text = String::new();
    let mut buffer = [0; 4096];
    let mut input = Some(input);
    loop {
        // Keys pressed before the program is ready mean something else.
        if text.contains("ready")
            && let Some(keys) = input.take()
        {
            terminal.write_all(keys).unwrap();
        }
        // A terminal whose last user is gone answers with an error.
        match terminal.read(&mut buffer) {
            Ok(1..) => text += &String::from_utf8_lossy(&buffer).replace('\0', ""),
            _ => break,
        }
        buffer = [0; 4096];
    }
    (text, child.wait().unwrap().status)
}

#[test]
fn a_terminal_of_its_own_has_size_name_and_job_control() {
    everyone(|ground| {
        let script = "tty; stty size; echo ready; read line; echo got $line; set -m; sleep 0.01 & fg; ps -o tty= -p $$; echo x > /dev/tty; exit 4";
        let (text, status) = converse(ground, script, b"hello\n");
        for what in ["/dev/pts/0", "33 99", "got hello", "pts/0", "x\r\n"] {
            assert!(text.contains(what), "no {what:?} in {text:?}");
        }
        assert_eq!(status, Status::Code(4));
    });
}

#[test]
fn keys_reach_the_program_as_signals() {
    everyone(|ground| {
        let (text, _) = converse(
            ground,
            "trap 'echo interrupted; exit 0' INT; echo ready; while :; do sleep 0.05; done",
            b"\x03",
        );
        assert!(text.contains("interrupted"), "{text:?}");
    });
}

#[test]
fn not_even_its_own_terminal_can_be_typed_into() {
    everyone(|ground| {
        let script = "/usr/bin/python3 -c \"
import fcntl, ctypes
libc = ctypes.CDLL(None, use_errno=True)
for request in (0x5412, 0x5412 | 1 << 32, 0x541C):
    got = libc.ioctl(0, ctypes.c_ulong(request), ctypes.create_string_buffer(b'x'))
    print('TYPED' if got == 0 else 'refused', ctypes.get_errno())
\"";
        let (text, _) = converse(ground, script, b"");
        assert!(!text.contains("TYPED") && text.matches("refused 1\r\n").count() == 3, "{text:?}");
    });
}

#[test]
fn the_callers_terminal_is_not_there() {
    everyone(|ground| {
        ground.run("(echo x > /dev/tty) 2>&1; ps -o tty= -p $$").says("No such device or address").says("?");
    });
}
