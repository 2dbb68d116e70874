//! Which element does a transpose behind a reshape read? Composed, simplified and evaluated without
//! MLIR.

use mapwright_indexing::{IndexingMap, compose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 24 elements seen as a matrix of 4x6, and that transposed.
    let transpose = "(d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]";
    let reshape = "(d0, d1) -> (d0 * 6 + d1), domain: d0 in [0, 3], d1 in [0, 5]";
    let map = compose(&transpose.parse()?, &reshape.parse::<IndexingMap>()?).simplify();
    println!("{map}");
    println!("element (5, 2) reads {:?}", map.eval(&[5, 2], &[], &[])?);
    Ok(())
}
