//! What commands run in: the section `[sandbox]`, the flags over it, and what is said of it.

use super::{User, exists};

/// Whether a command could write in the directory it runs in.
fn writes(user: &User, flags: &[&str]) -> bool {
    let args = [&["run", "--yes"], flags, &["echo x > written"]].concat();
    let ran = user.toolgate(&args);
    let written = user.work().join("written");
    let wrote = exists(&written);
    assert_eq!(ran.code == 0, wrote, "{ran:?}");
    if wrote {
        std::fs::remove_file(written).unwrap();
    }
    wrote
}

#[test]
fn the_preset_is_configured_and_a_flag_goes_over_it() {
    let user = User::new();
    assert!(writes(&user, &[]));
    user.user_config("[sandbox]\npreset = \"read-only\"\n");
    assert!(!writes(&user, &[]));
    assert!(writes(&user, &["--sandbox", "workspace-write"]));
}

#[test]
fn a_project_may_shut_its_own_doors_and_open_none() {
    let user = User::new();
    user.project_config("[sandbox]\npreset = \"read-only\"\n");
    assert!(!writes(&user, &[]));
    user.project_config("[sandbox]\nnetwork = \"allow\"\n");
    let ran = user.toolgate(&["run", "--yes", "true"]);
    assert!(ran.code != 0 && ran.err.contains("may only tighten `sandbox.network`"), "{ran:?}");
}

#[test]
fn directories_of_the_flag_are_writable_besides_the_configured_ones() {
    let user = User::new();
    for name in ["configured", "flagged", "neither"] {
        user.file(&format!("{name}/here"), "");
    }
    user.user_config("[sandbox]\nwritable = [\"~/configured\"]\n");
    let script = "for d in configured flagged neither; do echo x > ~/$d/new && echo $d; done";
    let ran = user.toolgate(&["run", "--yes", "--writable", "../flagged", script]);
    assert_eq!(ran.out, "configured\nflagged\n", "{ran:?}");
    let shown = user.toolgate(&["run", "--yes", script]);
    assert_eq!(shown.out, "configured\n", "{shown:?}");
}

#[test]
fn hidden_and_protected_places_are_added_to_the_usual_ones() {
    let user = User::new();
    user.file("notes/diary", "dear diary");
    user.file("work/.env", "TOKEN=1");
    user.file("work/deploy/key", "k");
    user.user_config("[sandbox]\nhidden = [\"~/notes\"]\nhide_env_files = true\nprotected = [\"deploy\"]\n");
    for secret in ["~/notes/diary", ".env"] {
        let ran = user.toolgate(&["run", "--yes", &format!("cat {secret}")]);
        assert!(ran.code != 0 && ran.out.is_empty() && ran.err.contains("Permission denied"), "{ran:?}");
    }
    let ran = user.toolgate(&["run", "--yes", "cat deploy/key && echo x > deploy/key"]);
    assert!(ran.code != 0 && ran.out == "k" && ran.err.contains("Read-only"), "{ran:?}");
}

#[test]
fn a_directory_to_write_in_must_be_there() {
    let ran = User::new().toolgate(&["run", "--yes", "--writable", "../nowhere", "true"]);
    assert_eq!(ran.code, 125);
    assert!(ran.err.contains("letting commands write in ../nowhere: No such file"), "{ran:?}");
}

#[test]
fn a_limit_that_ends_a_command_is_named() {
    let user = User::new();
    user.user_config("[sandbox.limits]\nfile_size_mb = 1\n");
    let why = "ended by a limit: it wrote a file larger than allowed";
    let large = "exec head -c 2000000 /dev/zero > large";
    let ran = user.toolgate(&["--json", "run", "--yes", large]);
    assert!(ran.out.contains(why), "{ran:?}");
    for flags in [&["run", "--yes"][..], &["run", "--yes", "--raw"]] {
        let ran = user.toolgate(&[flags, &[large]].concat());
        assert_eq!((&*ran.out, &*ran.err, ran.code), ("", &*format!("[{why}]\n"), 128 + 25));
    }
}

#[test]
fn a_command_that_prints_more_than_allowed_ends_and_says_so() {
    let user = User::new();
    user.user_config("[sandbox.limits]\noutput_mb = 1\n");
    for flags in [&["run", "--yes"][..], &["run", "--yes", "--raw"]] {
        let ran = user.toolgate(&[flags, &["yes"]].concat());
        assert_eq!(ran.code, 128 + 9, "{}", ran.err);
        assert!(ran.err.contains("[ended by a limit: it printed more than allowed]"), "{}", ran.err);
        // What was in its pipes when it ended is still shown.
        assert!(ran.out.len() < 4 << 20, "{}", ran.out.len());
    }
}

#[test]
fn what_the_boundary_saw_is_told_whoever_shows_the_output() {
    let user = User::new();
    user.file("work/reach.py", "import socket\ntry: socket.socket()\nexcept OSError: pass\n");
    let saw = "the boundary refused a socket: ipv4 stream socket";
    let ran = user.toolgate(&["run", "--yes", "python3 reach.py; echo done"]);
    assert!(ran.out == "done\n" && ran.err.contains(saw) && ran.code == 0, "{ran:?}");
    // A rule knows `make`; with nothing of its output to tell there is still this.
    user.file("work/Makefile", "all:\n\t@python3 reach.py\n");
    let ran = user.toolgate(&["run", "--yes", "make"]);
    assert!((ran.out.clone() + &ran.err).contains(saw), "{ran:?}");
}

#[test]
fn a_boundary_that_can_t_be_had_is_told_as_that_and_not_as_a_path() {
    let user = User::new();
    let ran = user.toolgate(&["run", "--network", "only:docs.example", "ls"]);
    assert_eq!(ran.code, 126, "{ran:?}");
    assert!(
        ran.err.starts_with("refused: command not allowed by sandbox: a network scope by names"),
        "{ran:?}"
    );
}
