//! The mount table, read for one question: under which other names can a path be reached?

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use crate::sys::{self, Res};

/// Mounts from which on the table is read as text at once.
const MANY: usize = 512;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    /// Which file system.
    device: String,
    /// What of it is mounted.
    root: PathBuf,
    /// Where.
    at: PathBuf,
}

/// All mounts of this process, in the order they were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MountTable(Vec<Mount>);

impl MountTable {
    /// Reads the table as the kernel prints it; lines of another form are left out.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let device = |line: &'_ [u8]| line.split(|&byte| byte == b' ').nth(2).map(<[u8]>::to_vec);
        let mut devices: Vec<_> = text.split(|&byte| byte == b'\n').filter_map(device).collect();
        devices.sort();
        if devices.windows(2).all(|pair| pair.first() != pair.last()) {
            // Every file system is mounted once: nothing has a second name.
            return Self::default();
        }
        Self(text.split(|&byte| byte == b'\n').filter_map(mount).collect())
    }

    /// Other paths under which this one, or a part of it, can be reached.
    ///
    /// The path must be resolved. A path may be named that doesn't exist or is covered since.
    pub(crate) fn aliases(&self, path: &Path) -> Vec<PathBuf> {
        // The last mount on the longest prefix is the one a lookup ends in.
        let Some(home) = self
            .0
            .iter()
            .filter(|mount| path.starts_with(&mount.at))
            .max_by_key(|mount| mount.at.components().count())
            .and_then(|best| self.0.iter().rfind(|mount| mount.at == best.at))
        else {
            return Vec::new();
        };
        let inside = match path.strip_prefix(&home.at) {
            Ok(rest) if !rest.as_os_str().is_empty() => home.root.join(rest),
            _ => home.root.clone(),
        };
        let mut found = Vec::new();
        for mount in self.0.iter().filter(|mount| mount.device == home.device) {
            let alias = if let Ok(rest) = inside.strip_prefix(&mount.root) {
                // The other mount shows an ancestor of the path, or the path itself.
                if rest.as_os_str().is_empty() { mount.at.clone() } else { mount.at.join(rest) }
            } else if mount.root.starts_with(&inside) {
                // The other mount shows something inside the path.
                mount.at.clone()
            } else {
                continue;
            };
            if !alias.starts_with(path) && !found.contains(&alias) {
                found.push(alias);
            }
        }
        found
    }
}

/// The mount table, read again only when the kernel says it has changed.
#[derive(Debug, Default)]
pub(crate) struct MountWatch {
    asked: bool,
    file: Option<File>,
    table: MountTable,
}

impl MountWatch {
    /// The table as it is now.
    pub(crate) fn table(&mut self) -> &MountTable {
        // Most processes ask once, on a machine where nothing is mounted twice. There the text, which
        // the kernel takes long to print, needn't be read; whoever asks again watches it.
        if self.file.is_none() && !std::mem::replace(&mut self.asked, true) && all_mounted_once() == Ok(true)
        {
            return &self.table;
        }
        if self.file.as_ref().is_none_or(changed) {
            self.table = self.read().unwrap_or_default();
        }
        &self.table
    }

    fn read(&mut self) -> Option<MountTable> {
        // Opened anew: the kernel tells each opening once of each change.
        let mut file = File::open("/proc/self/mountinfo").ok()?;
        let mut text = Vec::with_capacity(16 << 10);
        file.read_to_end(&mut text).ok()?;
        self.file = Some(file);
        Some(MountTable::parse(&text))
    }
}

/// Whether no file system is mounted twice, asked mount by mount.
fn all_mounted_once() -> Res<bool> {
    let mut mounts = [0u64; MANY];
    let mounts = sys::list_mounts(&mut mounts)?;
    if mounts.len() == MANY {
        return Ok(false);
    }
    let mut devices = mounts.iter().map(|&mount| sys::mounted_device(mount)).collect::<Res<Vec<_>>>()?;
    devices.sort_unstable();
    Ok(devices.windows(2).all(|pair| pair.first() != pair.last()))
}

fn changed(file: &File) -> bool {
    let mut fds = [libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLPRI, revents: 0 }];
    sys::poll(&mut fds, 0) != Ok(0)
}

fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&byte| byte == b' ');
    let device = fields.nth(2)?;
    let root = fields.next()?;
    let at = fields.next()?;
    Some(Mount {
        device: String::from_utf8_lossy(device).into_owned(),
        root: unescape(root),
        at: unescape(at),
    })
}

/// The kernel writes blanks, newlines and backslashes as three octal digits.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let octal = (first == b'\\')
            .then(|| after.get(..3))
            .flatten()
            .filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)));
        match octal {
            Some(digits) => {
                bytes.push(
                    digits.iter().fold(0u8, |value, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')),
                );
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 254:0 /home/ann /mnt/again rw,relatime shared:1 - ext4 /dev/vda rw
31 27 254:0 /home/ann/.ssh/keys /srv/my\\040keys rw - ext4 /dev/vda rw
32 27 0:22 / /sys rw - sysfs sysfs rw
33 27 0:50 / /home/bob rw - tmpfs tmpfs rw
34 27 254:0 /var /data rw - ext4 /dev/vda rw
short line
";

    fn aliases(path: &str) -> Vec<PathBuf> {
        MountTable::parse(TABLE.as_bytes()).aliases(Path::new(path))
    }

    #[test]
    fn an_ancestor_or_a_part_mounted_elsewhere_is_found() {
        assert_eq!(aliases("/home/ann/.ssh"), [Path::new("/mnt/again/.ssh"), Path::new("/srv/my keys")]);
    }

    #[test]
    fn a_path_seen_through_the_other_mount_leads_back() {
        assert_eq!(aliases("/mnt/again/.ssh"), [Path::new("/home/ann/.ssh"), Path::new("/srv/my keys")]);
    }

    #[test]
    fn another_file_system_is_no_alias() {
        assert!(aliases("/home/bob/.ssh").is_empty());
        assert!(aliases("/opt/x").is_empty());
    }

    #[test]
    fn asking_mount_by_mount_tells_what_the_text_tells() {
        let text = std::fs::read("/proc/self/mountinfo").unwrap();
        let lines = text.split(|&byte| byte == b'\n').filter_map(mount);
        let mut devices: Vec<String> = lines.map(|mount| mount.device).collect();
        devices.sort();
        let once = devices.windows(2).all(|pair| pair[0] != pair[1]);
        // An older kernel has no such calls.
        assert!(all_mounted_once().is_err() || all_mounted_once() == Ok(once));
    }

    #[test]
    fn rubbish_is_no_mount() {
        assert_eq!(MountTable::parse(b"\n\xff\xff\n1 2 3"), MountTable::default());
    }
}
