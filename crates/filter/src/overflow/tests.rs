use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A folder of its own that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("toolgate-overflow-{}", store::OutputId::random().unwrap());
        Self(std::env::temp_dir().join(name))
    }

    fn config(&self) -> OverflowConfig {
        OverflowConfig { dir: Some(self.0.join("outputs")), reserve_bytes: 0, ..Default::default() }
    }

    fn outputs(&self) -> PathBuf {
        self.0.join("outputs")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn age(path: &Path, days: u64, seconds: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 86_400 + seconds);
    fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

fn spooled(store: &Store, text: &[u8]) -> SpoolSummary {
    let mut spool = store.create().unwrap();
    for chunk in text.chunks(7_001) {
        spool.write(chunk);
    }
    spool.finish()
}

#[test]
fn only_text_above_the_threshold_is_saved_and_privately() {
    let folder = Folder::new();
    let config = folder.config();
    assert_eq!(save_overflow(&"é".repeat(50_000), &config), None);
    let name = save_overflow(&"é".repeat(50_001), &config).unwrap();
    let meta = fs::metadata(folder.outputs().join(&name)).unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o600);
    assert_eq!(meta.len(), 100_002);
    assert_eq!(fs::metadata(folder.outputs()).unwrap().permissions().mode() & 0o777, 0o700);
    let zero = OverflowConfig { threshold: 0, ..config.clone() };
    assert!(save_overflow("any", &zero).is_some());
    let never = OverflowConfig { threshold: 0, persist: Persist::Never, ..config };
    assert!(save_overflow("any", &never).is_none());
}

#[test]
fn a_folder_that_is_a_link_is_refused_and_an_open_one_is_closed() {
    let folder = Folder::new();
    fs::create_dir_all(folder.0.join("elsewhere")).unwrap();
    symlink(folder.0.join("elsewhere"), folder.outputs()).unwrap();
    assert!(matches!(Store::open(&folder.config()), Err(StoreError::Folder { .. })));
    fs::remove_file(folder.outputs()).unwrap();
    fs::create_dir(folder.outputs()).unwrap();
    fs::set_permissions(folder.outputs(), fs::Permissions::from_mode(0o755)).unwrap();
    Store::open(&folder.config()).unwrap();
    assert_eq!(fs::metadata(folder.outputs()).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn only_old_files_of_ours_are_removed() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let old = spooled(&store, b"old").id;
    let fresh = spooled(&store, b"fresh").id;
    let edge = spooled(&store, b"edge").id;
    let notes = folder.outputs().join("my-notes.md");
    let like = folder.outputs().join("00000000-0000-0000-0000-000000000000.txt");
    let target = folder.0.join("target.txt");
    for path in [&notes, &like, &target] {
        fs::write(path, "mine").unwrap();
        age(path, 30, 0);
    }
    let link = folder.outputs().join(spooled(&store, b"x").id.file_name());
    fs::remove_file(&link).unwrap();
    symlink(&target, &link).unwrap();
    age(&store.path_of(&old), 7, 100);
    age(&store.path_of(&edge), 6, 86_000);
    let swept = cleanup_overflow_files(&folder.config()).unwrap();
    assert_eq!(swept.removed, 1);
    assert!(store.read(&old).is_err() && store.read(&fresh).is_ok() && store.read(&edge).is_ok());
    assert!(notes.exists() && like.exists() && target.exists() && fs::symlink_metadata(&link).is_ok());
}

#[test]
fn the_oldest_go_beyond_the_quota_but_not_what_is_being_written() {
    let folder = Folder::new();
    let config = OverflowConfig { quota_bytes: 2_500, ..folder.config() };
    let store = Store::open(&config).unwrap();
    let mut open = store.create().unwrap();
    open.write(&[b'o'; 1000]);
    age(&store.path_of(&open.id()), 9, 0);
    let first = spooled(&store, &[b'a'; 1000]).id;
    age(&store.path_of(&first), 2, 0);
    let second = spooled(&store, &[b'b'; 1000]).id;
    let third = spooled(&store, b"c").id;
    assert!(store.read(&first).is_err(), "the oldest closed output goes");
    assert!(store.read(&second).is_ok() && store.read(&third).is_ok());
    let summary = open.finish();
    assert_eq!(summary.bytes, 1000);
    assert!(store.read(&summary.id).is_ok());
}

#[test]
fn what_must_stay_free_stays_free() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let full = store::Reserve::exactly(u64::MAX);
    assert!(full.room(&store.folder).is_err() && store::Reserve::exactly(0).room(&store.folder).is_ok());
    // It is also looked at while an output is written.
    let mut spool = store.create().unwrap().watching((store.folder.clone(), full));
    for _ in 0..10 {
        spool.write(&[b'x'; 1024 * 1024]);
    }
    spool.write(b"the end\n");
    let id = spool.id();
    let summary = spool.finish();
    assert!(
        matches!(&summary.cut, Cut::Storage { error, .. } if error.contains("space")),
        "{:?}",
        summary.cut
    );
    assert_eq!(store.read(&id).unwrap().size(), 0, "not even the first byte");
    assert!(summary.tail.ends_with("the end\n"));
}

