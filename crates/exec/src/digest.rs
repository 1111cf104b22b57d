//! What an approval is bound to.

use std::fmt;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::call::ToolCall;

/// A SHA-256 over everything of a call that decides what would run: tool, parameters,
/// directory, environment and network scope.
///
/// An approval given for one digest does not serve a call with another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallDigest([u8; 32]);

impl CallDigest {
    /// The digest of a call.
    pub fn of(call: &ToolCall) -> Self {
        let mut hash = Sha256::new();
        field(&mut hash, call.tool_id.as_bytes());
        object(&mut hash, &call.params);
        let context = &call.context;
        field(&mut hash, context.cwd.as_deref().map_or(&[][..], |p| p.as_os_str().as_encoded_bytes()));
        hash.update((context.env.len() as u64).to_le_bytes());
        for (name, value) in &context.env {
            field(&mut hash, name.as_bytes());
            field(&mut hash, value.as_bytes());
        }
        field(&mut hash, context.network.to_string().as_bytes());
        Self(hash.finalize().into())
    }

    /// Reads the hexadecimal form that `Display` writes.
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != 64 {
            return None;
        }
        let mut out = [0u8; 32];
        for (byte, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
            let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
            *byte = digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?;
        }
        Some(Self(out))
    }
}

/// Each part goes in behind its length, so that no two different calls share a stream of bytes.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// Objects are hashed with sorted keys: the order in which a model wrote them means nothing.
fn object(hash: &mut Sha256, map: &Map<String, Value>) {
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort_unstable();
    hash.update(b"{");
    hash.update((keys.len() as u64).to_le_bytes());
    for key in keys {
        field(hash, key.as_bytes());
        value(hash, &map[key.as_str()]);
    }
}

fn value(hash: &mut Sha256, v: &Value) {
    match v {
        Value::Object(map) => object(hash, map),
        Value::Array(items) => {
            hash.update(b"[");
            hash.update((items.len() as u64).to_le_bytes());
            for item in items {
                value(hash, item);
            }
        }
        Value::String(s) => {
            hash.update(b"\"");
            field(hash, s.as_bytes());
        }
        plain => field(hash, plain.to_string().as_bytes()),
    }
}

impl fmt::Display for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallDigest({self})")
    }
}
