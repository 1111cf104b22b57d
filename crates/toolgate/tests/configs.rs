//! Every file in `configs/` means what the file beside it says, or is refused with what it says.
//!
//! A first line `# as: project` says whose file it is; else it is the user's. After a change that
//! is meant, run with `TOOLGATE_BLESS=1` and read the difference.

// Helpers of a test fail the test.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use toolgate::config::{Layer, Source, Surroundings, load};

fn folder(name: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs").join(name);
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn meaning(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let layer = match text.lines().next() {
        Some("# as: project") => Layer::Project { trusted: false },
        _ => Layer::User,
    };
    let around = Surroundings { home: Some("/home/me".into()), ..Surroundings::new("/repo") };
    let loaded =
        load(&[Source::new(layer, name, text).dir("/repo")], &around).map_err(|e| format!("{e}\n"))?;
    let set = loaded.settings().iter().filter(|s| s.origins.iter().any(|o| o.layer != Layer::BuiltIn));
    Ok(set
        .map(|s| {
            let origins: Vec<_> = s.origins.iter().map(|o| o.to_string()).collect();
            format!("{} = {} # {}\n", s.key, s.value, origins.join(", "))
        })
        .collect())
}

fn compare(path: &Path, extension: &str, got: &str) -> Option<String> {
    let file = path.with_extension(extension);
    if std::env::var_os("TOOLGATE_BLESS").is_some() {
        fs::write(&file, got).unwrap();
    }
    let want = fs::read_to_string(&file).unwrap_or_default();
    (want != got).then(|| format!("{}:\n--- expected\n{want}--- got\n{got}", path.display()))
}

#[test]
fn valid_files_mean_what_is_written_beside_them() {
    let compared = folder("valid").into_iter().filter_map(|path| match meaning(&path) {
        Ok(settings) => compare(&path, "settings", &settings),
        Err(message) => Some(format!("{} is refused:\n{message}", path.display())),
    });
    let wrong: Vec<_> = compared.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn invalid_files_are_refused_with_what_is_written_beside_them() {
    let compared = folder("invalid").into_iter().filter_map(|path| match meaning(&path) {
        Ok(_) => Some(format!("{} is taken", path.display())),
        Err(message) => compare(&path, "message", &message),
    });
    let wrong: Vec<_> = compared.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/toolgate.schema.json");
    let got = format!("{:#}\n", toolgate::config::schema());
    if std::env::var_os("TOOLGATE_BLESS").is_some() {
        fs::write(&file, &got).unwrap();
    }
    let want = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        want == got,
        "docs/reference/toolgate.schema.json is stale: run the tests of toolgate with TOOLGATE_BLESS=1"
    );
}
