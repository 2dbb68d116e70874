//! Vectors of constants, and blocks of vectors that are transposed.

use mapwright_mlir::{Builder, Ty, Val};

/// The zero of a scalar or vector type.
pub(crate) fn zero<'c>(b: &Builder<'c>, ty: Ty<'c>) -> Val<'c> {
    let element = b.element_of(ty);
    if is_float(element) {
        b.cfloat(0.0, ty)
    } else {
        b.cint(0, ty)
    }
}

fn is_float(ty: Ty<'_>) -> bool {
    let name = ty.to_string();
    name.starts_with('f') || name == "bf16" || name == "tf32"
}

/// Numbers as a vector constant of an integer (or index) type.
pub(crate) fn pattern<'c>(b: &Builder<'c>, values: &[i64], element: Ty<'c>) -> Val<'c> {
    let ty = b.vector(&[values.len() as i64], element);
    let list: Vec<String> = values.iter().map(ToString::to_string).collect();
    let attribute = b.parse_attr(&format!("dense<[{}]> : {ty}", list.join(", ")));
    b.cattr(attribute, ty)
}

/// Transposes a square block of rows: log2(n) rounds of exchanging halves between rows at growing
/// distance.
pub(crate) fn transpose<'c>(b: &Builder<'c>, mut rows: Vec<Val<'c>>) -> Vec<Val<'c>> {
    let n = rows.len();
    let mut distance = 1;
    while distance < n {
        let mut next = rows.clone();
        // Lanes whose bit `distance` is clear come from the upper row, the others from the lower
        // one, and the other way round.
        let low: Vec<i64> = (0..n)
            .map(|i| if i & distance == 0 { i } else { n + (i ^ distance) } as i64)
            .collect();
        let high: Vec<i64> = (0..n)
            .map(|i| if i & distance == 0 { i ^ distance } else { n + i } as i64)
            .collect();
        for i in 0..n {
            if i & distance == 0 {
                let (upper, lower) = (rows[i], rows[i | distance]);
                next[i] = b.shuffle(upper, lower, &low);
                next[i | distance] = b.shuffle(upper, lower, &high);
            }
        }
        rows = next;
        distance *= 2;
    }
    rows
}
