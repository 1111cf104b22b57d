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
fn a_limit_that_ends_a_command_is_named() {
    let user = User::new();
    user.user_config("[sandbox.limits]\nwall_secs = 1\n");
    let ran = user.toolgate(&["--json", "run", "--yes", "sleep 60"]);
    assert!(ran.out.contains("ended by a limit: it ran longer than allowed"), "{ran:?}");
}
