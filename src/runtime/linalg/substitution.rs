//! Rows `y` with `y L^H = b`.

use super::Scalar;

/// Columns solved at a time.
pub(super) const COLUMNS: usize = 48;

/// Replaces the `m` rows of `rows` (each of `n` numbers, `stride` apart) by the solutions of `y L^H = row`, where `lower` is a lower
/// triangular matrix of size `n`. With `unit`, its diagonal is taken as ones and not read.
pub(super) fn substitute<T: Scalar>(
    lower: &[T],
    n: usize,
    unit: bool,
    rows: &mut [T],
    stride: usize,
    m: usize,
) {
    let mut tile = vec![T::ZERO; m * COLUMNS];
    let mut begin = 0;
    while begin < n {
        let width = COLUMNS.min(n - begin);
        if begin > 0 {
            // What the solved columns contribute.
            T::product(
                (&mut tile, COLUMNS),
                (rows, stride),
                (&lower[begin * n..], n),
                m,
                width,
                begin,
            );
            for r in 0..m {
                let row = &mut rows[r * stride + begin..][..width];
                for (x, t) in row.iter_mut().zip(&tile[r * COLUMNS..]) {
                    *x = *x - *t;
                }
            }
        }
        for r in 0..m {
            substitute_block(
                &lower[begin * n + begin..],
                n,
                unit,
                &mut rows[r * stride + begin..][..width],
            );
        }
        begin += width;
    }
}

/// The same for one row and a block on the diagonal, whose rows are `stride` apart.
pub(super) fn substitute_block<T: Scalar>(lower: &[T], stride: usize, unit: bool, row: &mut [T]) {
    for j in 0..row.len() {
        let mut x = row[j];
        for (y, l) in row[..j].iter().zip(&lower[j * stride..]) {
            x = x - *y * l.conj();
        }
        row[j] = if unit {
            x
        } else {
            x / lower[j * stride + j].conj()
        };
    }
}
