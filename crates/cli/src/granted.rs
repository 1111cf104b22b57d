//! Where the user's grants are kept, and which session this is.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use toolgate::grants::{Grants, GrantsError};

use crate::failure::Failure;
use crate::state::state_dir;

/// The grants that count for calls that start in `start`. Without a home there are none but this process's.
pub(crate) fn open(start: &Path) -> Result<Arc<Grants>, Failure> {
    let Some(state) = state_dir() else { return Ok(Arc::new(Grants::in_memory(start))) };
    let grants = Grants::open_for(&state.join("grants"), start, session);
    Ok(Arc::new(grants.map_err(failure)?))
}

/// A grant that can't be read or kept.
pub(crate) fn failure(error: GrantsError) -> Failure {
    match error {
        GrantsError::Unusable { .. } => {
            Failure::usage(error.to_string(), "remove that file, and give again what should be granted")
        }
        other => Failure::io("using the grants", std::io::Error::other(other)),
    }
}

/// The session of the terminal we were started in: the process that leads it, when that was started and since
/// which start of the machine, so that no later one is taken for it.
///
/// Without one that can be named there is no session to keep grants for: a leader outside of our process
/// namespace, as in a container, has the number 0 here (pid_namespaces(7)).
#[cfg(target_os = "linux")]
fn session() -> Option<String> {
    // proc_pid_stat(5): the 6th and the 22nd field.
    let leader: u32 = stat_field("self", 6)?.parse().ok().filter(|leader| *leader != 0)?;
    let started = stat_field(&leader.to_string(), 22)?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(format!("{leader} {started} {}", boot.trim()))
}

/// A field of a process's `stat`, from the 3rd on. The 2nd is the name in parentheses, which can hold anything.
#[cfg(target_os = "linux")]
fn stat_field(process: &str, number: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(number.checked_sub(3)?).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn session() -> Option<String> {
    let _ = fs::metadata;
    None
}

/// A time as people say it: `29 days`, `1 hour`.
pub(crate) fn for_people(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => ((seconds + 30) / 60, "minute"),
        3600..172_800 => ((seconds + 1800) / 3600, "hour"),
        _ => ((seconds.saturating_add(43_200)) / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// A time as it is given on the command line: `12h`, `30d`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let bad = || "expected a number with s, m, h or d behind it, such as 12h or 30d".to_owned();
    let unit = text.chars().last().ok_or_else(bad)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(bad()),
    };
    let count: u64 = text.strip_suffix(unit).and_then(|n| n.parse().ok()).ok_or_else(bad)?;
    let time = Duration::from_secs(count.checked_mul(seconds).ok_or_else(bad)?);
    match time {
        time if time.is_zero() => Err("a grant for no time grants nothing".to_owned()),
        time if time > toolgate::grants::LONGEST_TIME => {
            Err(format!("the longest is {}", for_people(toolgate::grants::LONGEST_TIME)))
        }
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_told() {
        for (text, told) in [
            ("90s", "2 minutes"),
            ("1h", "1 hour"),
            ("36h", "36 hours"),
            ("30d", "30 days"),
            ("366d", "366 days"),
        ] {
            assert_eq!(for_people(time(text).unwrap()), told, "{text}");
        }
        for text in
            ["", "d", "5", "0d", "-1d", "367d", "1w", "99999999999999999999d", "213503982334602d", "1é"]
        {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
