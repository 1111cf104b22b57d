//! Finds and reads the users' own filter rules: `filters.toml`.
//!
//! The user's lies beside their configuration. A project's is `.toolgate/filters.toml`, in the
//! directory a command starts in or the nearest above it that has one; as it comes with somebody's
//! repository, it counts only once the user trusts it (`toolgate config trust`), and is passed over
//! until then.

use std::path::{Path, PathBuf};

use toolgate::config::{ConfigError, ConfigErrors, Layer, Loaded};
use toolgate::filter::{Catalog, Origin};

use crate::config_files::{self, Found, home_dir};
use crate::failure::Failure;
use crate::trusted::Trusted;

/// The name of the file.
const NAME: &str = "filters.toml";
/// The directory of a project's.
const PROJECT_DIR: &str = ".toolgate";

/// The built-in rules, with the user's and the project's over them.
pub(crate) fn catalog(start: &Path, loaded: &Loaded) -> Result<Catalog, Failure> {
    let mut catalog = Catalog::built_in();
    for file in find(start, loaded)? {
        let (Some(text), Layer::User | Layer::Project { trusted: true }) = (&file.text, file.layer) else {
            continue;
        };
        catalog = with(&catalog, &file.path, text, origin(file.layer))?;
    }
    Ok(catalog)
}

/// With the rules of one file, which were checked and whose examples were run.
fn with(catalog: &Catalog, path: &Path, text: &str, origin: Origin) -> Result<Catalog, Failure> {
    catalog.with_file(text, origin).map_err(|error| {
        let error = ConfigError::in_filters(&path.display().to_string(), text, &error);
        Failure::Config(ConfigErrors(vec![error]))
    })
}

/// The user's file and the project's, whether they are there or not.
pub(crate) fn find(start: &Path, loaded: &Loaded) -> Result<Vec<Found>, Failure> {
    let named = loaded.config.tools.filters.dir(home_dir().as_deref());
    let dir = named.or_else(|| Some(config_files::user_file()?.parent()?.to_owned()));
    let mut found = Vec::new();
    if let Some(dir) = dir {
        found.push(config_files::lookup(Layer::User, dir.join(NAME))?);
    }
    found.extend(project(start)?);
    Ok(found)
}

/// The project's file, where there is one.
pub(crate) fn project(start: &Path) -> Result<Option<Found>, Failure> {
    let at = |dir: &Path| -> PathBuf { dir.join(PROJECT_DIR).join(NAME) };
    for dir in start.ancestors() {
        let mut file = config_files::lookup(Layer::Project { trusted: false }, at(dir))?;
        if let Some(text) = &file.text {
            let trusted = Trusted::of_user().is_some_and(|list| list.has(&file.path, text));
            file.layer = Layer::Project { trusted };
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Whether a file is one of rules, by its name.
pub(crate) fn is_one(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == NAME)
}

/// What is wrong with files of rules, each taken alone.
pub(crate) fn errors(files: &[Found]) -> ConfigErrors {
    let wrong = files.iter().filter_map(|file| {
        let text = file.text.as_ref()?;
        let error = Catalog::built_in().with_file(text, origin(file.layer)).err()?;
        Some(ConfigError::in_filters(&file.path.display().to_string(), text, &error))
    });
    ConfigErrors(wrong.collect())
}

fn origin(layer: Layer) -> Origin {
    match layer {
        Layer::Project { .. } => Origin::Project,
        _ => Origin::User,
    }
}
