//! The layer between an AI agent and the machine it works on.
