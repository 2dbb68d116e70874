//! Fast paths: what is computed in a way of its own, by the name under which that can be switched
//! off.

/// The pass that a fast path is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `indexing-normalize`
    Normalise,
    /// `indexing-fuse`
    Fuse,
    /// `indexing-lower`
    Lower,
}

/// A fast path. Emitters that come before the last can be switched off by their names as well.
#[derive(Clone, Copy, Debug)]
pub struct FastPath {
    /// Name in [`crate::Options::disabled`].
    pub name: &'static str,
    /// Stage that takes it.
    pub stage: Stage,
    /// Code that takes its place.
    pub instead: &'static str,
}

const fn path(name: &'static str, stage: Stage, instead: &'static str) -> FastPath {
    FastPath {
        name,
        stage,
        instead,
    }
}

/// All of them.
pub const FAST_PATHS: &[FastPath] = &[
    path(
        "distribution",
        Stage::Normalise,
        "the body of a loop over an array is done for one element after the other",
    ),
    path(
        "batching",
        Stage::Normalise,
        "loops over arrays go through all the room that the maxima ask for",
    ),
    path(
        "common-values",
        Stage::Normalise,
        "what is computed twice is computed twice",
    ),
    path(
        "top-k",
        Stage::Normalise,
        "the first elements in an order are those of a whole line that is sorted",
    ),
    path(
        "convolutions",
        Stage::Normalise,
        "convolutions keep the order of their dimensions, and the holes between the elements of an operand",
    ),
    path(
        "computed-padding",
        Stage::Normalise,
        "windows and convolutions whose padding is computed look at each of their elements",
    ),
    path(
        "long-windows",
        Stage::Normalise,
        "windows of many elements look at each of them",
    ),
    path(
        "lhs-dilation",
        Stage::Normalise,
        "the zeros between the elements of the operand of a convolution are multiplied like those",
    ),
    path(
        "few-output-channels",
        Stage::Normalise,
        "the lanes of convolutions to few features run along these",
    ),
    path(
        "small-products",
        Stage::Normalise,
        "products of a few elements each are products like others, not element-wise",
    ),
    path(
        "small-updates",
        Stage::Normalise,
        "an element of a small state that a loop reads is updated in memory",
    ),
    path(
        "complex-products",
        Stage::Normalise,
        "products of complex numbers are computed element by element",
    ),
    path(
        "shared-batches",
        Stage::Normalise,
        "an operand that is the same for every index of a batch dimension is multiplied for each",
    ),
    path(
        "rounds",
        Stage::Normalise,
        "loops over slices run round by round, carry what nobody reads, and keep every history",
    ),
    path(
        mapwright_fusion::switches::FUSION,
        Stage::Fuse,
        "every operation is a region by itself",
    ),
    path(
        mapwright_fusion::switches::MOVEMENT,
        Stage::Fuse,
        "transposes, reshapes, slices and concatenations are copies in memory",
    ),
    path(
        "unit-dims",
        Stage::Fuse,
        "products keep their dimensions of size 1",
    ),
    path(
        "split-reduction",
        Stage::Fuse,
        "reductions and scatters to few results are not cut into parts that are computed beside each other",
    ),
    path(
        mapwright_fusion::plan::LESS_MEMORY,
        Stage::Fuse,
        "what is cheap to make again is kept like all else, and regions run in the order of the block",
    ),
    path(
        mapwright_normalize::sizes::NAME,
        Stage::Fuse,
        "regions are formed as if no two sizes that are known at run time only were equal, and the general emitter takes them",
    ),
    path(
        mapwright_fusion::composed::NAME,
        Stage::Lower,
        "the maps of moves that follow each other are composed, and not simplified where a sum is divided",
    ),
    path(
        "light-loops",
        Stage::Lower,
        "loops of small regions launch these like others",
    ),
    path(
        "result-memory",
        Stage::Lower,
        "nothing but results is in the memory of results",
    ),
    path(
        "overlap",
        Stage::Lower,
        "collectives are done before what follows them begins",
    ),
    path(
        "views",
        Stage::Lower,
        "rows of a tensor, and its elements in another shape, are copied",
    ),
    path("sort-keys", Stage::Lower, "a sort calls its comparator"),
    path(
        "streaming-stores",
        Stage::Lower,
        "large results go through the caches",
    ),
    path(
        "transposes",
        Stage::Lower,
        "columns are gathered, not read in blocks that are transposed in registers",
    ),
    path("reductions", Stage::Lower, "the general emitter reduces"),
    path(
        "selections",
        Stage::Lower,
        "the general emitter takes reductions to several results",
    ),
    path(
        "scans",
        Stage::Lower,
        "the general emitter takes prefix reductions",
    ),
    path("windows", Stage::Lower, "the general emitter takes windows"),
    path(
        "row-scratch",
        Stage::Lower,
        "what several sweeps over a row need is computed in each",
    ),
    path(
        "reciprocals",
        Stage::Lower,
        "rows are divided, not multiplied by a reciprocal and corrected",
    ),
    path(
        "vector-groups",
        Stage::Lower,
        "functions are computed a register at a time",
    ),
    path(
        "column-sweeps",
        Stage::Lower,
        "columns with functions are swept a few vectors at a time, down all their elements",
    ),
    path(
        "row-groups",
        Stage::Lower,
        "short rows are swept one after the other",
    ),
    path(
        "depthwise",
        Stage::Lower,
        "a convolution of each feature by itself is a product like others",
    ),
    path(
        "gemv-row",
        Stage::Lower,
        "a single row is multiplied with columns across vectors, not along them",
    ),
    path(
        "memory-order",
        Stage::Lower,
        "columns are added up a few vectors at a time, down all their elements",
    ),
    path(
        "stored-blocks",
        Stage::Lower,
        "blocks that are transposed stay in registers, whatever is computed from them",
    ),
    path(
        "packing",
        Stage::Lower,
        "the general emitter takes products whose factors are not read where they are",
    ),
    path(
        "packed-constants",
        Stage::Lower,
        "factors that are constants are packed in each call",
    ),
    path(
        "epilogues",
        Stage::Lower,
        "the general emitter takes products that something follows",
    ),
    path(
        "dot-instructions",
        Stage::Lower,
        "products of bytes and bf16 are added one by one",
    ),
    path(
        "lane-instructions",
        Stage::Lower,
        "floating-point numbers are taken apart, scaled and compared without AVX-512's instructions for it",
    ),
    path(
        "lookups",
        Stage::Lower,
        "the exponential function of f32 is one polynomial, not a shorter one times a number from a table in a register",
    ),
    path(
        "complex-lanes",
        Stage::Lower,
        "the general emitter takes regions with complex numbers",
    ),
    path(
        "inner-dimensions",
        Stage::Lower,
        "lanes run along short innermost dimensions, too",
    ),
    path(
        "prefetches",
        Stage::Lower,
        "rows far from each other, of blocks and of scatters, are not asked for ahead",
    ),
    path("slabs", Stage::Lower, "a scatter is one task"),
    path(
        "in-place",
        Stage::Lower,
        "no result is where an operand was",
    ),
];
