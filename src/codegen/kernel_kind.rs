//! What is in the modules of a lowered program.

/// Kind of code that a module of a [`Lowered`](crate::host::Lowered) program holds, and with it how
/// much is left for LLVM to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelKind {
    /// Entry points: launches, library calls, control flow between them.
    Host,
    /// Kernels of register blocks, unrolled as far as they should be.
    Blocks,
    /// Kernels of vectors, some with short loops and with scalars between the vectors.
    Vectors,
    /// Loops over single elements, and what they call: LLVM's loop vectoriser is wanted.
    Loops,
}

impl KernelKind {
    /// Kinds that kernels may have, in the order of their modules.
    pub const KERNELS: [Self; 3] = [Self::Blocks, Self::Vectors, Self::Loops];

    /// Prefix of the names of such modules.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Blocks => "blocks",
            Self::Vectors => "vectors",
            Self::Loops => "loops",
        }
    }

    /// Kind of code of the module of that name; anything is found in one of unknown name.
    pub fn from_module_name(module: &str) -> Self {
        let prefix = module.split('_').next().unwrap_or_default();
        [Self::Host, Self::Blocks, Self::Vectors]
            .into_iter()
            .find(|content| content.prefix() == prefix)
            .unwrap_or(Self::Loops)
    }
}
