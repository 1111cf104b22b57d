//! Secrets of every kind, and text that only looks like one.

use super::secrets::percent;
use super::*;
use proptest::prelude::*;

fn masked(text: &str) -> String {
    redact(text, &Secrets::shapes()).into_owned()
}

#[test]
fn secrets_of_known_shapes_are_masked() {
    // Built from parts, so that no scanner takes this file for a leak.
    let digits = "16C7e42F292c6912E7710c838347Ae178B4a";
    for (line, secret) in [
        (format!("token ghp_{digits}"), digits.to_owned()),
        (format!("GITHUB_TOKEN=gho_{digits}"), digits.to_owned()),
        (format!("id AK{}IOSFODNN7EXAMPLE x", "IA"), "IOSFODNN7EXAMPLE".to_owned()),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY".to_owned(), "wJalrXUtn".to_owned()),
        ("DATABASE_URL=postgres://app:hunter2@127.0.0.1/shop".to_owned(), "hunter2".to_owned()),
        ("redis://:p4ss@host:6379".to_owned(), "p4ss".to_owned()),
        ("\"password\": \"hunter2\"".to_owned(), "hunter2".to_owned()),
        ("password: \"s3cr3t!\"".to_owned(), "s3cr3t!".to_owned()),
        ("DB_PASSWORD=hunter".to_owned(), "hunter".to_owned()),
        ("mysql --password=hunter2 -u x".to_owned(), "hunter2".to_owned()),
        ("tool --token abcd1234efgh".to_owned(), "abcd1234efgh".to_owned()),
        ("Authorization: Bearer abcDEF123456ghi".to_owned(), "abcDEF123456ghi".to_owned()),
        ("authorization: Basic dXNlcjpwYXNzd29yZDEy".to_owned(), "dXNlcjpwYXNz".to_owned()),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P".to_owned(),
            "eyJzdWIi".to_owned(),
        ),
        (format!("key sk-{}", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7"), "a1B2c3D4e5".to_owned()),
        ("client_secret=Zx81kQpL0v".to_owned(), "Zx81kQpL0v".to_owned()),
        ("AccountKey=abcd1234EFGH5678abcd1234EFGH5678==;X".to_owned(), "abcd1234EFGH".to_owned()),
        ("{\\\"apiKey\\\":\\\"a1b2c3d4e5f6a7b8\\\"}".to_owned(), "a1b2c3d4e5f6".to_owned()),
        (
            "gh\x1b[01;31mp_16C7e42F292c6912\x1b[mE7710c838347Ae178B4a".to_owned(),
            "E7710c838347Ae178B4a".to_owned(),
        ),
        (
            "gh\x1b]8;;http://x\x07p_16C7e42F292c6912\x1b]8;;\x1b\\E7710c838347Ae178B4a".to_owned(),
            "E7710c".to_owned(),
        ),
        ("ghp_16C7e42F29\x1b(B2c6912E7710c838347\x1bPq\x1b\\Ae178B4a".to_owned(), "E7710c".to_owned()),
        ("é\x08ghp_16C7e42F292c69é\x08\x1b[m12E7710c838347Ae178B4a".to_owned(), "E7710c".to_owned()),
        // As a manual page is bold: each character is struck twice.
        (
            digits.chars().fold("Password: ".to_owned(), |bold, c| format!("{bold}{c}\x08{c}")),
            "7\x087".to_owned(),
        ),
        ("t_o\x08\x08oken=9f8e7d6c5b4a3928".to_owned(), "9f8e7d".to_owned()),
    ] {
        let out = masked(&line);
        assert!(!out.contains(&secret), "{line} → {out}");
    }
}

#[test]
fn a_secret_between_a_command_and_its_password_is_masked_too() {
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    for line in [
        format!("mysql -h {token} -u root -pS3cr3tPw db"),
        format!("curl -u {token}:x1oauth2basic https://a.example"),
        format!("Authorization: {token} abcDEF123456ghi"),
    ] {
        let out = masked(&line);
        assert!(!out.contains("E7710c83"), "{line} → {out}");
        assert!(!["S3cr3tPw", "x1oauth", "abcDEF"].iter().any(|other| out.contains(other)), "{line} → {out}");
    }
}

/// Letters and digits that stand for chance, in an alphabet.
fn chance(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 88_172_645_463_325_252u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            letters[(state % letters.len() as u64) as usize]
        })
        .collect()
}

