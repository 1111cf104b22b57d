//! What a tool can do at all, whatever its parameters.

use std::fmt;
use std::ops::BitOr;

/// What a tool can do at all. Gates judge by these, never by lists of names.
///
/// A tool that says nothing is [`Capabilities::UNKNOWN`]: it is treated as doing everything.
///
/// ```
/// use toolgate_exec::Capabilities as C;
/// let grep = C::READS | C::IDEMPOTENT;
/// assert!(grep.is_read_only() && !C::UNKNOWN.is_read_only());
/// assert!(C::UNKNOWN.network() && C::UNKNOWN.executes() && !C::UNKNOWN.idempotent());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Capabilities(u16);

impl Capabilities {
    /// Nothing: it computes.
    pub const NONE: Self = Self(0);
    /// Reads files or other state of the machine.
    pub const READS: Self = Self(1);
    /// Creates or changes files or other state.
    pub const WRITES: Self = Self(1 << 1);
    /// Deletes files or other state.
    pub const DELETES: Self = Self(1 << 2);
    /// Reaches over the network.
    pub const NETWORK: Self = Self(1 << 3);
    /// Runs programs.
    pub const EXECUTES: Self = Self(1 << 4);
    /// The same call again gives the same and changes nothing more.
    pub const IDEMPOTENT: Self = Self(1 << 5);
    /// Deals with people or systems that are not known beforehand (MCP's `openWorldHint`).
    pub const OPEN_WORLD: Self = Self(1 << 6);
    /// Reads or changes what the agent remembers between sessions.
    pub const MEMORY: Self = Self(1 << 7);
    /// Belongs to an MCP server.
    pub const MCP: Self = Self(1 << 8);
    /// Nobody said: every effect, and not idempotent.
    pub const UNKNOWN: Self = Self(1 << 15 | (0x1ff & !(1 << 5)));

    const NAMES: [(Self, &'static str); 9] = [
        (Self::READS, "reads"),
        (Self::WRITES, "writes"),
        (Self::DELETES, "deletes"),
        (Self::NETWORK, "network"),
        (Self::EXECUTES, "executes"),
        (Self::IDEMPOTENT, "idempotent"),
        (Self::OPEN_WORLD, "open-world"),
        (Self::MEMORY, "memory"),
        (Self::MCP, "mcp"),
    ];

    /// Whether it has all of `other`.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it has any of `other`.
    pub fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether nobody said what it can do.
    pub fn is_unknown(self) -> bool {
        self.0 & (1 << 15) != 0
    }

    /// Whether it reads files or other state.
    pub fn reads(self) -> bool {
        self.has(Self::READS)
    }

    /// Whether it creates or changes files or other state.
    pub fn writes(self) -> bool {
        self.has(Self::WRITES)
    }

    /// Whether it deletes files or other state.
    pub fn deletes(self) -> bool {
        self.has(Self::DELETES)
    }

    /// Whether it reaches over the network, or may.
    pub fn network(self) -> bool {
        self.has_any(Self::NETWORK | Self::OPEN_WORLD)
    }

    /// Whether it runs programs.
    pub fn executes(self) -> bool {
        self.has(Self::EXECUTES)
    }

    /// Whether the same call again gives the same and changes nothing more.
    pub fn idempotent(self) -> bool {
        self.has(Self::IDEMPOTENT)
    }

    /// Whether it changes nothing anywhere: it may reach out to read, and does nothing else.
    pub fn is_read_only(self) -> bool {
        !self.has_any(Self::WRITES | Self::DELETES | Self::EXECUTES | Self::MEMORY) && !self.is_unknown()
    }

    /// The names of what it has, for a person: `reads`, `open-world` …; `unknown` alone where nobody said.
    pub fn names(self) -> Vec<&'static str> {
        if self.is_unknown() {
            return vec!["unknown"];
        }
        Self::NAMES.iter().filter(|(c, _)| self.has(*c)).map(|(_, name)| *name).collect()
    }
}

impl BitOr for Capabilities {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Default for Capabilities {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capabilities({})", self.names().join(" | "))
    }
}
