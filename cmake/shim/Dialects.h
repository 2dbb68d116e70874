// Dialects by name, for passes that declare what they create.

#ifndef MAPWRIGHT_SHIM_DIALECTS_H
#define MAPWRIGHT_SHIM_DIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace mapwright {
// Adds the dialect of that name: one of ours, or one of the upstream dialects that our passes create operations of. Another name, or
// one that the registry knows already, is left alone.
void insertDialect(llvm::StringRef name, mlir::DialectRegistry &registry);
// Lets operations of StableHLO and regions implement upstream's TilingInterface and what belongs to it, as soon as their dialects are loaded.
void insertTiling(mlir::DialectRegistry &registry);
// Lets operations of `tensor` that reshapes, slices, pads and concatenations become implement upstream's ShardingInterface, once `shard` is loaded.
void insertSharding(mlir::DialectRegistry &registry);
} // namespace mapwright

#endif // MAPWRIGHT_SHIM_DIALECTS_H
