//===- Hooks.h - verification and inference outside of C++ ------*- C++ -*-===//
//
// The C++ side of `mapwright-mlir/Dialects.h`: calls the installed hooks.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_HOOKS_H
#define MAPWRIGHT_COMMON_HOOKS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OperationSupport.h"

namespace mapwright {

/// Calls the verification hook; success when none is installed.
llvm::LogicalResult verifyThroughHook(mlir::Operation *op);

/// The same of an attribute that a dialect adds to an operation, or to an
/// argument or a result of a function (-1 where it is not at one).
llvm::LogicalResult verifyThroughHook(mlir::Operation *op,
                                      mlir::NamedAttribute attribute,
                                      intptr_t argument, intptr_t result);

/// Calls the inference hook with the attributes `attributes` (inherent and
/// discardable). Fails, with a diagnostic when `location` is given, when no
/// hook is installed.
llvm::LogicalResult
inferThroughHook(mlir::MLIRContext *context,
                 std::optional<mlir::Location> location,
                 llvm::StringRef opName, mlir::ValueRange operands,
                 mlir::DictionaryAttr attributes, mlir::RegionRange regions,
                 llvm::SmallVectorImpl<mlir::Type> &results);

/// The union of `attributes` and the properties, as one dictionary.
mlir::DictionaryAttr mergeAttributes(mlir::MLIRContext *context,
                                     mlir::DictionaryAttr attributes,
                                     mlir::Attribute properties);

/// Asks the installed hook for the canonical form of the text of an indexing
/// map. Reports what is wrong through `error` with a column (counted from 0).
/// Without a hook the text is only stripped of superfluous white space.
bool canonicalizeMapText(
    llvm::StringRef text, std::string &canonical,
    llvm::function_ref<void(intptr_t column, llvm::StringRef message)> error);

template <typename ConcreteOp>
class HookVerified
    : public mlir::OpTrait::TraitBase<ConcreteOp, HookVerified> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyThroughHook(op);
  }
};

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_HOOKS_H
