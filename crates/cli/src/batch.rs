//! Batches: one JSON object a line in on stdin, one line out for each.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::Failure;

/// The longest line that is read. A longer one is answered with an error and skipped.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Answers each line of stdin, in order. A line that can't be read is answered with an error and its
/// `id`, if it has one.
pub(crate) fn lines<Q: DeserializeOwned, A: Serialize>(answer: impl Fn(Q) -> A) -> Result<(), Failure> {
    let input = BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let output = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    match copy(input, output, answer) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| Failure::io("answering line by line", error)),
    }
}

fn copy<R: Read, Q: DeserializeOwned, A: Serialize>(
    mut input: BufReader<R>,
    mut output: impl Write,
    answer: impl Fn(Q) -> A,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            serde_json::to_writer(
                &mut output,
                &json!({"id": null, "error": "the line is longer than 16 MiB"}),
            )?;
        } else {
            match serde_json::from_slice::<Q>(&line) {
                Ok(question) => serde_json::to_writer(&mut output, &answer(question))?,
                Err(error) => {
                    let id = serde_json::from_slice::<Value>(&line).ok().and_then(|v| v.get("id").cloned());
                    serde_json::to_writer(&mut output, &json!({"id": id, "error": error.to_string()}))?;
                }
            }
        }
        output.write_all(b"\n")?;
        // Whoever asks line by line waits for the answer: it goes out when nothing else is here to answer.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Question {
        id: Value,
    }

    fn answers(input: &[u8]) -> String {
        let mut output = Vec::new();
        copy(BufReader::new(input), &mut output, |q: Question| json!({"id": q.id})).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn every_line_has_its_answer_also_a_bad_one() {
        let said = answers(b"{\"id\":1}\n\n{\"id\":2,}\nnothing\n{\"id\":\"x\"}");
        let lines: Vec<Value> = said.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.len(), 4, "{said}");
        assert_eq!((&lines[0]["id"], &lines[3]["id"]), (&json!(1), &json!("x")));
        assert!(lines[1]["error"].is_string() && lines[2]["error"].is_string());
    }

    #[test]
    fn a_line_without_end_is_skipped_in_bounded_memory() {
        let mut input = vec![b'x'; 17 * 1024 * 1024];
        input.extend_from_slice(b"\n{\"id\":3}\n");
        let said = answers(&input);
        assert!(said.contains("longer than") && said.ends_with("{\"id\":3}\n"), "{said}");
    }
}
