//! What holds of every filtered output, whatever rule, command and output: checked by the property
//! tests here and by the fuzz target `filter_rules`.

use toolgate_filter::{
    Catalog, Filter, FilterConfidence, FilterOptions, Filtered, Stream, Weight, command, sanitize_output,
    weigh,
};

/// A finished command.
pub(crate) struct Run<'a> {
    pub command: &'a str,
    pub exit: i32,
    pub stdout: &'a str,
    pub stderr: &'a str,
}

/// Filters the output in chunks of this size.
pub(crate) fn filtered(catalog: &Catalog, run: &Run<'_>, chunk: usize) -> Filtered {
    let mut filter = Filter::new(catalog, &command::commands(run.command), FilterOptions::default());
    for (stream, text) in [(Stream::Stdout, run.stdout), (Stream::Stderr, run.stderr)] {
        for part in text.as_bytes().chunks(chunk.max(1)) {
            filter.push(stream, part);
        }
    }
    filter.finish(run.exit)
}

/// Names the first guarantee that is broken.
pub(crate) fn check(catalog: &Catalog, run: &Run<'_>, chunk: usize) -> Result<(), String> {
    let done = filtered(catalog, run, chunk);
    // What a terminal would show: escapes and control characters say nothing.
    let (stdout, stderr) = (sanitize_output(run.stdout), sanitize_output(run.stderr));
    let lines = || stdout.lines().chain(stderr.lines());
    let broken = |what: &str| Err(format!("{what}\n--- {} ({})\n{}", run.command, run.exit, done.text));
    if done.exit != run.exit {
        return broken("the exit status is another one");
    }
    if done.filtered_tokens > done.raw_tokens {
        return broken("it costs more than what came in");
    }
    let raw_is_empty = lines().all(|line| line.trim().is_empty());
    if done.text.trim().is_empty() && !raw_is_empty {
        return broken("nothing is shown of something");
    }
    if let Some(line) = lines().find(|line| weigh(line) == Weight::Vital && !shown(&done, line)) {
        return broken(&format!("{line:?} states trouble and is lost"));
    }
    if run.exit != 0 && !lines().any(|line| weigh(line) != Weight::Plain) && done.hidden_lines > 0 {
        return broken("a failure without a known reason is cut");
    }
    if done.stats.kept_lines.iter().any(|kept| *kept >= done.stats.raw_lines) {
        return broken("a line is said to be shown that there was not");
    }
    if done.hidden_lines > 0 && done.stats.confidence == Some(FilterConfidence::Fallback) {
        return broken("what was cut was not understood");
    }
    if filtered(catalog, run, usize::MAX).text != done.text {
        return broken("the text depends on how it came in pieces");
    }
    Ok(())
}

/// Whether a line is shown, or each of its places and names is.
fn shown(done: &Filtered, line: &str) -> bool {
    let trimmed = line.trim();
    done.text.contains(trimmed)
        || trimmed
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '/' | '_')))
            .filter(|word| word.contains('.') || word.contains("zq7"))
            .all(|word| done.text.contains(word))
}
