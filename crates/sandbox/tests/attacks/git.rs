//! Planting what git, editors and agents would run later, outside.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command as Bare;

use toolgate_sandbox::Level;

use super::ground::{Ground, everyone, has};

fn git(ground: &Ground, directory: &str, args: &[&str]) {
    let status = Bare::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(ground.path(directory))
        .env("HOME", &ground.home)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}

const NAMES: &str = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org;";

fn repository(ground: &Ground) {
    git(ground, "work/", &["init", "-q"]);
    ground.write("work/.git/hooks/post-commit.sample", "#!/bin/sh\n");
    ground.write("work/file", "one\n");
    git(ground, "work/", &["add", "."]);
    git(ground, "work/", &["commit", "-qm", "one"]);
}

#[test]
fn commits_work_and_hooks_and_configuration_hold() {
    everyone(|ground| {
        if !has("git") {
            println!("skipped: no git");
            return;
        }
        repository(ground);
        let config = fs::read_to_string(ground.path("work/.git/config")).unwrap();
        let ran = ground.run(&format!(
            "{NAMES} echo two >> file && git add file && git commit -qm two && git branch side && git stash list && git log --oneline | wc -l && git status --short"
        ));
        assert_eq!(ran.ok().trim(), "2", "a clean tree after the commit");
        let ran = ground.run(
            "echo evil > .git/hooks/pre-commit; cp file .git/hooks/post-commit; mv file .git/hooks/pre-push; ln .git/HEAD .git/hooks/x
             ln -s /bin/sh .git/hooks/y; mkdir .git/hooks/z; rm -rf .git/hooks; mv .git/hooks away; mv .git away; rm -rf .git/config
             echo evil >> .git/config; git config core.hooksPath /tmp/evil; git config alias.st '!evil'; mv .git/config old
             git config --worktree core.hooksPath evil; ln .git/config c && echo evil >> c; sed -i s/a/evil/ .git/config; echo done",
        );
        ran.says("done");
        assert_eq!(fs::read_to_string(ground.path("work/.git/config")).unwrap(), config);
        let hooks: Vec<_> =
            fs::read_dir(ground.path("work/.git/hooks")).unwrap().flatten().map(|e| e.file_name()).collect();
        assert!(hooks.iter().all(|name| name.to_string_lossy().ends_with(".sample")), "{hooks:?}");
    });
}

#[test]
fn a_hooks_path_of_the_workspace_holds() {
    everyone(|ground| {
        if !has("git") {
            println!("skipped: no git");
            return;
        }
        repository(ground);
        git(ground, "work/", &["config", "core.hooksPath", "tools/hooks"]);
        git(ground, "work/", &["config", "include.path", "../shared.gitconfig"]);
        ground.write("work/shared.gitconfig", "");
        ground.write("work/tools/hooks/pre-commit", "#!/bin/sh\n");
        ground.run("echo evil > shared.gitconfig; echo evil > tools/hooks/pre-commit; echo evil > tools/hooks/post-commit; mv tools away; mkdir -p tools/hooks; echo evil > tools/hooks/x; echo y > tools/y");
        assert_eq!(fs::read_to_string(ground.path("work/tools/hooks/pre-commit")).unwrap(), "#!/bin/sh\n");
        assert_eq!(fs::read_dir(ground.path("work/tools/hooks")).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(ground.path("work/shared.gitconfig")).unwrap(), "");
        assert!(ground.path("work/tools/y").exists(), "beside them one may write");
    });
}

#[test]
fn a_new_repository_works_and_is_told_of() {
    everyone(|ground| {
        if !has("git") {
            println!("skipped: no git");
            return;
        }
        let ran = ground.run(&format!("{NAMES} git init -q && echo x > f && git add f && git commit -qm x && echo evil > .git/hooks/pre-commit"));
        ran.ok();
        assert_eq!(ran.exit.touched, [ground.path("work/.git")]);
    });
}

#[test]
fn appearing_names_are_told_of() {
    everyone(|ground| {
        ground.write("work/.github/workflows/ci.yml", "on: push\n");
        let ran = ground.run("mkdir .vscode; echo '{}' > .vscode/tasks.json; echo evil > .envrc; echo x > .mcp.json; echo x > fine; echo y >> .github/workflows/ci.yml");
        ran.ok();
        for name in [".vscode", ".envrc", ".mcp.json"] {
            assert!(
                ran.exit.touched.contains(&ground.path(&format!("work/{name}"))),
                "{name}: {:?}",
                ran.exit.touched
            );
        }
        assert!(!ran.exit.touched.contains(&ground.path("work/fine")));
    });
}

#[test]
fn protected_links_can_not_be_replaced() {
    everyone(|ground| {
        ground.write("home/shared/settings.json", "{}");
        ground.write("work/real/hook", "good");
        symlink(ground.path("home/shared"), ground.path("work/.claude")).unwrap();
        symlink("real", ground.path("work/.husky")).unwrap();
        symlink("/nonexistent/x", ground.path("work/.codex")).unwrap();
        let ran = ground.run(
            "rm -f .claude .husky .codex; mv .claude x; mv .husky y; ln -sfn /tmp .claude; mkdir .claude; mkdir .codex; echo evil > .husky/hook; echo evil > real/hook; mv real r; echo evil > .claude/settings.json; echo done",
        );
        ran.says("done");
        assert_eq!(fs::read_link(ground.path("work/.claude")).unwrap(), ground.path("home/shared"));
        assert_eq!(fs::read_link(ground.path("work/.husky")).unwrap().to_str(), Some("real"));
        assert_eq!(fs::read_to_string(ground.path("work/real/hook")).unwrap(), "good");
        assert_eq!(fs::read_to_string(ground.path("home/shared/settings.json")).unwrap(), "{}");
        let dangling = fs::read_link(ground.path("work/.codex")).unwrap();
        assert_eq!(dangling.to_str(), Some("/nonexistent/x"));
    });
}

#[test]
fn a_linked_worktree_can_commit_and_not_more() {
    everyone(|ground| {
        if !has("git") {
            println!("skipped: no git");
            return;
        }
        fs::remove_dir_all(ground.path("work/")).unwrap();
        fs::create_dir_all(ground.path("home/main")).unwrap();
        git(ground, "home/main", &["init", "-q"]);
        git(ground, "home/main", &["commit", "-q", "--allow-empty", "-m", "one"]);
        git(ground, "home/main", &["worktree", "add", "-q", "../work", "-b", "side"]);
        let pointer = fs::read_to_string(ground.path("work/.git")).unwrap();
        let ran = ground.run(&format!(
            "{NAMES} echo x > f && git add f && git commit -qm two && git log --oneline | wc -l"
        ));
        assert_eq!(ran.ok().trim(), "2");
        assert_eq!(ran.enforcement.level, Level::Full);
        ground.run(
            "echo evil > ../main/.git/hooks/pre-commit; echo evil >> ../main/.git/config; mv .git old; echo 'gitdir: /tmp' > .git
             echo /etc > ../main/.git/worktrees/work/commondir; echo x > ../main/x; git config core.hooksPath evil",
        );
        assert_eq!(fs::read_to_string(ground.path("work/.git")).unwrap(), pointer);
        assert!(
            !ground.path("home/main/x").exists() && !ground.path("home/main/.git/hooks/pre-commit").exists()
        );
        assert!(!fs::read_to_string(ground.path("home/main/.git/config")).unwrap().contains("evil"));
        assert_eq!(
            fs::read_to_string(ground.path("home/main/.git/worktrees/work/commondir")).unwrap(),
            "../..\n"
        );
    });
}
