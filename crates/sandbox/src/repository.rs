//! What of a git repository has to stay as it is, and what a linked worktree has to write.
//!
//! Not a git implementation: it reads two pointer files and one value of the configuration, and
//! believes none of them further than they can be checked.

use std::fs;
use std::path::{Path, PathBuf};

/// Longest pointer or configuration file read.
const LONGEST: u64 = 1 << 20;
/// Most submodules looked into.
const MOST_MODULES: usize = 64;

fn read(path: &Path) -> Option<String> {
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > LONGEST {
        return None;
    }
    fs::read_to_string(path).ok()
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
    paths.extend(hooks_path(root, &common));
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

/// The directory `core.hooksPath` names, if it lies inside the root.
fn hooks_path(root: &Path, common: &Path) -> Option<PathBuf> {
    let value = hooks_path_value(&read(&common.join("config"))?)?;
    let path = Path::new(&value);
    let inside = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    let plain = inside
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    let inside: PathBuf = inside.components().filter(|part| *part != std::path::Component::CurDir).collect();
    (plain && !inside.as_os_str().is_empty()).then(|| root.join(inside))
}

/// The last value of `hooksPath` in a section `core`.
fn hooks_path_value(config: &str) -> Option<String> {
    let mut core = false;
    let mut value = None;
    for line in config.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (section, after) = rest.split_once(']')?;
            core = section.trim().eq_ignore_ascii_case("core");
            line = after.trim();
        }
        if !core {
            continue;
        }
        if let Some((name, text)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("hookspath")
        {
            let text = text.trim();
            let text = match text.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                None => text.split(['#', ';']).next().unwrap_or_default().trim_end(),
            };
            value = Some(text.to_owned());
        }
    }
    value.filter(|value| !value.is_empty())
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
    fn the_last_hooks_path_of_core_counts() {
        let value = |text| hooks_path_value(text);
        assert_eq!(value("[core]\n\thooksPath = .husky/_\n").as_deref(), Some(".husky/_"));
        assert_eq!(value("[core] hookspath=\"a b\" ; c\n").as_deref(), Some("a b"));
        assert_eq!(value("[Core]\nHooksPath = a # why\n[core]\nhooksPath = b\n").as_deref(), Some("b"));
        assert_eq!(value("[other]\nhooksPath = a\n[core \"x\"]\nhooksPath = b\n"), None);
        assert_eq!(value("[core\nhooksPath"), None);
        assert_eq!(value(""), None);
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