#[test]
fn tokens_of_every_issuer_are_masked() {
    const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const HEX: &str = "0123456789abcdef";
    const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    for (prefixes, alphabet, length) in [
        ("ghp_ gho_ ghu_ ghs_ ghr_", WORD, 36),
        ("github_pat_", WORD, 82),
        ("glpat- gldt- glrt- glcbt- glft- glsoat- glffct- GR1348941", WORD, 20),
        ("glptt- bkua_ e2b_ sbp_", HEX, 40),
        ("AKIA ASIA", CAPITALS, 16),
        ("xoxb-12345678901-12345678901- xoxp-1-2-3- xoxe-1- xoxe.xoxp-1- xapp-1-A0-1- xwfp-", WORD, 40),
        ("sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ whsec_", WORD, 24),
        ("npm_", WORD, 36),
        ("pypi-AgEIcHlwaS5vcmc", WORD, 60),
        ("sk- sk-proj- sk-svcacct- sk-admin- sk-ant-api03- sk-ant-admin01- sk-or-v1- gsk_ pplx-", WORD, 52),
        ("AIza hf_ api_org_ figd_ lin_api_ tfp_ nfp_ CCIPAT_", WORD, 40),
        ("ya29. 1//0 hvs. hvb. GOCSPX- nvapi- xai- sntrys_ glc_eyJ", WORD, 60),
        ("SG.abcdefghij1234567890ab.", WORD, 43),
        ("dop_v1_ doo_v1_ dor_v1_ xkeysib- sntryu_", HEX, 64),
        ("shpat_ shpca_ shppa_ shpss_ dapi key- SK", HEX, 32),
        ("ATATT3xFfGF0 ATCTT3xFfGN0", WORD, 120),
        ("ATBB p8e- tvly- dckr_pat_", WORD, 32),
        ("dp.pt. dp.st.prd. phx_ ntn_ fo1_ secret_ sb_secret_ zpka_ jina_ r8_", WORD, 44),
        ("lsv2_pt_ lsv2_sk_ rubygems_", HEX, 48),
        ("NRAK- PMAK- LTAI", WORD, 27),
        ("tskey-auth- sq0csp- sq0atp- duffel_live_", WORD, 44),
    ] {
        let secret = chance(alphabet, length);
        for prefix in prefixes.split(' ') {
            for line in [format!("using {prefix}{secret} now"), format!("x=\"{prefix}{secret}\"")] {
                let out = masked(&line);
                assert!(!out.contains(&secret[..12]), "{line} → {out}");
            }
        }
    }
}