#[test]
fn a_folder_that_others_can_write_in_is_left_alone() {
    let folder = Folder::new();
    fs::create_dir_all(folder.outputs()).unwrap();
    fs::set_permissions(folder.outputs(), fs::Permissions::from_mode(0o1777)).unwrap();
    assert!(matches!(Store::open(&folder.config()), Err(StoreError::NotPrivate { .. })));
    assert_eq!(fs::metadata(folder.outputs()).unwrap().mode() & 0o7777, 0o1777);
}

#[test]
fn a_path_with_links_in_it_is_told_as_it_really_is() {
    let folder = Folder::new();
    fs::create_dir_all(folder.0.join("real")).unwrap();
    symlink(folder.0.join("real"), folder.0.join("link")).unwrap();
    let config = OverflowConfig { dir: Some(folder.0.join("link/outputs")), ..folder.config() };
    let store = Store::open(&config).unwrap();
    let id = spooled(&store, b"x").id;
    assert_eq!(
        store.path_of(&id),
        folder.0.canonicalize().unwrap().join("real/outputs").join(id.file_name())
    );
}

#[test]
fn an_answer_is_bounded_and_goes_on_where_it_ended() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let text: String = (0..500).map(|n| format!("{n} {}\n", "x".repeat(n % 97 * 50))).collect();
    let id = spooled(&store, text.as_bytes()).id;
    let (mut from, mut count) = (1, 0);
    loop {
        let lines = store.read(&id).unwrap().bounded(8_000).lines(from, u64::MAX).unwrap();
        assert!(lines.text.len() <= 8_100 && lines.count > 0);
        (from, count) = (from + lines.count, count + lines.count);
        if !lines.more {
            break;
        }
    }
    assert_eq!(count, 500);
    let found = store.read(&id).unwrap().bounded(8_000).grep("x", 3, 1_000).unwrap();
    let size: usize = found
        .matches
        .iter()
        .flat_map(|m| m.before.iter().chain(&m.after).chain([&m.text]))
        .map(String::len)
        .sum();
    assert!(size < 16_000 && found.total > 490, "{size} {}", found.total);
}

#[test]
fn a_write_that_fails_keeps_head_and_tail_and_says_so() {
    // Every write to this device fails as on a full disk.
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut spool = spool::Spool::new(store::OutputId::random().unwrap(), full, 1_000_000);
    let text: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    spool.write(text.as_bytes());
    spool.write(b"error: the end\n");
    let summary = spool.finish();
    assert!(
        matches!(&summary.cut, Cut::Storage { bytes, error } if *bytes == summary.bytes && error.contains("space"))
    );
    assert!(summary.head.starts_with("line 0\n") && summary.tail.ends_with("error: the end\n"));
    assert_eq!(summary.lines, 20_001);
}

#[test]
fn an_endless_output_is_capped_with_true_counts() {
    let folder = Folder::new();
    let config = OverflowConfig { max_output_bytes: 40_000, ..folder.config() };
    let store = Store::open(&config).unwrap();
    let text: String = (1..=20_000).map(|n| format!("line {n}\n")).collect();
    let summary = spooled(&store, text.as_bytes());
    let Cut::Size { bytes, lines } = summary.cut else { panic!("{:?}", summary.cut) };
    assert_eq!((summary.bytes, summary.lines), (text.len() as u64, 20_000));
    let stored = fs::read_to_string(store.path_of(&summary.id)).unwrap();
    assert!(stored.starts_with("line 1\n") && stored.ends_with("line 20000\n"));
    let note = format!("[… {bytes} bytes ({lines} lines) of this output were not kept …]");
    assert!(stored.contains(&note));
    assert_eq!(stored.len() as u64, text.len() as u64 - bytes + note.len() as u64 + 2);
}

#[test]
fn the_preview_shows_both_ends_and_how_to_read_on() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let text: String = (1..=20_000).map(|n| format!("line {n}\n")).collect();
    let summary = spooled(&store, text.as_bytes());
    let preview = summary.preview(5_000);
    assert!(preview.len() < 5_300);
    assert!(preview.starts_with("line 1\n") && preview.ends_with("line 20000\n"));
    // The counts and the place to read on are exact.
    let from: u64 = preview.split("from_line=").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let hidden: u64 = preview.split(" bytes (").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let shown = preview.lines().count() as u64 - 1;
    assert_eq!(shown + hidden, 20_000);
    let next = store.read(&summary.id).unwrap().lines(from, 1).unwrap().text;
    assert_eq!(next, format!("line {from}\n"));
    assert!(!preview.contains(&next));
    // Few long lines: the last one is there although the first alone fills the space.
    let long: String =
        (0..20).map(|n| format!("{n}{}\n", "x".repeat(2_000))).chain(["error: last\n".into()]).collect();
    assert!(spooled(&store, long.as_bytes()).preview(5_000).ends_with("error: last\n"));
    assert_eq!(spooled(&store, b"short\n").preview(5_000), "short\n");
}

