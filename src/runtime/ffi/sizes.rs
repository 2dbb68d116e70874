//! The sizes that a program is called with.

use super::*;
use std::ffi::c_void;

/// Checks that `sizes`, those of `tensors` tensors one after another, fit `table`. Of each tensor
/// that has its rank and then its sizes: a number of elements, -1 for any, `-2 - n` for at most
/// `n`. Records what does not fit.
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

/// Checks that there is memory for each of `tensors` tensors of a table as above that has elements.
/// They are arguments (`what` is 0), of these sizes, or results (1), of which only those count
/// whose elements the table says: the others may get their memory, and all their sizes, in the
/// lists that are given. Records what is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_check_memory(
    context: *const Context,
    what: i64,
    table: *const i64,
    tensors: i64,
    sizes: *const i64,
    memory: *const *const c_void,
) -> i32 {
    // SAFETY: the caller gives a live context, and a table, sizes and pointers of that many
    // tensors, of which sizes and pointers may be null.
    unsafe {
        guard(context, |_| {
            let are_results = what != 0;
            let what = if are_results { "result" } else { "argument" };
            let is_null = |name: String| {
                Err(Error::new(
                    Status::InvalidArgument,
                    format!("{name} is null"),
                ))
            };
            let (mut read, mut place) = (0, 0);
            for tensor in 0..tensors {
                let rank = *table.add(read) as usize;
                let expected = std::slice::from_raw_parts(table.add(read + 1), rank);
                if are_results && rank > 0 && sizes.is_null() {
                    return is_null("result_sizes".into());
                }
                if are_results && memory.is_null() && expected.iter().any(|size| *size < 0) {
                    return is_null("results".into());
                }
                let given = if are_results || sizes.is_null() {
                    expected
                } else {
                    std::slice::from_raw_parts(sizes.add(place), rank)
                };
                let has_elements = given.iter().all(|size| *size > 0);
                if has_elements && (memory.is_null() || (*memory.add(tensor as usize)).is_null()) {
                    return is_null(format!("{what} {tensor}"));
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
    fn lists_that_results_are_written_to() {
        let context = Context::new(1);
        let said = |table: &[i64], tensors, sizes: *const i64, memory: *const *const c_void| {
            // SAFETY: the context and the table are live, and what is not null has room for the
            // tensors.
            unsafe { mw_check_memory(&context, 1, table.as_ptr(), tensors, sizes, memory) };
            let error = context.error().map(|error| error.message);
            context.clear_error();
            error.unwrap_or_default()
        };
        let (sizes, memory) = ([0i64; 2], [std::ptr::null::<c_void>(); 2]);
        let null = std::ptr::null();
        for (table, tensors, with_sizes, with_memory, expected) in [
            (&[1, -1][..], 1, true, true, ""),
            (&[1, -1][..], 1, false, true, "result_sizes is null"),
            (&[1, -1][..], 1, true, false, "results is null"),
            (&[1, -5][..], 1, true, false, "results is null"),
            (&[1, 0][..], 1, true, false, ""),
            (&[0][..], 1, false, true, "result 0 is null"),
            (&[1, 2][..], 1, true, true, "result 0 is null"),
        ] {
            let sizes = if with_sizes {
                sizes.as_ptr()
            } else {
                std::ptr::null()
            };
            let memory = if with_memory { memory.as_ptr() } else { null };
            assert_eq!(said(table, tensors, sizes, memory), expected, "{table:?}");
        }
    }

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