#[test]
fn headers_connections_and_files_of_settings_are_masked() {
    for (line, secret) in [
        ("authorization: token sar27i79wxIUlixYVqxx", "sar27i79wx"),
        ("> Authorization: ApiKey D5UfCn2csCi1mtVuLm8ezb", "D5UfCn2csC"),
        ("'Authorization': 'Bearer abc.DEF-123456_ghi'", "DEF-123456"),
        ("Proxy-Authorization: Basic dTpzM2NyM3RwYXNz", "dTpzM2NyM3"),
        ("Authorization: Digest username=\"u\", response=\"a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6\"", "a1b2c3d4e5"),
        ("Cookie: theme=dark; sid=fEqD78DYUieZCOugnrQY", "fEqD78DYUi"),
        ("< set-cookie: sid=fEqD78DYUieZCOugnrQY; Path=/", "fEqD78DYUi"),
        ("X-Api-Key: 0123456789abcdef0123456789abcdef", "0123456789abcdef"),
        ("mongodb+srv://u:p4ssw0rd@h.example/db", "p4ssw0rd"),
        ("https://x-access-token:q9Zr4tXwAA77@git.example/a", "q9Zr4tXw"),
        ("Server=db;User Id=sa;Password=Str0ng!Pass;", "Str0ng!Pass"),
        ("Data Source=x;Pwd=abc123XYZ;", "abc123XYZ"),
        ("Endpoint=sb://x/;SharedAccessKey=abcd1234EFGH5678abcd=", "abcd1234EFGH"),
        ("https://a.example/c?sv=2022&sig=abcDEF123%2Bxyz456%3D&se=2026", "abcDEF123"),
        ("?X-Amz-Signature=0123456789abcdef0123456789abcdef", "0123456789abcdef"),
        ("    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF", "LS0tLS1CRUdJ"),
        ("\"auth\": \"dXNlcjpwYXNzd29yZDEyMw==\"", "dXNlcjpwYXNz"),
        ("    token: eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2lnbmF0dXJlLWJ5dGVz", "c2lnbmF0dXJl"),
        ("//r.example/:_authToken=0f1e2d3c-aaaa-bbbb", "0f1e2d3c"),
        ("machine git.example login a password q9Zr4tXw", "q9Zr4tXw"),
        ("ENV API_KEY 9f8e7d6c5b4a3928", "9f8e7d6c"),
        ("ALTER USER a WITH PASSWORD 'hunter22';", "hunter22"),
        ("CREATE USER a IDENTIFIED BY 'hunter22';", "hunter22"),
        ("<password>hunter2</password>", "hunter2"),
        ("<add key=\"ApiKey\" value=\"9f8e7d6c5b4a3928\"/>", "9f8e7d6c"),
        ("os.environ[\"API_TOKEN\"] = \"q9Zr4tXwAA77\"", "q9Zr4tXw"),
        ("SESSION_SECRET=\"keyboard cat\"", "keyboard"),
        ("JWT_SECRET=\"my-super-secret\"", "my-super"),
        ("secret_key_base: 0123456789abcdef0123456789abcdef", "0123456789abcdef"),
        ("curl -u admin:S3cr3tPw http://x", "S3cr3tPw"),
        ("mysql -u root -pS3cr3tPw db", "S3cr3tPw"),
        ("sshpass -p S3cr3tPw ssh x", "S3cr3tPw"),
        ("docker login -u a -p S3cr3tPw1", "S3cr3tPw1"),
    ] {
        let out = masked(line);
        assert!(!out.contains(secret), "{line} → {out}");
    }
}