#[test]
fn one_long_line_is_read_by_bytes() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let text = format!("{}needle{}", "é".repeat(500_000), "x".repeat(700_000));
    let summary = spooled(&store, text.as_bytes());
    assert_eq!(summary.lines, 1);
    assert!(summary.preview(2_000).contains("offset="));
    let mut reader = store.read(&summary.id).unwrap();
    let mut read = String::new();
    let mut offset = 0;
    loop {
        let piece = reader.bytes(offset, 10_001).unwrap();
        assert_eq!(piece.offset, offset);
        read.push_str(&piece.text);
        offset = piece.end;
        if !piece.more {
            break;
        }
    }
    assert_eq!(read, text);
    let lines = reader.lines(1, 10).unwrap();
    assert_eq!((lines.count, lines.cut_lines.as_slice()), (1, &[1][..]));
    let found = reader.grep("need.e", 0, 10).unwrap();
    assert_eq!((found.total, found.matches[0].offset), (1, 1_000_000));
    assert!(found.matches[0].text.contains("needle"));
}

#[test]
fn line_windows_are_exact_to_the_last_line() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let text: String = (1..=12_000).map(|n| format!("{n}\n")).collect();
    let id = spooled(&store, text.as_bytes()).id;
    let mut reader = store.read(&id).unwrap();
    let lines = reader.lines(11_098, 30).unwrap();
    assert!(lines.text.starts_with("11098\n") && lines.text.ends_with("11127\n"));
    assert_eq!((lines.count, lines.more), (30, true));
    // A file that ends in a line end has no line after it.
    let last = reader.lines(11_999, 2).unwrap();
    assert_eq!((last.text.as_str(), last.count, last.more), ("11999\n12000\n", 2, false));
    assert_eq!(reader.lines(12_001, 5).unwrap().count, 0);
    let tail = reader.tail(3).unwrap();
    assert_eq!((tail.text.as_str(), tail.from), ("11998\n11999\n12000\n", 11_998));
    assert_eq!(reader.lines(0, 1).unwrap().text, "1\n");
}

#[test]
fn searching_counts_all_and_gives_context() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let text: String = (1..=1_000)
        .map(|n| if n % 100 == 0 { format!("error {n}\n") } else { format!("row {n}\n") })
        .collect();
    let id = spooled(&store, text.as_bytes()).id;
    let mut reader = store.read(&id).unwrap();
    let found = reader.grep("^error", 2, 3).unwrap();
    assert_eq!((found.total, found.matches.len()), (10, 3));
    let first = &found.matches[0];
    assert_eq!((first.line, first.text.as_str()), (100, "error 100"));
    assert_eq!(first.before, ["row 98", "row 99"]);
    assert_eq!(first.after, ["row 101", "row 102"]);
    let text = found.to_string();
    assert!(
        text.starts_with("98-row 98\n99-row 99\n100:error 100\n101-row 101\n102-row 102\n--\n198-"),
        "{text}"
    );
    // Lines that belong to two matches are there once.
    let near = reader.grep("row (1|2|4)$", 1, 10).unwrap().to_string();
    assert_eq!(near, "1:row 1\n2:row 2\n3-row 3\n4:row 4\n5-row 5\n");
    assert!(matches!(reader.grep("(", 0, 1), Err(ReadError::Pattern { .. })));
    assert!(matches!(reader.grep(&"a".repeat(2000), 0, 1), Err(ReadError::Pattern { .. })));
    assert!(matches!(reader.grep("(a{1000}){1000}", 0, 1), Err(ReadError::Pattern { .. })));
}

#[test]
fn identifiers_are_no_paths() {
    for text in [
        "",
        "../../etc/passwd",
        "a.txt",
        "00000000-0000-0000-0000-000000000000",
        "F0000000-0000-4000-8000-000000000000",
    ] {
        assert!(OutputId::parse(text).is_err(), "{text}");
    }
    let id = store::OutputId::random().unwrap();
    assert_eq!(OutputId::parse(&id.to_string()).unwrap(), id);
    assert_eq!(OutputId::parse(&id.file_name()).unwrap(), id);
}

#[test]
fn a_link_or_a_pipe_in_the_folder_is_not_read() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    fs::write(folder.0.join("secret"), "secret").unwrap();
    let id = store::OutputId::random().unwrap();
    symlink(folder.0.join("secret"), store.path_of(&id)).unwrap();
    assert!(store.read(&id).is_err());
    let pipe = store::OutputId::random().unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        store.path_of(&pipe),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert!(store.read(&pipe).is_err());
}

#[test]
fn deleting_tells_whether_it_was_there() {
    let folder = Folder::new();
    let store = Store::open(&folder.config()).unwrap();
    let id = spooled(&store, b"x").id;
    assert_eq!(store.list().unwrap().len(), 1);
    assert!(store.delete(&id).unwrap());
    assert!(!store.delete(&id).unwrap());
    assert!(matches!(store.read(&id), Err(StoreError::Missing { .. })));
}
