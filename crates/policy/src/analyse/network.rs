//! Host names in words: URLs, `user@host:path`, `host:port`.

/// The host of a URL or of a bare `host/path`.
pub(crate) fn of_url(text: &str) -> &str {
    let rest = match text.find("://") {
        Some(at) => text.get(at + 3..).unwrap_or(""),
        None => text,
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    of_address(rest.get(..end).unwrap_or(rest))
}

/// The host of `user@host:port`, `[::1]:80`, `host`.
pub(super) fn of_address(text: &str) -> &str {
    let host = text.rsplit_once('@').map_or(text, |(_, h)| h);
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    // More than one colon: an IPv6 address without brackets.
    match host.split_once(':') {
        Some((h, rest)) if !rest.contains(':') => h,
        _ => host,
    }
}

/// What a word that is a local path or a place on another host is.
pub(super) enum Remote<'t> {
    Local(&'t str),
    Host(&'t str),
}

/// Reads `host:path`, `user@host:path`, `scheme://…`, `path`.
pub(super) fn remote(text: &str) -> Remote<'_> {
    if let Some(rest) = text.strip_prefix("file://") {
        return Remote::Local(rest);
    }
    if text.contains("://") || text.contains("::") {
        return Remote::Host(of_url(text));
    }
    if text.starts_with(['/', '.']) {
        return Remote::Local(text);
    }
    match text.find([':', '/']) {
        Some(at) if text.get(at..=at) == Some(":") => {
            Remote::Host(of_address(text.get(..at).unwrap_or(text)))
        }
        _ => Remote::Local(text),
    }
}

/// Whether a host is this machine.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let host = host.trim_end_matches('.').trim_matches(['[', ']']).to_ascii_lowercase();
    if host == "localhost" || host.ends_with(".localhost") || host == "::1" || host == "ip6-localhost" {
        return true;
    }
    let mut parts = host.split('.');
    parts.next() == Some("127")
        && host.split('.').count() == 4
        && parts.all(|p| !p.is_empty() && p.len() <= 3 && p.bytes().all(|b| b.is_ascii_digit()))
}

/// The host of `scheme://host/…`, unless it is a file of this machine or no address at all.
pub(super) fn host_of_address(text: &str) -> Option<&str> {
    let scheme = text.get(..text.find("://")?)?;
    let named = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (named && !scheme.eq_ignore_ascii_case("file")).then(|| of_url(text))
}

/// The path of `file://localhost/path` and `file:///path`; any other text is a path itself.
pub(super) fn local_file(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("file://") else { return text };
    rest.strip_prefix("localhost").unwrap_or(rest)
}
