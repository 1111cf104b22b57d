//! What of a git repository has to stay as it is, and what a linked worktree has to write.
//!
//! Not a git implementation: it reads two pointer files and one value of the configuration, and
//! believes none of them further than they can be checked.

use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

/// Longest pointer or configuration file read.
const LONGEST: u64 = 1 << 20;
/// Most submodules looked into.
const MOST_MODULES: usize = 64;

fn read(path: &Path) -> Option<String> {
    // What lies there may have been put there: a pipe must not hold us, nor a link lead us away.
    let mut file =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > LONGEST {
        return None;
    }
    let mut text = String::new();
    file.by_ref().take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Paths by which git would be made to run something in this directory, existing or not.
///
/// The directory may be no repository, a repository, or a linked worktree.
pub(crate) fn guarded(root: &Path) -> Vec<PathBuf> {
    let dot_git = root.join(".git");
    let Ok(meta) = fs::symlink_metadata(&dot_git) else {
        return vec![dot_git];
    };
    let mut paths = Vec::new();
    let common = if meta.is_dir() {
        dot_git
    } else {
        // A worktree's or submodule's pointer: rewritten, it would lead git to another repository.
        paths.push(dot_git);
        match worktree_of(root) {
            Some(common) => common,
            None => return paths,
        }
    };
    guard(&common, &mut paths);
    paths.extend(named(root, &common));
    for module in children(&common.join("modules")) {
        guard(&module, &mut paths);
    }
    for tree in children(&common.join("worktrees")) {
        paths.extend(["gitdir", "commondir", "config.worktree"].map(|name| tree.join(name)));
    }
    paths
}

fn guard(git: &Path, paths: &mut Vec<PathBuf>) {
    paths.extend(
        ["hooks", "config", "config.worktree", "commondir", "info/attributes"].map(|name| git.join(name)),
    );
}

fn children(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory)
        .map(|entries| entries.flatten().take(MOST_MODULES).map(|entry| entry.path()).collect())
        .unwrap_or_default()
}

/// Paths inside the root that the configuration names as hooks or as more configuration.
fn named(root: &Path, common: &Path) -> Vec<PathBuf> {
    let Some(config) = read(&common.join("config")) else {
        return Vec::new();
    };
    let found = settings(&config);
    // Hooks are named from the work tree, more configuration from the file that names it.
    let hooks = found.hooks.iter().filter_map(|value| inside(root, root, value));
    let more = found.includes.iter().filter_map(|value| inside(root, common, value));
    hooks.chain(more).collect()
}

/// The path a value means, if it lies below the root.
fn inside(root: &Path, from: &Path, value: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in from.join(value).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    (path != root && path.starts_with(root)).then_some(path)
}

/// Values of a configuration that make git run or read something.
#[derive(Debug, Default, PartialEq, Eq)]
struct Settings {
    hooks: Vec<String>,
    includes: Vec<String>,
}

fn settings(config: &str) -> Settings {
    let mut found = Settings::default();
    let mut section = String::new();
    for line in config.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((name, after)) = rest.split_once(']') else {
                continue;
            };
            section = name.trim().to_ascii_lowercase();
            line = after.trim();
        }
        let Some((name, text)) = line.split_once('=') else {
            continue;
        };
        let text = text.trim();
        let value = match text.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => text.split(['#', ';']).next().unwrap_or_default().trim_end(),
        };
        let list = match (section.as_str(), name.trim().to_ascii_lowercase().as_str()) {
            ("core", "hookspath") => &mut found.hooks,
            ("include", "path") => &mut found.includes,
            (section, "path") if section.starts_with("includeif") => &mut found.includes,
            _ => continue,
        };
        if !value.is_empty() && list.len() < MOST_MODULES {
            list.push(value.to_owned());
        }
    }
    found
}

