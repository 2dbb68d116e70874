//! The table of exported functions, for hosts that resolve generated code's calls by name (a JIT).

use super::*;

macro_rules! table {
    ($($name:ident),* $(,)?) => {
        /// Name and address of every `mw_*` function.
        pub fn symbols() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

table! {
    mw_check_almost_equal,
    mw_check_close,
    mw_check_equal,
    mw_custom_call,
    mw_register_custom_call,
    mw_unregister_custom_call,
    mw_cholesky,
    mw_triangular_solve,
    mw_fft,
    mw_rng,
    mw_rng_bits,
    mw_argsort,
    mw_convert,
    mw_sort,
    mw_sort_by,
    mw_top_k,
    mw_alloc,
    mw_clear_error,
    mw_context_create,
    mw_context_destroy,
    mw_context_fork,
    mw_context_threads,
    mw_error_message,
    mw_error_status,
    mw_free,
    mw_memory_statistics,
    mw_parallel_for,
    mw_parallel_for_grain,
    mw_scratch,
    mw_scratch_release,
    mw_set_error,
    mw_set_memory_cache_limit,
    mw_set_memory_limit,
}
