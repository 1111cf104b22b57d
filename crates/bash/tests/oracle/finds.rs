//! What an oracle found: shown, or written down for whoever looks for many.

/// A script that fails, and why.
pub struct Find {
    pub text: String,
    pub why: String,
}

/// Shows finds, made smaller as long as `fails` says so; panics if there are any.
///
/// With `TOOLGATE_ORACLE_FINDS` set to a file they are written there as they are.
pub fn report(seed: u64, finds: &[Find], fails: impl Fn(&str) -> bool) {
    if let Some(path) = std::env::var_os("TOOLGATE_ORACLE_FINDS") {
        let lines = finds.iter().map(|find| serde_json::json!({"text": find.text, "why": find.why}));
        let lines: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
        std::fs::write(path, lines.concat()).unwrap();
    } else {
        for Find { text, why } in finds.iter().take(3) {
            let small = super::reduce(text, &fails);
            println!("--- {small:?}\n{small}\n    {why}, of {text:?}");
        }
    }
    assert!(finds.is_empty(), "{} scripts fail, seed {seed}", finds.len());
}