/// Identifiers that look like chance and are none of anybody's secrets.
#[test]
fn hashes_and_identifiers_are_left_alone() {
    let hex = chance("0123456789abcdef", 64);
    let base64 = chance("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 86);
    for line in [
        format!("commit {}", &hex[..40]),
        format!("integrity sha512-{base64}=="),
        format!("Digest: sha256:{hex}"),
        format!("checksum = \"{hex}\""),
        format!("trace_id={} span_id={}", &hex[..32], &hex[..16]),
        format!("cache key: {}", &hex[..40]),
        format!("key: v1-linux-cargo-{hex}"),
        "session_id=0b1f3c2a-7d1e-4c55-9a53-1f2e3d4c5b6a".to_owned(),
        format!("etag: W/\"{}\"", &hex[..32]),
        format!("SHA256:{}", &base64[..43]),
        format!("AAAAB3NzaC1yc2EAAAADAQABAAABAQ{base64}"),
        format!("_ZN4core3fmt9Formatter12pad17h{}E", &hex[..16]),
        "docker run -u 1000:1000 x".to_owned(),
        "The --username and --password options are needed".to_owned(),
        "\"@inquirer/password\": \"^4.0.23\",".to_owned(),
        "pub AcceptCredentials: ACCEPT_CREDENTIALS_FN,".to_owned(),
        "pub const SYS_lookup_dcookie: c_long = 212;".to_owned(),
    ] {
        assert_eq!(masked(&line), line);
    }
}

#[test]
fn code_and_prose_are_left_alone() {
    for line in [
        "let token = self.tokens.next();",
        "fn password(&self) -> &str {",
        "password: String,",
        "token: &'a str,",
        "the token was refused: Authentication failed",
        "max_tokens=4096",
        "\"nextToken\": \"eyJlYWNoIjoxfQ\"",
        "PWD=/home/dev/proj/js",
        "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
        "POSTGRES_PASSWORD_FILE=/run/secrets/pg",
        "password=$PGPASSWORD",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "secretName: my-app-tls",
        "http://127.0.0.1:8731/api/items?page=2",
        "git@github.com:org/repo.git",
        "ssh://git@github.com/org/repo.git",
        "impl<'a> Tokenizer<'a> for X",
        "task-runner-with-a-very-long-name-indeed-yes-it-is",
        "primary_key: Option<String>",
        "pub const ACTOR_KEY: _bindgen_ty_30 = _bindgen_ty_30::ACTOR_KEY;",
        "EVENT_TEST_PASS: 'pass',",
        "check!(r\"-----BEGIN PRIVATE KEY-----\");",
        "expect(token).toBe(other)",
        "assert_eq!(secret, other.secret);",
        "public_key = \"ssh-ed25519-AAAAC3NzaC1lZDI1NTE5AAAAIJ\"",
    ] {
        assert_eq!(masked(line), line);
    }
}

#[test]
fn a_private_key_goes_and_what_follows_stays() {
    let text = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----\nerror: b\n";
    assert_eq!(masked(text), "a\n[redacted private key]\nerror: b\n");
    let cut = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nerror: disk full!\nmore\n";
    assert_eq!(masked(cut), "[redacted private key]\nerror: disk full!\nmore\n");
    let json = "{\"k\":\"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\",\"z\":1}";
    assert_eq!(masked(json), "{\"k\":\"[redacted private key]\\n\",\"z\":1}");
    let public = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n";
    assert_eq!(masked(public), public);
}

#[test]
fn values_are_masked_in_every_spelling() {
    let value = "p@ss w0rd/with+signs";
    let secrets = Secrets::with_values([value]);
    let base64 = "cEBzcyB3MHJkL3dpdGgrc2lnbnM=";
    for text in [
        format!("x {value} y"),
        format!("x {base64} y"),
        format!("x {} y", percent(value)),
        format!("Basic dXNlcjpwQHNzIHcwcmQvd2l0aCtzaWducw== {value}"),
    ] {
        let out = redact(&text, &secrets);
        assert!(
            !out.contains(value) && !out.contains("cyB3MHJkL3dpdGgrc2lnb") && !out.contains("%40ss"),
            "{out}"
        );
    }
    let lines = Secrets::with_values(["first-line-1\nsecond-line-2"]);
    assert_eq!(redact("a second-line-2 b", &lines), "a *** b");
}

#[test]
fn a_prompt_is_shown_when_nothing_more_comes() {
    for prompt in [
        "Password: ",
        "Password:",
        "Enter passphrase for key '/home/a/.ssh/id_ed25519': ",
        "Continue? [y/N] ",
        "Are you sure?",
        "Username for 'https://git.example.org': ",
        "Password for 'https://me@git.example.org': ",
        "[sudo] password for me: ",
        "token: ",
        "(gdb) ",
        "....",
        " 45% [=====>    ] 3/7\r",
        "\x1b[1mProceed?\x1b[0m (yes/no) ",
    ] {
        let (mut out, mut redactor) = (Vec::new(), Redactor::new(Secrets::shapes()));
        redactor.push(prompt.as_bytes(), &mut out);
        assert!(redactor.waits() && out.is_empty());
        redactor.pause(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), prompt);
        assert!(!redactor.waits());
    }
}

