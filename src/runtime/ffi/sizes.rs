//! The sizes that a program is called with.

use super::*;
use std::ffi::c_void;

/// Do `sizes`, those of `tensors` tensors one after another, fit `table`? Of each tensor that has its rank and then its sizes: a number of
/// elements, -1 for any, `-2 - n` for at most `n`. Records what does not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_check_sizes(
    context: *const Context,
    table: *const i64,
    tensors: i64,
    sizes: *const i64,
) -> i32 {
    // SAFETY: the caller gives a live context, and a table and sizes of that many tensors.
    unsafe {
        guard(context, |_| {
            if sizes.is_null() {
                return Err(Error::new(
                    Status::InvalidArgument,
                    "argument_sizes is null",
                ));
            }
            let (mut read, mut place) = (0, 0);
            for argument in 0..tensors {
                let rank = *table.add(read) as usize;
                let expected = std::slice::from_raw_parts(table.add(read + 1), rank);
                let given = std::slice::from_raw_parts(sizes.add(place), rank);
                check(argument, expected, given)?;
                read += 1 + rank;
                place += rank;
            }
            Ok(())
        })
    }
}

/// Is there memory for each of `tensors` tensors of a table as above that has elements? They are arguments (`what` is 0) or results (1), of these
/// sizes; without sizes only those count whose elements the table says. Records what is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_check_memory(
    context: *const Context,
    what: i64,
    table: *const i64,
    tensors: i64,
    sizes: *const i64,
    memory: *const *const c_void,
) -> i32 {
    // SAFETY: the caller gives a live context, and a table, sizes and pointers of that many tensors, of which sizes and pointers may be null.
    unsafe {
        guard(context, |_| {
            let what = if what == 0 { "argument" } else { "result" };
            let (mut read, mut place) = (0, 0);
            for tensor in 0..tensors {
                let rank = *table.add(read) as usize;
                let expected = std::slice::from_raw_parts(table.add(read + 1), rank);
                let given = match sizes.is_null() {
                    true => expected,
                    false => std::slice::from_raw_parts(sizes.add(place), rank),
                };
                let has_elements = given.iter().all(|size| *size > 0);
                if has_elements && (memory.is_null() || (*memory.add(tensor as usize)).is_null()) {
                    let null = format!("{what} {tensor} is null");
                    return Err(Error::new(Status::InvalidArgument, null));
                }
                read += 1 + rank;
                place += rank;
            }
            Ok(())
        })
    }
}

fn check(argument: i64, expected: &[i64], given: &[i64]) -> Result<()> {
    for (d, (expected, given)) in expected.iter().zip(given).enumerate() {
        let fits = match *expected {
            -1 => *given >= 0,
            n if n < 0 => (0..=-2 - n).contains(given),
            n => *given == n,
        };
        if !fits {
            // A call of a small program takes less time than these words.
            let what = match *expected {
                -1 => "any size".to_owned(),
                n if n < 0 => format!("at most {}", -2 - n),
                n => n.to_string(),
            };
            return Err(Error::new(
                Status::InvalidArgument,
                format!(
                    "argument {argument} has the size {given} in dimension {d}, expected {what}"
                ),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_table() {
        assert!(check(0, &[2, -1, -6], &[2, 7, 4]).is_ok());
        for (given, what) in [
            (
                [3, 7, 4],
                "argument 5 has the size 3 in dimension 0, expected 2",
            ),
            (
                [2, -1, 4],
                "argument 5 has the size -1 in dimension 1, expected any size",
            ),
            (
                [2, 7, 5],
                "argument 5 has the size 5 in dimension 2, expected at most 4",
            ),
        ] {
            let error = check(5, &[2, -1, -6], &given).map_err(|error| error.message);
            assert_eq!(error, Err(what.to_owned()));
        }
    }
}
