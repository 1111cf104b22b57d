//! Test doubles and harnesses for the Toolgate workspace.