#[test]
fn a_pause_shows_no_part_of_a_secret() {
    let secrets = Secrets::with_values(["correct horse battery"]);
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    for (text, shown) in [
        (format!("using {token}"), "using "),
        (format!("using {}", &token[..9]), "using "),
        ("using gh".to_owned(), "using "),
        ("password=hun".to_owned(), "password="),
        ("login: correct ho".to_owned(), "login: "),
        ("postgres://app:hun".to_owned(), "postgres://"),
        ("a -----BEGIN PRIVATE KEY-----".to_owned(), "a "),
        ("gh\x1b[31mp_16C7".to_owned(), ""),
    ] {
        let (mut out, mut redactor) = (Vec::new(), Redactor::new(secrets.clone()));
        redactor.push(text.as_bytes(), &mut out);
        redactor.pause(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), shown, "{text}");
    }
}

/// A line that is longer than a piece, and was shown in part before it was.
#[test]
fn a_long_line_that_was_shown_in_part_shows_no_secret() {
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    for before in ["a,b;c ", "abc"] {
        let (mut out, mut redactor) = (Vec::new(), Redactor::new(Secrets::shapes()));
        redactor.push(before.as_bytes(), &mut out);
        redactor.push(b"wait: ", &mut out);
        redactor.pause(&mut out);
        let line = format!("{}={token} {}", "x".repeat(PIECE - 60), "y".repeat(PIECE));
        line.as_bytes().chunks(1000).for_each(|chunk| {
            redactor.push(chunk, &mut out);
            redactor.pause(&mut out);
        });
        redactor.finish(&mut out);
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out, format!("{before}wait: {}", line.replace(token, "[redacted]")));
    }
}

#[test]
fn a_value_across_the_border_of_two_pieces_is_masked() {
    let value = "val,ue;with}commas";
    let secrets = Secrets::with_values([value]);
    for shift in 0..40 {
        let mut text = "x".repeat(PIECE - 30 + shift);
        text.push_str(value);
        text.push_str(&"y".repeat(PIECE * 2));
        let mut out = Vec::new();
        let mut redactor = Redactor::new(secrets.clone());
        for chunk in text.as_bytes().chunks(1000) {
            redactor.push(chunk, &mut out);
        }
        redactor.finish(&mut out);
        assert!(!String::from_utf8(out).unwrap().contains(value), "{shift}");
    }
}

