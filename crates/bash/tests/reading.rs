//! How text is read where bash itself has more than one way, and what is refused.

#![allow(clippy::unwrap_used)]

use toolgate_bash::{Options, Reason, Shell, parse, programs};

fn options(shell: Shell) -> Options {
    Options { shell, ..Options::default() }
}

/// The names of the programs; `?` for a dynamic one, `!` and the reason if the script is not understood.
fn names_in(shell: Shell, text: &str) -> String {
    match parse(text.as_bytes(), &options(shell)) {
        Ok(script) => {
            let names = programs(&script).into_iter();
            let names = names.map(|p| p.name.map_or("?".into(), |name| name.to_str_lossy().into_owned()));
            names.collect::<Vec<_>>().join(" ")
        }
        Err(unknown) => format!("!{}", unknown.reason.code()),
    }
}

fn names(text: &str) -> String {
    names_in(Shell::Bash, text)
}

#[test]
fn commands_come_in_the_order_in_which_they_run() {
    for (text, expected) in [
        ("a $(b) | c && d", "b a c d"),
        ("x=$(a) b $(c) > $(d)", "c d a b"),
        ("cat <<E $(b); c\n$(a)\nE\n", "b a cat c"),
        ("f() { a; }; f", "a f"),
        ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
        ("case $(a) in $(b)) c;; *) d; esac", "a b c d"),
        ("for i in $(a); do b; done < <(c)", "c a b"),
        ("[[ $(a) -eq `b` ]] && ((x[$(c)]))", "a b c"),
        ("${x:-$(a)} ${y/$(b)/$(c)} ${z:$(d):$((1+$(e)))}", "a b c d e ?"),
        ("a=([$(b)]=$(c) $(d)) e", "b c d e"),
        ("coproc N { a; }; time ! b", "coproc a b"),
        ("echo ${ a; } \"${| b; }\"", "a b echo"),
        ("export A=$(b) C=(d $(e))", "b e export"),
        ("a && { b || (c & d); } 2>&1 | e", "a b c d e"),
    ] {
        assert_eq!(names(text), expected, "{text:?}");
    }
}

