// How deep a source is nested.

#ifndef MAPWRIGHT_SHIM_NESTING_H
#define MAPWRIGHT_SHIM_NESTING_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

namespace mapwright {

/// The deepest nesting that is read. Programs have some tens of levels; every reader and printer of MLIR goes down with them.
constexpr unsigned deepestNesting = 5000;

/// The byte of a text at which its brackets are nested deeper than `deepestNesting`, if there is one.
std::optional<size_t> tooDeep(llvm::StringRef text);

/// Line and column of a byte, from 1.
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t byte);

/// Is an operation in more than `deepestNesting` regions?
bool tooDeep(mlir::Block &block);

/// What is said about it.
std::string nestingError();

} // namespace mapwright

#endif