/// Text full of secrets, of what looks like them, and of parts of both.
pub(super) fn secretive(parts: usize) -> impl Strategy<Value = String> {
    let token = chance("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 48);
    let hex = chance("0123456789abcdef", 40);
    let web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
    let whole = [
        format!("ghp_{}", &token[..36]),
        format!("sk-ant-api03-{token}"),
        format!("SK{}", &hex[..32]),
        format!("glpat-{}", &token[..20]),
        format!("&sig={}", &token[..24]),
        format!("key-{}", &hex[..32]),
        format!("{web} "),
        format!("Authorization: Bearer {token}"),
        "Cookie: theme=dark; sid=fEqD78DYUieZCOugnrQY".to_owned(),
        "curl -u admin:S3cr3tPw http://x".to_owned(),
        "postgres://app:hunter2@db/shop".to_owned(),
        "mysql -u root -pS3cr3tPw db".to_owned(),
        "password = \"a pass word\"".to_owned(),
        "API_KEY=9f8e7d6c5b4a3928".to_owned(),
        "{\\\"apiKey\\\":\\\"a1b2c3d4e5f6a7b8\\\"}".to_owned(),
        "CREATE USER a IDENTIFIED BY 'hunter22';".to_owned(),
        "<add key=\"ApiKey\" value=\"9f8e7d6c5b4a3928\"/>".to_owned(),
        "os.environ[\"API_TOKEN\"] = \"q9Zr4tXwAA77\"".to_owned(),
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n".to_owned(),
        "-----BEGIN RSA PRIVATE KEY-----".to_owned(),
        "the secret-value of secret-value-two".to_owned(),
        "const KEY: SomeType1 = x".to_owned(),
    ];
    let cut = (prop::sample::select(whole.to_vec()), any::<prop::sample::Index>(), any::<bool>());
    let cut = cut.prop_map(|(text, at, first)| match (at.index(text.len() + 1), first) {
        (at, true) => text[..at].to_owned(),
        (at, false) => text[at..].to_owned(),
    });
    let small = "( |\n|\r|x|: |=|\"|'|\\\\|\\.|-|_|://|@|,|é|日|\x1b\\[31m|\x1b\\[m|\x1b|\x1b\\]8;;u|\x07|\x1b\\\\|> |\\?|a1B2c3D4|Password: |token)";
    let part = prop_oneof![3 => prop::sample::select(whole.to_vec()), 3 => cut, 6 => small];
    prop::collection::vec(part, 0..parts).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// A pause shows nothing that the whole line would not show, in the same order, and loses nothing.
    #[test]
    fn pauses_change_nothing(
        text in secretive(12),
        sizes in prop::collection::vec((1usize..30, any::<bool>()), 1..8),
    ) {
        let secrets = Secrets::with_values(["secret-value", "value-two of many"]);
        let whole = redact(&text, &secrets).into_owned();
        let mut out = Vec::new();
        let mut redactor = Redactor::new(secrets);
        let mut rest = text.as_bytes();
        for (size, pause) in sizes.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*size));
            redactor.push(now, &mut out);
            if *pause {
                redactor.pause(&mut out);
                prop_assert!(whole.as_bytes().starts_with(&out), "{:?} of {:?}", String::from_utf8_lossy(&out), whole);
            }
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        let masked = redactor.masked();
        redactor.finish(&mut out);
        prop_assert!(masked <= redactor.masked());
        prop_assert_eq!(String::from_utf8(out).unwrap(), whole);
    }

    /// Whatever a terminal makes of a line, it puts no secret together that was not masked.
    #[test]
    fn a_terminal_shows_no_secret_that_was_written_in_parts(
        parts in prop::collection::vec("(\x1b\\[[0-9;]{0,4}m|\x1b\\]8;;[a-z]{0,3}(\x07|\x1b\\\\)|\x1b\\(B|\x1b[=>7]|[a-zé]\x08){0,2}", 40),
        before in "[a-z =]{0,5} ",
    ) {
        let token = format!("ghp_{}", chance("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 36));
        let line = token.chars().zip(&parts).fold(before, |line, (c, part)| format!("{line}{part}{c}"));
        let shown = crate::sanitize_output(&masked(&line));
        prop_assert!(!shown.contains(&token[..10]) && !shown.contains(&token[20..]), "{:?} shows {}", line, shown);
    }

    #[test]
    fn chunk_borders_change_nothing(
        text in "(ghp_16C7e42F292c6912E7710c838347Ae178B4a|password=hunter2|\\n|x|://a:b@c|-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|MIIE| |é|secret-value){0,24}",
        size in 1usize..40,
    ) {
        let secrets = Secrets::with_values(["secret-value"]);
        let whole = redact(&text, &secrets).into_owned();
        let mut out = Vec::new();
        let mut redactor = Redactor::new(secrets);
        for chunk in text.as_bytes().chunks(size) {
            redactor.push(chunk, &mut out);
        }
        redactor.finish(&mut out);
        prop_assert_eq!(String::from_utf8(out).unwrap(), whole);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut out = Vec::new();
        let mut redactor = Redactor::new(Secrets::shapes());
        redactor.push(&bytes, &mut out);
        redactor.finish(&mut out);
    }
}
