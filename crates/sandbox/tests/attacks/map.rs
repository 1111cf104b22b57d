//! The page that says which test holds what is true.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_map_names_is_there() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks");
    let map = fs::read_to_string(here.join("README.md")).unwrap();
    // Names in code marks: `file::test`, where a star stands for any rest.
    let named = map.split('`').skip(1).step_by(2).filter_map(|name| name.split_once("::"));
    let mut seen = 0;
    for (file, test) in named.filter(|&(file, _)| file != "ground") {
        let source = fs::read_to_string(here.join(file).with_extension("rs"));
        let source = source.unwrap_or_else(|error| panic!("{file}::{test}: {error}"));
        let call = match test.strip_suffix('*') {
            Some(start) => format!("#[test]\nfn {start}"),
            None => format!("#[test]\nfn {test}()"),
        };
        assert!(source.contains(&call), "there is no test {file}::{test}");
        seen += 1;
    }
    assert!(seen > 80, "{seen}");
}
