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
    ] {
        let out = masked(&line);
        assert!(!out.contains(&secret), "{line} → {out}");
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
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
