//! What operations mean, looked at by name: type rules here, maps and attributes beside them.
pub mod typing;
