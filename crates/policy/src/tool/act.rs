//! What a tool does, as far as its name says.

/// What a tool does with the paths and URLs it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Runs a command.
    Shell,
    /// Reads files.
    Read,
    /// Reads what a pattern finds.
    Search,
    /// Looks at names.
    List,
    /// Creates or changes files.
    Write,
    /// Deletes files.
    Delete,
    /// Takes files away from where they are.
    Move,
    /// Reaches other hosts.
    Net,
    /// Keeps notes for the agent itself.
    Plan,
    /// Nobody knows.
    Unknown,
}

/// Words in the name of a tool, split at `_`, `-`, `.`, `/`, `:` and blanks. The first row with one of them counts,
/// so what does more harm stands before what does less.
const WORDS: [(Act, &[&str]); 9] = [
    (
        Act::Shell,
        &["bash", "shell", "terminal", "runcommand", "powershell", "cmd", "exec", "execute", "command"],
    ),
    (Act::Plan, &["todo", "todowrite", "todoread", "exitplanmode", "askuserquestion"]),
    (
        Act::Net,
        &[
            "fetch",
            "webfetch",
            "web",
            "websearch",
            "http",
            "https",
            "url",
            "browser",
            "browse",
            "navigate",
            "download",
            "upload",
            "scrape",
            "request",
            "curl",
            "google",
            "bing",
        ],
    ),
    (Act::Delete, &["delete", "remove", "unlink", "rm", "rmdir", "trash"]),
    (Act::Move, &["move", "rename", "mv"]),
    (
        Act::Write,
        &[
            "write",
            "edit",
            "multiedit",
            "create",
            "append",
            "patch",
            "insert",
            "replace",
            "update",
            "save",
            "notebookedit",
            "str",
            "mkdir",
            "copy",
            "touch",
        ],
    ),
    (Act::List, &["ls", "list", "glob", "tree", "stat", "exists", "find"]),
    (Act::Search, &["grep", "search"]),
    (Act::Read, &["read", "view", "cat", "open", "get", "head", "tail", "load"]),
];

/// The same for words that are grown together with others: `readfile`, `applypatch`.
const PARTS: [(Act, &[&str]); 4] = [
    (Act::Net, &["webfetch", "websearch"]),
    (Act::Write, &["write", "edit", "patch"]),
    (Act::Read, &["read"]),
    (Act::Plan, &["exitplan"]),
];

impl Act {
    pub(super) fn of(tool: &str) -> Act {
        let lower = tool.to_ascii_lowercase();
        let name = lower.rsplit("__").next().unwrap_or(&lower);
        if matches!(name, "think" | "plan" | "exit_plan_mode" | "ask_user_question") {
            return Act::Plan;
        }
        let words: Vec<&str> = name.split(['_', '-', '.', '/', ':', ' ']).collect();
        let by_word = WORDS.iter().find(|(_, list)| list.iter().any(|word| words.contains(word)));
        let by_part = || PARTS.iter().find(|(_, list)| list.iter().any(|part| name.contains(part)));
        by_word.or_else(by_part).map_or(Act::Unknown, |(act, _)| *act)
    }
}

/// The name of the server in `mcp__server__tool`; single underscores belong to the names.
pub(super) fn mcp_server(tool: &str) -> Option<String> {
    let rest = tool
        .strip_prefix("mcp__")
        .or_else(|| tool.strip_prefix("mcp:"))
        .or_else(|| tool.strip_prefix("mcp_"))?;
    let server = rest.split("__").next().unwrap_or(rest);
    let server = server.split(':').next().unwrap_or(server);
    Some(server.to_ascii_lowercase())
}

/// Whether a server of this name works for a service elsewhere.
pub(super) fn is_service(server: &str) -> bool {
    server.split(['_', '-', '.']).any(|part| SERVICES.contains(&part))
}

/// Services that are elsewhere: a tool of such a server reaches out whatever it is called.
const SERVICES: [&str; 66] = [
    "github",
    "gitlab",
    "bitbucket",
    "gitea",
    "slack",
    "discord",
    "teams",
    "telegram",
    "linear",
    "jira",
    "confluence",
    "atlassian",
    "notion",
    "asana",
    "trello",
    "monday",
    "clickup",
    "sentry",
    "datadog",
    "grafana",
    "pagerduty",
    "newrelic",
    "stripe",
    "paypal",
    "square",
    "shopify",
    "hubspot",
    "salesforce",
    "zendesk",
    "intercom",
    "twilio",
    "sendgrid",
    "mailgun",
    "gmail",
    "google",
    "gdrive",
    "drive",
    "gcal",
    "calendar",
    "outlook",
    "office",
    "sharepoint",
    "onedrive",
    "dropbox",
    "box",
    "aws",
    "azure",
    "gcp",
    "cloudflare",
    "vercel",
    "netlify",
    "heroku",
    "supabase",
    "firebase",
    "figma",
    "canva",
    "web",
    "fetch",
    "browser",
    "http",
    "brave",
    "tavily",
    "exa",
    "perplexity",
    "firecrawl",
    "apify",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_word_of_a_name_counts() {
        for (name, act) in [
            ("read_file", Act::Read),
            ("Read", Act::Read),
            ("readFile", Act::Read),
            ("run_shell_command", Act::Shell),
            ("search_and_replace", Act::Write),
            ("get_or_delete", Act::Delete),
            ("find_path", Act::List),
            ("todo_write", Act::Plan),
            ("mcp__fs__write_file", Act::Write),
            ("web_search", Act::Net),
            ("apply_patch", Act::Write),
            ("quux", Act::Unknown),
            ("bread", Act::Read),
        ] {
            assert_eq!(Act::of(name), act, "{name}");
        }
    }

    #[test]
    fn a_server_is_named_in_every_spelling() {
        for name in ["mcp__my_server__do", "mcp:my_server:do", "mcp_my_server__do"] {
            assert_eq!(mcp_server(name).as_deref(), Some("my_server"), "{name}");
        }
        assert!(is_service("github") && is_service("my-slack") && !is_service("db"));
    }
}
