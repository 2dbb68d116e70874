// Whether bytecode can be read without ending the process.

#ifndef MAPWRIGHT_SHIM_BYTECODE_H
#define MAPWRIGHT_SHIM_BYTECODE_H

#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace mapwright {

/// What is wrong with bytecode that MLIR's reader rejects, or on which it crashes, hangs or runs out of memory. Nothing for bytecode
/// that it reads (whether the program is well-formed or not), and for text.
std::optional<std::string> bytecodeError(llvm::MemoryBufferRef source);

} // namespace mapwright

#endif // MAPWRIGHT_SHIM_BYTECODE_H
