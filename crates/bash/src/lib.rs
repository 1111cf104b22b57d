//! A strict bash parser and static word evaluation that hides no command.
