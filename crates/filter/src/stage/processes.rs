//! Folds kernel threads of a process table, and shortens command lines that fill a screen.

use super::{Line, Next, Stage};
use crate::terminal::{ceil, floor};

/// A longer command line is cut in its middle: the program stands at its head, and of Java what it runs at
/// its end.
const LONG: usize = 200;
const HEAD: usize = 130;

#[derive(Default)]
pub(crate) struct Processes {
    /// Column where commands begin, from the heading.
    column: Option<usize>,
    /// Which field of a row tells the use of the processor.
    busy: Option<usize>,
    slot: Option<usize>,
    kernel: u64,
}

/// `[kworker/0:1-events]` at the end of a row.
fn kernel_thread(text: &str) -> bool {
    let Some(command) = text.rsplit_once(" [").map(|(_, c)| c) else { return false };
    // A kernel thread has no memory of its own.
    command.ends_with(']')
        && !command.contains(' ')
        && text.split_whitespace().filter(|f| *f == "0").count() >= 2
}

impl Processes {
    /// Whether a kernel thread does something worth a look: it uses the processor, waits for a disk or is dead.
    fn stands_out(&self, text: &str) -> bool {
        let fields = || text.split_whitespace();
        let busy = self.busy.and_then(|at| fields().nth(at)).and_then(|field| field.parse::<f64>().ok());
        busy.is_some_and(|percent| percent >= 1.0)
            || fields()
                .any(|field| field.len() <= 4 && field.starts_with(['D', 'Z']) && field.bytes().all(is_state))
    }
}

/// What the state of a process is written with.
fn is_state(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'<' | b'+')
}

impl Stage for Processes {
    fn line(&mut self, line: Line<'_>, next: &mut Next<'_>) {
        if line.is_ours() {
            return next.line(line);
        }
        let text = line.text;
        let heading = text.contains("PID") && (text.contains("COMMAND") || text.contains("CMD"));
        if heading {
            self.column = text.find("COMMAND").or_else(|| text.find("CMD"));
            self.busy = text.split_whitespace().position(|field| matches!(field, "%CPU" | "C"));
            return next.line(line.known());
        }
        let Some(column) = self.column else { return next.line(line) };
        if kernel_thread(text) && !self.stands_out(text) {
            self.kernel += 1;
            if self.kernel == 1 {
                next.line(line.known());
                self.slot = Some(next.slot());
            }
            return;
        }
        if text.len() > column + LONG {
            let (head, tail) = (floor(text, column + HEAD), ceil(text, text.len() + HEAD - LONG));
            let short = format!("{} [… {} bytes …] {}", &text[..head], tail - head, &text[tail..]);
            return next.line(Line { text: &short, ..line.known() });
        }
        next.line(line.known());
    }

    fn finish(&mut self, next: &mut Next<'_>) {
        if let Some(slot) = self.slot
            && self.kernel > 1
        {
            next.sink.fill(slot, format!("[… {} more kernel threads …]", self.kernel - 1));
            next.folded(self.kernel - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{CaptureOptions, Catalog, filter_captured};

    #[test]
    fn a_kernel_thread_that_is_busy_stays_and_a_long_command_keeps_its_end() {
        let mut text =
            String::from("USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n");
        let row = |pid: u32, cpu: &str, state: &str, command: &str| {
            format!("root {pid:9} {cpu:>4}  0.0      0     0 ?        {state:4} Nov30   0:00 {command}\n")
        };
        for n in 2..40 {
            text.push_str(&row(n, "0.0", "I<", &format!("[kworker/R-{n}]")));
        }
        text.push_str(&row(40, "98.7", "R", "[kswapd0]"));
        text.push_str(&row(41, "0.0", "D", "[jbd2/sda1-8]"));
        text.push_str(&row(
            42,
            "3.0",
            "Sl",
            &format!("java -cp {} org.example.Main config/prod.properties", "lib/x.jar:".repeat(90)),
        ));
        let options = CaptureOptions::default();
        let shown = filter_captured(&Catalog::built_in(), "ps aux", 0, text.as_bytes(), b"", options).text;
        for fact in [
            "98.7",
            "[kswapd0]",
            "[jbd2/sda1-8]",
            "java -cp lib/x.jar",
            "org.example.Main config/prod.properties",
            "37 more kernel threads",
        ] {
            assert!(shown.contains(fact), "{fact}\n{shown}");
        }
    }
}
