//! The commands that reach other hosts, by name.

/// The first words of commands that reach other hosts, sorted: `curl`, `git push`, `python3 -c`, `/dev/tcp`.
///
/// Made of what is known about programs. It is for people and for early, friendly answers: no list of names
/// holds anything back, since a command can be written in many ways. What a command does is said by
/// [`analyse`](crate::analyse), and a boundary enforces it.
///
/// ```
/// use toolgate_policy::network::NETWORK_COMMANDS;
/// assert!(["curl", "openssl s_client", "git push", "/dev/tcp"].iter().all(|c| NETWORK_COMMANDS.contains(c)));
/// ```
pub static NETWORK_COMMANDS: &[&str] = &generated::NETWORK_COMMANDS;

mod generated {
    #![allow(unreachable_pub, reason = "the build script can't know where it is included")]
    include!(concat!(env!("OUT_DIR"), "/network.rs"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_such_lists_hold_elsewhere() {
        for name in [
            "/dev/tcp",
            "/dev/udp",
            "curl",
            "nc",
            "ncat",
            "netcat",
            "openssl s_client",
            "perl -e",
            "python -c",
            "python3 -c",
            "rsync",
            "ruby -e",
            "scp",
            "socat",
            "ssh",
            "wget",
            "node -e",
            "php -r",
            "git clone",
            "npm publish",
            "dig",
        ] {
            assert!(NETWORK_COMMANDS.contains(&name), "{name}");
        }
        assert!(NETWORK_COMMANDS.is_sorted());
        for name in ["ls", "git status", "cargo build", "python3", "bash", "openssl", "echo"] {
            assert!(!NETWORK_COMMANDS.contains(&name), "{name}");
        }
    }

    #[test]
    fn it_names_programs_that_are_known() {
        for name in NETWORK_COMMANDS.iter().filter(|n| !n.starts_with('/')) {
            let program = name.split(' ').next().unwrap_or_default();
            assert!(crate::knowledge::program(program).is_some(), "{name}");
        }
    }
}
