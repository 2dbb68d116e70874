//! Tiles by enumeration: for every tile of a result, what is read is what the tiles of the operand
//! hold.

mod chains;
mod check;
mod programs;
mod single;
