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
    mw_all_gather,
    mw_all_reduce,
    mw_all_to_all,
    mw_alloc,
    mw_argsort,
    mw_check_almost_equal,
    mw_check_close,
    mw_check_equal,
    mw_cholesky,
    mw_clear_error,
    mw_collective_broadcast,
    mw_collective_permute,
    mw_context_create,
    mw_context_destroy,
    mw_context_fork,
    mw_context_fork_as,
    mw_context_threads,
    mw_context_world,
    mw_convert,
    mw_copy,
    mw_custom_call,
    mw_custom_call_at,
    mw_error_message,
    mw_error_status,
    mw_fft,
    mw_free,
    mw_host_infeed,
    mw_host_outfeed,
    mw_host_recv,
    mw_host_send,
    mw_infeed,
    mw_memory_statistics,
    mw_once,
    mw_once_done,
    mw_out_of_bounds,
    mw_outfeed,
    mw_parallel_for,
    mw_parallel_for_grain,
    mw_partition_id,
    mw_profile_add,
    mw_profile_now,
    mw_recv,
    mw_reduce_scatter,
    mw_register_custom_call,
    mw_replica_id,
    mw_rng,
    mw_rng_bits,
    mw_scratch,
    mw_scratch_release,
    mw_run_world,
    mw_send,
    mw_set_error,
    mw_set_memory_cache_limit,
    mw_set_memory_limit,
    mw_sort,
    mw_sort_by,
    mw_top_k,
    mw_triangular_solve,
    mw_unregister_custom_call,
    mw_world_abort,
    mw_world_create,
    mw_world_destroy,
}