#[test]
fn names_are_literal_or_dynamic_never_wrong() {
    for (text, expected) in [
        (r"c\url", "curl"),
        (r#"c"ur"l"#, "curl"),
        ("cu''rl", "curl"),
        (r"$'\x63url'", "curl"),
        ("cu\\\nrl", "curl"),
        ("\"cu\\\nrl\"", "curl"),
        ("[ a ]", "["),
        ("./a~b", "./a~b"),
        ("{a", "{a"),
        ("{}", "{}"),
        ("{a,b}", "?"),
        ("{curl,x}", "?"),
        ("{a..b}", "?"),
        ("c{ur,}l", "?"),
        ("cur*", "?"),
        ("cur?", "?"),
        ("[c]url", "?"),
        ("~/a", "?"),
        ("$x", "?"),
        ("a$x", "?"),
        ("\"$x\"", "?"),
        ("$\"curl\"", "?"),
        ("$(a)", "a ?"),
        ("''", "?"),
        ("a\\", "!ambiguous"),
    ] {
        assert_eq!(names(text), expected, "{text:?}");
    }
}

#[test]
fn a_backslash_before_a_newline_is_nothing_anywhere() {
    for text in [
        "a; i\\\nf b; th\\\nen c; f\\\ni",
        "a; if b; then c;\\\n fi",
        "a $\\\n(b) `c`",
        "a <\\\n(b) $(\\\nc)",
        "a &\\\n& b |\\\n| c",
        "a $\\\n{x:-$(b)} ${x\\\n:\\\n-$(c)}",
        "a <<\\\nE\n$(b) `c`\nE\\\n\n",
        "case x in y) a;\\\n; z) b;\\\n;\\\n& *) c; es\\\nac",
    ] {
        let sorted = |names: String| {
            let mut names: Vec<_> = names.split(' ').map(str::to_owned).collect();
            names.sort();
            names.join(" ")
        };
        assert_eq!(sorted(names(text)), "a b c", "{text:?}");
    }
}

#[test]
fn two_parentheses_are_arithmetic_or_subshells() {
    for (text, expected) in [
        ("((a))", ""),
        ("((a)); b", "b"),
        ("( (a) )", "a"),
        ("((a) )", "a"),
        ("((a); (b))", "a b"),
        ("((a) | b)", "a b"),
        ("echo $((a))", "echo"),
        ("echo $((a) )", "a echo"),
        ("echo $((a); b)", "a b echo"),
        ("echo $((1+$(a)))", "a echo"),
        ("((1 + `a`))", "a"),
        // Bash pairs parentheses in the first reading, and what hides one is refused.
        ("((a # )\n) )", "!ambiguous"),
        ("((a)\n)", "!ambiguous"),
        ("((case x in x) a;; esac) )", "!ambiguous"),
        ("(($((a);b) );c)", "!ambiguous"),
        // It counts them once more before it evaluates an expression, as if all were alike.
        ("a $((b $(case x in x) c;; esac)))", "!ambiguous"),
        ("a $((b `case x in (x) c;; esac`))", "!ambiguous"),
        ("a $((b + $(c <<E\n)\nE\n)))", "!ambiguous"),
        ("a $((b `c $'\\'('`))", "!ambiguous"),
        ("a $((b $(c \"$(d \"(\" )\")))", "!ambiguous"),
        ("a $((b + $(c ')')))", "c a"),
        ("a $((b + $(c \"(\" `d '('`) + \"$(e)\"))", "d c e a"),
        ("a $((1 + $((2 + $(b '(' $((3 + $(c))))))))", "c b a"),
        // No expression, and no expansion to make it one.
        ("((a b))", "!unsupported"),
        ("echo $((a;b))", "!unsupported"),
        ("(( \\$(a) ))", "!ambiguous"),
        ("(( x['$(a)'] ))", "!ambiguous"),
        ("(( x[\"\\$(a)\"] ))", "!ambiguous"),
    ] {
        assert_eq!(names(text), expected, "{text:?}");
    }
}

#[test]
fn here_documents_are_data_with_live_substitutions() {
    for (text, expected) in [
        ("cat <<E\n$(a) `b` ${x:-$(c)} '$(d)'\nE\ne", "a b c d cat e"),
        ("cat <<'E'\n$(a)\nE\nb", "cat b"),
        ("cat <<\\E\n$(a)\nE\nb", "cat b"),
        ("cat <<E\"\"\n$(a)\nE\nb", "cat b"),
        ("cat <<E <<F; b\n$(a)\nE\n$(c)\nF\nd", "a c cat b d"),
        ("cat <<-E\n\t$(a)\n\t\tE\nb", "a cat b"),
        ("cat <<E\n$(cat <<F\n$(a)\nF\n)\nE\nb", "a cat cat b"),
        ("cat <<E\nx\\\nE\n$(a)\nE\nb", "a cat b"),
        // Continued lines are joined before anything else is read.
        ("cat <<E\n$(cat <<'F'\nx\\\nF\n'\nF\na #'\n)\nE\n", "cat a cat"),
        ("cat <<E\n$(a # \\\nb\nc)\nE\n", "a c cat"),
        ("cat <<'E'\nx\\\nE\nb", "cat b"),
        ("cat <<E && ((\nE\na) )", "!ambiguous"),
        ("cat <<E\n$(a)", "a cat"),
        ("cat <<$x\n$(a)\n$x\nb", "a cat b"),
        ("a $(cat <<E\n$(b)\nE\n) c", "b cat a"),
        ("a $(cat <<E)\nx\nE\n", "!ambiguous"),
        ("a \"${x:-\"$\"(b)}\"", "!ambiguous"),
        ("a \"${x:-\"$y\"(b)}\"", "a"),
        ("a $(cat <<E\nE)", "!ambiguous"),
        ("cat <<E\nx\r\nE\r\na", "!control-character"),
        ("cat <<E\n$(a\nE\n", "!unclosed"),
        ("cat <<$(a)\nx\n$(a)\n", "!unsupported"),
    ] {
        assert_eq!(names(text), expected, "{text:?}");
    }
}

#[test]
fn quotes_that_versions_read_differently_hide_nothing() {
    for (text, expected) in [
        ("\"${x:-'$(a)'}\"", "a ?"),
        ("\"${x#'$(a)'}\"", "!ambiguous"),
        ("\"${x:-$'$(a)'}\"", "!ambiguous"),
        ("\"${x:-it's}\"", "!ambiguous"),
        ("\"${x:-'}'}\"", "!ambiguous"),
        ("\"${x:-<(a)}\"", "!ambiguous"),
        ("${x:-<(a)}", "a ?"),
        ("${x:-'$(a)'}", "?"),
        ("x['$(a)']=1", "!ambiguous"),
        ("$(time a)", "!ambiguous"),
        ("$( # b\n time a)", "!ambiguous"),
        ("$(! time a)", "!ambiguous"),
        ("$(a; time b)", "a b ?"),
        ("a >&-b", "!ambiguous"),
        // Bash expands the target of `>&` twice.
        ("a >& '$(b)'", "!ambiguous"),
        ("a >& \"\\$(b)\"", "!ambiguous"),
        ("a >& ${x:-'$(b)'}", "!ambiguous"),
        ("a >& \"$x\"", "a"),
        ("a &> '$(b)'", "a"),
        // Bash 5.2 forgets that an empty delimiter was quoted.
        ("$(a <<''\n$(b)\n\n)", "!ambiguous"),
        ("a <<''\n$(b)\n\n", "a"),
        // Bash 5.2 copies a substitution with its redirections behind the words.
        ("$(>f ! a)", "!ambiguous"),
        (">f time a", "!ambiguous"),
        ("x=1 >f ! a", "!"),
        // … and looks for its end in lines that begin like a delimiter.
        ("$(a <<'E'\nEx$(b))\nE\n)", "!ambiguous"),
        ("(a <<'E'\nEx$(b)\nE\n) ", "!ambiguous"),
        ("a <<'E'\nEx$(b))\nE\n", "a"),
        // Builtins that evaluate a subscript once more.
        ("declare x['$(a)']=1", "declare ?"),
        ("unset 'x[$(a)]'", "unset ?"),
        ("let 'x=$(a)'", "let ?"),
        ("export PS1='[$(a)]'", "export"),
        // A copied substitution has a name for its coprocess, which is a command in front of another.
        ("a $(coproc b)", "!ambiguous"),
        ("a $(coproc { b; })", "coproc b a"),
        ("a $[${b%[}]", "!ambiguous"),
        ("a $((${b%[*}))", "a"),
        ("[[ a == @($(b # )\n)) ]]", "!ambiguous"),
        ("[[ a == @($(b \\()|c) ]]", "b"),
        ("[[ a == @($(b)|`c`) ]]", "b c"),
        ("a= >f declare b=(c)", "!syntax"),
        // It drops the quotes of `$'…'` in some places.
        ("\"$(a ${x:-$'$(b)'})\"", "!ambiguous"),
        ("\"$([[ a == @($'$(b)') ]])\"", "!ambiguous"),
        ("\"$(a $((b); c $';d'))\"", "!ambiguous"),
        ("\"$(a ${x//$'\\n'/,})\"", "a ?"),
        ("\"$(a ${x:-$(b $'$(c)')})\"", "b a ?"),
        ("a ${x:-$'$(b)'}", "a"),
        ("\"$(a ${ b $';c'; })\"", "!ambiguous"),
        ("a \"${x:-\"`b \\\"c\\\"`\"}\"", "!ambiguous"),
        ("a \"`b \\\"c\\\"`\"", "b a"),
        ("for a in<(b); do c; done", "!syntax"),
        ("if<(a); then b; fi", "!syntax"),
        // It loses a semicolon behind a here-document.
        ("a $(b <<E | c; d\nE\n)", "!ambiguous"),
        ("a $(b <<E && c\nE\nif d; then e; f; fi)", "!ambiguous"),
        ("a $(b <<E | c\nE\nd)", "b c d a"),
        ("a $(b <<E\nE\nc; d)", "!ambiguous"),
        ("a $(if b <<E; then c '`d`' & fi\nE\n)", "!ambiguous"),
        ("a $(if b <<E\nE\nthen c\nfi)", "b c a"),
        ("a $(b; c <<E\nE\nd)", "b c d a"),
        ("(a <<E | b; c\nE\n)", "a b c"),
        // It drops backslashes in a copied array.
        ("a $(b=(\\;))", "!ambiguous"),
        ("a $(b=([1]=\\;))", "!ambiguous"),
        ("a $(b=('\\;'))", "a"),
        ("a=(\\;)", ""),
        ("a= >f b=()", "!ambiguous"),
        ("{ case a in }) b;; esac; }", "!ambiguous"),
        ("case a in b) for c\nin d; do e; done;; esac", "!ambiguous"),
        ("for c\nin d; do e; done", "e"),
        ("a \"$$(\" '\")\"; b; \"'", "!ambiguous"),
        ("a=(b)c", "!unsupported"),
    ] {
        assert_eq!(names(text), expected, "{text:?}");
    }
}

#[test]
fn odd_characters_outside_quotes_are_refused() {
    for text in ["a\rb", "a\r\n", "a \u{b} b", "a\u{7f}", "a\u{1}", "${x:-\r}", "((\r))", "x=(\r)"] {
        assert_eq!(names(text), "!control-character", "{text:?}");
    }
    for text in ["a\u{a0}b", "a \u{2003}", "\u{feff}a", "\u{200b}a", "a\u{85}", "${x:-\u{3000}}", "a\\\u{a0}"]
    {
        assert_eq!(names(text), "!odd-blank", "{text:?}");
    }
    for text in
        ["a '\r\u{b}\u{a0}'", "a \"\r\u{a0}\"", "a # \r\u{a0}", "a é ü \u{1f600}", "cat <<E\n\r\u{a0}\nE"]
    {
        assert!(!names(text).starts_with('!'), "{text:?}");
    }
    assert_eq!(names("a\0b"), "!control-character");
    assert_eq!(names("'\0'"), "!control-character");
    assert_eq!(parse(b"a\xff", &Options::default()).unwrap_err().reason, Reason::NotUtf8);
}

#[test]
fn what_follows_a_change_of_the_reading_is_unknown() {
    for text in [
        "shopt -s expand_aliases\na",
        "shopt -s expand_aliases; a",
        "shopt -s $x\na",
        "sh''opt -s expand_aliases\na",
        "command shopt -s expand_aliases\na",
        "builtin shopt -s expand_aliases\na",
        "(shopt -s expand_aliases; a)",
        "while shopt -s expand_aliases; do :; done",
        "set -o posix\na",
        "set -eo posix\na",
        "set -k; a",
        "set +B; a",
        "set -H; a",
        "set $x; alias a=b",
        "set $x; !a",
        "set -o $x\na !b",
        "(set -o igncr); a '\r'",
        "enable -n declare; a",
        "enable -f x.so y; a",
        "POSIXLY_CORRECT=1; a",
        "export POSIXLY_CORRECT\na",
        "declare -x BASH_COMPAT=31\na",
        "LC_ALL=zh_CN.GBK\na é",
        "export LANG=$x; a é",
        "shopt -s extglob\n!(a) && b",
        "!(a) && b; shopt -s extglob",
        "f() { !(a); }; shopt -s $x",
    ] {
        assert_eq!(names(text), "!reading-changed", "{text:?}");
    }
    for text in [
        "set -euo pipefail\na",
        "set -- $x; a",
        "set -x; a",
        "set $x; a",
        "set \"$@\"; ! a",
        "(set -o igncr) && a",
        "shopt -q expand_aliases; a",
        "shopt -oq posix; a",
        "shopt -u expand_aliases; a",
        "set x $y; a",
        "set -o noglob; a",
        "shopt -s nullglob globstar; a",
        "shopt -s extglob\na",
        "shopt -s extglob\n[[ a == !(b) ]]",
        "alias x=y\na",
        "LC_ALL=C a é",
        "export LC_ALL=C.UTF-8; a é",
        "export LANG=zh_CN.GBK; a",
        "enable; a",
        "a; set -o posix",
        "!(a) && b",
    ] {
        assert!(!names(text).starts_with('!'), "{text:?} {}", names(text));
    }
}

#[test]
fn a_script_tells_its_caller_what_it_changes() {
    let script = parse(b"a; shopt -s expand_aliases", &Options::default()).unwrap();
    assert_eq!(script.reading_changes.len(), 1);
    let script = parse(b"shopt -s extglob", &Options::default()).unwrap();
    assert_eq!(script.reading_changes.len(), 1);
    let script = parse(b"a; set -e", &Options::default()).unwrap();
    assert!(script.reading_changes.is_empty());
}

#[test]
fn a_posix_shell_gets_only_what_all_of_them_read_alike() {
    for text in [
        "a <(b)",
        "a &> f",
        "a |& b",
        "a <<< b",
        "a $'b'",
        "a $\"b\"",
        "a >& f",
        "[[ a ]]",
        "((a))",
        "function f { a; }",
        "coproc a",
        "select x in a; do b; done",
        "time a",
        "a {fd}>f",
        "x=(a)",
        "x[1]=a",
        "x+=a",
        "a ${x/b/c}",
        "a ${x:1}",
        "a ${!x}",
        "a ${x[1]}",
        "a ${x@Q}",
        "a ${x^}",
        "a ${ b; }",
        "a $[1]",
        "for ((;;)); do a; done",
        "for i in a; { b; }",
        "case x in x) a;& esac",
        "case x in x) a;;& esac",
        "!",
    ] {
        assert_eq!(names_in(Shell::Sh, text), "!bash-only", "{text:?}");
        assert!(!names(text).starts_with('!'), "{text:?}");
    }
    for text in [
        "a | b && c || d; e & f",
        "if a; then b; fi; while c; do d; done; for i in 1; do e; done",
        "case x in (x|y) a;; esac; f() { b; }; { c; }; (d)",
        "a ${x:-b} ${x#c} ${#x} ${1} \"$@\" $((1+2)) `d` $(e) ~ *",
        "a >f <g 2>&1 >>h <>i >|j 3>&-",
        "cat <<E\n$(a)\nE",
        "! a",
    ] {
        assert!(!names_in(Shell::Sh, text).starts_with('!'), "{text:?} {}", names_in(Shell::Sh, text));
    }
    assert_eq!(names_in(Shell::Sh, "alias a=b\na"), "!reading-changed");
    assert_eq!(names_in(Shell::Other, "a"), "!other-shell");
}

#[test]
fn limits_are_the_callers() {
    let small = Options { max_bytes: 4, max_depth: 1, ..Options::default() };
    assert!(parse(b"a b", &small).is_ok());
    assert_eq!(parse(b"a b c", &small).unwrap_err().reason, Reason::TooLong);
    assert!(parse(b"$(a)", &small).is_ok());
    let deep = Options { max_depth: 1, ..Options::default() };
    assert_eq!(parse(b"$($(a))", &deep).unwrap_err().reason, Reason::TooDeep);
}

#[test]
fn spans_inside_rewritten_text_point_into_the_source() {
    for (text, name) in [
        (r"a `b \`cc\``", "cc"),
        ("cat <<-E\n\t\tx $(\n\t\tcc)\n\tE\n", "cc"),
        (r#"a "`b \"\`cc\`\"`""#, "cc"),
    ] {
        let script = parse(text.as_bytes(), &Options::default()).unwrap();
        let found =
            programs(&script).into_iter().find(|p| p.name.as_ref().is_some_and(|n| *n == name)).unwrap();
        assert_eq!(&text[found.span.start as usize..found.span.end as usize], name, "{text:?}");
    }
}
