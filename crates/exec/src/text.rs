//! A model's reply as the tools see it.

use crate::call::ToolCall;
use crate::fence::{Fence, fences};
use crate::registry::{InvocationHint, ToolDef};

/// A reply with its fenced blocks found once.
#[derive(Debug)]
pub struct Text<'a> {
    raw: &'a str,
    fences: Vec<Fence<'a>>,
}

/// A call that a text holds, with the byte where it begins.
#[derive(Debug)]
pub struct TextCall {
    /// The byte of the text where it begins; calls run in this order.
    pub at: usize,
    /// The call.
    pub call: ToolCall,
}

impl<'a> Text<'a> {
    /// Scans a reply.
    pub fn new(raw: &'a str) -> Self {
        Self { raw, fences: fences(raw).collect() }
    }

    /// The reply as it came.
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Its closed fenced blocks.
    pub fn fences(&self) -> &[Fence<'a>] {
        &self.fences
    }

    /// The calls that blocks with this definition's tag make. Blank blocks make none.
    pub fn calls_of(&self, def: &ToolDef) -> Vec<TextCall> {
        let InvocationHint::FencedBlock(tag) = &def.invocation else { return Vec::new() };
        let Some(param) = def.fence_param() else { return Vec::new() };
        self.fences
            .iter()
            .filter(|f| f.tag == *tag && !f.body.trim().is_empty())
            .map(|f| {
                let mut params = serde_json::Map::new();
                params.insert(param.to_owned(), f.body.as_ref().into());
                TextCall { at: f.span.start, call: ToolCall::new(def.id.clone(), params) }
            })
            .collect()
    }
}
