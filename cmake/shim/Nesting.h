// How deep a source is nested, and what else must not get to the parser.

#ifndef MAPWRIGHT_SHIM_NESTING_H
#define MAPWRIGHT_SHIM_NESTING_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

namespace mapwright {

/// The deepest nesting that is read unless something else is asked for. Programs have some tens of levels; every reader and printer of
/// MLIR goes down with them.
constexpr unsigned usualNesting = 5000;

/// Bytes of stack that reading, verifying, transforming and printing take for a level, with a margin.
constexpr size_t stackOfLevel = 128 << 10;

/// The deepest nesting that is read: what was set last, else the environment variable `MAPWRIGHT_DEEPEST_NESTING` as it was when this
/// was first asked, else `usualNesting`.
unsigned deepestNesting();

/// Sets it. From then on, new threads get a stack that suffices for it: the passes of a module run on threads of MLIR's. False where
/// the system does not give them such a stack; then nothing is changed.
bool setDeepestNesting(unsigned levels);

/// Calls `work` on a new thread with stack enough for sources as deep as is read; false where there is no such thread.
bool onDeepStack(llvm::function_ref<void()> work);

/// Why a text must not get to the parser, and at which byte.
struct Refusal {
  size_t byte;
  std::string message;
};

/// Is a text nested deeper than is read, or does it hold what the parser is known to die of: arrays of `index`, results with numbers
/// (`%0#1000000007`) that it would make room for?
std::optional<Refusal> refusal(llvm::StringRef text);

/// Line and column of a byte, from 1.
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t byte);

/// Is an operation in more regions than are read?
bool tooDeep(mlir::Block &block);

/// What is said about it.
std::string nestingError();

} // namespace mapwright

#endif