/// The repository directory that a linked worktree's commits are written to.
///
/// The pointer file lies where a contained command can rewrite it, so it is believed only if what
/// it points at is shaped like a repository's own record of this worktree and points back.
pub(crate) fn worktree_of(root: &Path) -> Option<PathBuf> {
    let pointer = root.join(".git");
    let text = read(&pointer)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let own = fs::canonicalize(root.join(target)).ok()?;
    let worktrees = own.parent()?;
    let common = worktrees.parent()?;
    if worktrees.file_name()? != "worktrees" {
        return None;
    }
    let back = read(&own.join("gitdir"))?;
    if fs::canonicalize(back.trim()).ok()? != fs::canonicalize(&pointer).ok()? {
        return None;
    }
    let stated = fs::canonicalize(own.join(read(&own.join("commondir"))?.trim())).ok()?;
    let plain = |name: &str| fs::symlink_metadata(common.join(name)).is_ok_and(|meta| !meta.is_symlink());
    // A link here would lead anywhere; a repository has plain directories.
    let shaped =
        ["HEAD", "config", "objects", "refs"].into_iter().all(plain) && common.join("objects").is_dir();
    (stated == common && shaped).then(|| common.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_run_something_are_found() {
        let hooks = |text| settings(text).hooks;
        assert_eq!(hooks("[core]\n\thooksPath = .husky/_\n"), [".husky/_"]);
        assert_eq!(hooks("[core] hookspath=\"a b\" ; c\n"), ["a b"]);
        assert_eq!(hooks("[Core]\nHooksPath = a # why\n[core]\nhooksPath = b\n"), ["a", "b"]);
        assert!(hooks("[other]\nhooksPath = a\n[core \"x\"]\nhooksPath = b\n").is_empty());
        let more = "[include]\npath = ../.gitconfig\n[includeIf \"gitdir:/x/\"]\n\tpath = \"b\"\n";
        assert_eq!(settings(more).includes, ["../.gitconfig", "b"]);
        assert_eq!(settings("[core\nhooksPath"), Settings::default());
    }

    #[test]
    fn a_value_means_a_path_only_below_the_root() {
        let (root, git) = (Path::new("/w/t"), Path::new("/w/t/.git"));
        let means = |from, value| inside(root, from, value);
        assert_eq!(means(root, "./a//b"), Some(root.join("a/b")));
        assert_eq!(means(git, "../.gitconfig"), Some(root.join(".gitconfig")));
        assert_eq!(means(root, "/w/t/x"), Some(root.join("x")));
        for value in ["..", "../../x", "/etc/x", "/w/tt", "."] {
            assert_eq!(means(root, value), None, "{value}");
        }
    }

    struct Tree(PathBuf);

    impl Drop for Tree {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    fn worktree(name: &str) -> (Tree, PathBuf, PathBuf) {
        let base = std::env::temp_dir().join(format!("toolgate-worktree-{name}-{}", std::process::id()));
        fs::create_dir_all(&base).unwrap();
        let base = fs::canonicalize(base).unwrap();
        let (main, tree) = (base.join("main/.git"), base.join("tree"));
        for path in ["objects", "refs", "worktrees/tree"] {
            fs::create_dir_all(main.join(path)).unwrap();
        }
        fs::create_dir_all(&tree).unwrap();
        fs::write(main.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(main.join("config"), "[core]\n\thooksPath = tools\n").unwrap();
        fs::write(main.join("worktrees/tree/gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(main.join("worktrees/tree/commondir"), "../..\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", main.join("worktrees/tree").display())).unwrap();
        (Tree(base), main, tree)
    }

    #[test]
    fn a_linked_worktree_names_what_it_writes_and_must_not() {
        let (_guard, main, tree) = worktree("plain");
        assert_eq!(worktree_of(&tree), Some(main.clone()));
        let guarded = guarded(&tree);
        for path in [
            tree.join(".git"),
            main.join("hooks"),
            main.join("config"),
            main.join("worktrees/tree/gitdir"),
            tree.join("tools"),
        ] {
            assert!(guarded.contains(&path), "{}", path.display());
        }
    }

    #[test]
    fn a_rewritten_pointer_is_not_believed() {
        let (_guard, main, tree) = worktree("rewritten");
        // Somebody else's record, which does not point back here.
        fs::create_dir_all(main.join("worktrees/other")).unwrap();
        fs::write(main.join("worktrees/other/gitdir"), "/elsewhere/.git\n").unwrap();
        fs::write(main.join("worktrees/other/commondir"), "../..\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", main.join("worktrees/other").display()))
            .unwrap();
        assert_eq!(worktree_of(&tree), None);
        // A record of the attacker's own making, inside the tree, that names a common directory elsewhere.
        let fake = tree.join("worktrees/x");
        fs::create_dir_all(&fake).unwrap();
        fs::write(fake.join("gitdir"), tree.join(".git").display().to_string()).unwrap();
        fs::write(fake.join("commondir"), main.display().to_string()).unwrap();
        fs::write(tree.join(".git"), "gitdir: worktrees/x\n").unwrap();
        assert_eq!(worktree_of(&tree), None);
    }

    #[test]
    fn a_repository_of_links_is_none() {
        let (_guard, main, tree) = worktree("link");
        fs::rename(main.join("objects"), main.join("moved")).unwrap();
        std::os::unix::fs::symlink("/etc", main.join("objects")).unwrap();
        assert_eq!(worktree_of(&tree), None);
    }
}
