//! Command output made short without losing a fact.
