//! Large outputs kept in files.
