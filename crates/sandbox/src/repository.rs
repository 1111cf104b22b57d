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

/// Paths relative to `root` by which git would be made to run something, if `root` is a repository.
pub(crate) fn guarded(root: &Path) -> Vec<PathBuf> {
    let dot_git = PathBuf::from(".git");
    let Ok(meta) = fs::symlink_metadata(root.join(&dot_git)) else {
        return vec![dot_git];
    };
    if !meta.is_dir() {
        // A worktree's or submodule's pointer: rewritten, it would lead git to another repository.
        return vec![dot_git];
    }
    let mut paths = Vec::new();
    guard(&dot_git, &mut paths);
    if let Some(hooks) = hooks_path(root) {
        paths.push(hooks);
    }
    let modules = dot_git.join("modules");
    if let Ok(entries) = fs::read_dir(root.join(&modules)) {
        for entry in entries.flatten().take(MOST_MODULES) {
            guard(&modules.join(entry.file_name()), &mut paths);
        }
    }
    paths
}

fn guard(git: &Path, paths: &mut Vec<PathBuf>) {
    paths.extend(
        ["hooks", "config", "config.worktree", "commondir", "info/attributes"].map(|name| git.join(name)),
    );
}

/// The directory `core.hooksPath` names, if it lies inside the root.
fn hooks_path(root: &Path) -> Option<PathBuf> {
    let value = hooks_path_value(&read(&root.join(".git/config"))?)?;
    let path = Path::new(&value);
    let inside = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    let plain = inside
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    let inside: PathBuf = inside.components().filter(|part| *part != std::path::Component::CurDir).collect();
    (plain && !inside.as_os_str().is_empty()).then_some(inside)
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

/// Directories of the main repository that a linked worktree's `git add` and `git commit` write.
///
/// The pointer file lies where a contained command can rewrite it, so it is believed only if what
/// it points at is shaped like a repository's own record of this worktree and points back.
pub(crate) fn worktree_directories(root: &Path) -> Vec<PathBuf> {
    linked(root).unwrap_or_default()
}

fn linked(root: &Path) -> Option<Vec<PathBuf>> {
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
    if stated != common {
        return None;
    }
    let shaped =
        common.join("HEAD").is_file() && common.join("objects").is_dir() && common.join("refs").is_dir();
    if !shaped {
        return None;
    }
    let mut directories = vec![own.clone()];
    for name in ["objects", "refs", "logs"] {
        // A link here would lead anywhere; a repository has plain directories.
        let path = common.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir()) {
            directories.push(path);
        }
    }
    Some(directories)
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
        fs::write(main.join("worktrees/tree/gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(main.join("worktrees/tree/commondir"), "../..\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", main.join("worktrees/tree").display())).unwrap();
        (Tree(base), main, tree)
    }

    #[test]
    fn a_linked_worktree_names_what_it_writes() {
        let (_guard, main, tree) = worktree("plain");
        let found = worktree_directories(&tree);
        assert_eq!(found, ["worktrees/tree", "objects", "refs"].map(|name| main.join(name)));
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
        assert!(worktree_directories(&tree).is_empty());
        // A record of the attacker's own making, inside the tree, that names a common directory elsewhere.
        let fake = tree.join("worktrees/x");
        fs::create_dir_all(&fake).unwrap();
        fs::write(fake.join("gitdir"), tree.join(".git").display().to_string()).unwrap();
        fs::write(fake.join("commondir"), main.display().to_string()).unwrap();
        fs::write(tree.join(".git"), "gitdir: worktrees/x\n").unwrap();
        assert!(worktree_directories(&tree).is_empty());
    }

    #[test]
    fn a_link_among_the_directories_is_left_out() {
        let (_guard, main, tree) = worktree("link");
        std::os::unix::fs::symlink("/etc", main.join("logs")).unwrap();
        assert!(!worktree_directories(&tree).contains(&main.join("logs")));
    }
}
