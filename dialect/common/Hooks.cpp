//===- Hooks.cpp - verification and inference outside of C++ --------------===//

#include "common/Hooks.h"

#include "mapwright-mlir/Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Set once, before any IR is read, hence not synchronised.
static MapwrightOpHooks opHooks = {nullptr, nullptr, nullptr};
static MapwrightCanonicalMapText mapTextHook = nullptr;

extern "C" void mapwrightSetOpHooks(const MapwrightOpHooks *hooks) {
  opHooks = hooks ? *hooks : MapwrightOpHooks{nullptr, nullptr, nullptr};
}

extern "C" void mapwrightSetMapTextHook(MapwrightCanonicalMapText hook) {
  mapTextHook = hook;
}

/// Whether the number of elements of a static shape fits into 63 bits, on which
/// everything that computes with shapes relies.
static bool hasCountableElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return true;
  int64_t count = 1;
  for (int64_t size : tensor.getShape())
    if (!ShapedType::isDynamic(size) && size != 0 &&
        llvm::MulOverflow(count, size, count))
      return false;
  return true;
}

LogicalResult mapwright::verifyThroughHook(Operation *op) {
  // What other operations give is theirs to check; arguments of functions and
  // loops are nobody's.
  for (OpOperand &operand : op->getOpOperands())
    if (isa<BlockArgument>(operand.get()) &&
        !hasCountableElements(operand.get().getType()))
      return op->emitOpError("operand #")
             << operand.getOperandNumber()
             << " has more elements than 64 bits can count: "
             << operand.get().getType();
  for (OpResult result : op->getResults())
    if (!hasCountableElements(result.getType()))
      return op->emitOpError("result #")
             << result.getResultNumber()
             << " has more elements than 64 bits can count: "
             << result.getType();
  if (!opHooks.verify)
    return success();
  return success(opHooks.verify(wrap(op)));
}

LogicalResult mapwright::verifyThroughHook(Operation *op,
                                           NamedAttribute attribute,
                                           intptr_t argument, intptr_t result) {
  if (!opHooks.verifyAttribute)
    return success();
  return success(opHooks.verifyAttribute(wrap(op),
                                         wrap(attribute.getName().strref()),
                                         wrap(attribute.getValue()), argument,
                                         result));
}

DictionaryAttr mapwright::mergeAttributes(MLIRContext *context,
                                          DictionaryAttr attributes,
                                          Attribute properties) {
  NamedAttrList all;
  if (attributes)
    all.append(attributes.getValue());
  if (auto inherent = dyn_cast_or_null<DictionaryAttr>(properties))
    for (NamedAttribute attribute : inherent)
      all.set(attribute.getName(), attribute.getValue());
  return all.getDictionary(context);
}

LogicalResult mapwright::inferThroughHook(
    MLIRContext *context, std::optional<Location> location, StringRef opName,
    ValueRange operands, DictionaryAttr attributes, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  if (!opHooks.inferReturnTypes)
    return emitOptionalError(location, "op ", opName,
                             ": no type inference is installed");
  SmallVector<MlirValue> wrappedOperands;
  for (Value operand : operands)
    wrappedOperands.push_back(wrap(operand));
  SmallVector<MlirRegion> wrappedRegions;
  for (Region *region : regions)
    wrappedRegions.push_back(wrap(region));
  auto addResult = [](MlirType type, void *userData) {
    static_cast<SmallVectorImpl<Type> *>(userData)->push_back(unwrap(type));
  };
  results.clear();
  Location at = location.value_or(UnknownLoc::get(context));
  return success(opHooks.inferReturnTypes(
      wrap(context), wrap(at), wrap(opName), wrappedOperands.size(),
      wrappedOperands.data(), wrap(Attribute(attributes)),
      /*properties=*/nullptr, wrappedRegions.size(), wrappedRegions.data(),
      addResult, &results));
}

/// Every run of white space becomes one space.
static std::string collapseWhiteSpace(StringRef text) {
  std::string out;
  bool pending = false;
  for (char c : text.trim()) {
    if (isspace(static_cast<unsigned char>(c))) {
      pending = true;
      continue;
    }
    if (pending)
      out.push_back(' ');
    pending = false;
    out.push_back(c);
  }
  return out;
}

bool mapwright::canonicalizeMapText(
    StringRef text, std::string &canonical,
    llvm::function_ref<void(intptr_t, StringRef)> error) {
  if (!mapTextHook) {
    canonical = collapseWhiteSpace(text);
    return true;
  }
  canonical.clear();
  auto emit = [](MlirStringRef piece, void *userData) {
    static_cast<std::string *>(userData)->append(piece.data, piece.length);
  };
  auto report = [](intptr_t column, MlirStringRef message, void *userData) {
    (*static_cast<llvm::function_ref<void(intptr_t, StringRef)> *>(userData))(
        column, unwrap(message));
  };
  return mapTextHook(wrap(text), emit, &canonical, report, &error);
}
