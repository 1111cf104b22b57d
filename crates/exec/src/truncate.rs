//! Shortening a text to its head and tail.

/// How many characters of a tool's output a model is shown at most.
pub const MAX_TOOL_OUTPUT_CHARS: usize = 30_000;

/// Shortens `text` to [`MAX_TOOL_OUTPUT_CHARS`].
///
/// ```
/// let long = "x".repeat(31_000);
/// let cut = toolgate_exec::truncate_tool_output(&long);
/// assert!(cut.contains("[truncated 1000 chars, showing first 15000 and last 15000 chars]"));
/// ```
pub fn truncate_tool_output(text: &str) -> String {
    truncate_tool_output_at(text, MAX_TOOL_OUTPUT_CHARS)
}

/// Keeps the first and last `max / 2` characters of a text longer than `max` characters.
///
/// Characters are Unicode scalar values, never bytes, and the count told is exact. The notice
/// between head and tail comes on top of `max`, but the result is never longer than the text:
/// where the notice would cost more than the cut saves, the text comes back whole.
pub fn truncate_tool_output_at(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let total = text.chars().count();
    if total <= max {
        return text.to_owned();
    }
    let half = max / 2;
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let tail = match half {
        0 => text.len(),
        _ => text.char_indices().nth_back(half - 1).map_or(0, |(at, _)| at),
    };
    let dropped = total - 2 * half;
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    let cut = format!(
        "{head}\n\n... [truncated {dropped} chars, showing first {half} and last {half} chars] ...\n\n{tail}"
    );
    if cut.len() < text.len() { cut } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_of_exactly_the_limit_is_unchanged() {
        let text = "é".repeat(MAX_TOOL_OUTPUT_CHARS);
        assert_eq!(truncate_tool_output(&text), text);
    }

    proptest! {
        #[test]
        fn head_tail_and_count_are_true(text in "[aé🦀\n]{0,400}", max in 0usize..200) {
            let cut = truncate_tool_output_at(&text, max);
            prop_assert!(cut.len() <= text.len());
            if cut != text {
                let half = max / 2;
                let head: String = text.chars().take(half).collect();
                let total = text.chars().count();
                let tail: String = text.chars().skip(total - half).collect();
                prop_assert!(cut.starts_with(&head) && cut.ends_with(&tail));
                let notice = format!("[truncated {} chars,", total - 2 * half);
                prop_assert!(cut.contains(&notice));
            } else {
                prop_assert!(text.chars().count() <= max + 2 * 90);
            }
        }
    }
}
