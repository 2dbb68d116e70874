//! `indexing-annotate`: attaches the maps of each operation as attributes.

/// The attributes that the pass attaches.
pub(super) const ATTRIBUTES: [&str; 2] = ["indexing.output_to_input", "indexing.input_to_output"];
