//===- Hooks.td - operations whose semantics live outside of C++ ----------===//
//
// What an operation means is implemented once, in the Rust crate `ops`. The
// classes below route verification and result type inference there.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_HOOKS
#define MAPWRIGHT_COMMON_HOOKS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Runs the verification hook after the constraints that ODS states, and before
// nested operations are verified: what is wrong with the types of an operation
// is reported there, not at what follows from them in its regions. The hook
// must not rely on well-formed bodies.
def HookVerified : NativeOpTrait<"HookVerified"> {
  let cppNamespace = "::mapwright";
}

// What every operation with inferred result types declares. `refineReturnTypes` accepts whatever is
// there, because the verification hook already compares the result types with
// the inferred ones (an exact comparison would reject the looser types that
// the specification allows, such as a dynamic dimension for a static one).
defvar Hlo_InferDeclaration = [{
  static ::llvm::LogicalResult inferReturnTypes(
      ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
      ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
      ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
      ::llvm::SmallVectorImpl<::mlir::Type> &results) {
    // Generic, because operations without attributes have no conversion.
    auto toAttribute = [&](auto *typed) -> ::mlir::Attribute {
      if constexpr (std::is_same_v<decltype(typed), ::mlir::EmptyProperties *>)
        return {};
      else
        return typed ? getPropertiesAsAttr(context, *typed)
                     : ::mlir::Attribute();
    };
    return ::mapwright::inferThroughHook(
        context, location, getOperationName(), operands,
        ::mapwright::mergeAttributes(context, attributes,
                                     toAttribute(properties.as<Properties *>())),
        regions, results);
  }
  static ::llvm::LogicalResult refineReturnTypes(
      ::mlir::MLIRContext *, std::optional<::mlir::Location>,
      ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
      ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
    return ::mlir::success();
  }
}];

// Operations are built by name through the C API, never through C++ builders;
// leaving these out halves the generated code. One trivial builder remains,
// because ODS demands it and implicit terminators use it.
class Hlo_Op<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, traits # [HookVerified]> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
}

#endif // MAPWRIGHT_COMMON_HOOKS
