//! Named local sockets the host's programs listen on.
//!
//! A read-only mount doesn't stop a connect: to the kernel that is a write to the peer, not to the
//! file. So each socket the table names, outside the directories that are private anyway, is covered.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// Absolute paths of the bound sockets in the kernel's table.
///
/// Addresses bound with a relative name can't be told apart from here and are left out.
pub(crate) fn parse(table: &[u8]) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for line in table.split(|&byte| byte == b'\n').skip(1) {
        // Num RefCount Protocol Flags Type St Inode Path; the path may hold blanks.
        let Some(path) = line.iter().position(|&byte| byte == b'/').and_then(|at| line.get(at..)) else {
            continue;
        };
        if line.iter().position(|&byte| byte == b'@').is_some_and(|at| at < line.len() - path.len()) {
            continue;
        }
        found.insert(PathBuf::from(OsString::from_vec(path.to_vec())));
    }
    found.into_iter().collect()
}

/// Absolute paths of the sockets bound now.
pub(crate) fn read() -> Vec<PathBuf> {
    let mut table = Vec::with_capacity(16 << 10);
    match File::open("/proc/self/net/unix").and_then(|mut file| file.read_to_end(&mut table)) {
        Ok(_) => parse(&table),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn only_named_sockets_with_a_full_path_are_found() {
        let table = b"Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 17 /home/ann/agent sock\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 18 @/tmp/.X11-unix/X0\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 19\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 20 relative.sock\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 21 /home/ann/agent sock\n";
        assert_eq!(parse(table), [Path::new("/home/ann/agent sock")]);
    }

    #[test]
    fn rubbish_is_no_socket() {
        assert!(parse(b"").is_empty() && parse(b"\xff\n\xfe\n").is_empty());
    }
}
