//===- Types.cpp - tensor arrays and shapes -------------------------------===//

#include "mapwright-mlir/Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tarray/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mapwright::tarray;

#define GET_TYPEDEF_CLASSES
#include "tarray/Types.cpp.inc"

void TArrayDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tarray/Types.cpp.inc"
      >();
}

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type element, int64_t max) {
  if (max < 0)
    return emitError() << "the maximum length " << max << " is negative";
  // Elements of all levels at their maxima, where there are such, are counted
  // in 63 bits.
  auto most = [](int64_t max) {
    return max == std::numeric_limits<int64_t>::max() ? 1 : max;
  };
  int64_t count = most(max);
  Type inner = element;
  while (auto array = dyn_cast<ArrayType>(inner)) {
    if (llvm::MulOverflow(count, std::max<int64_t>(most(array.getMax()), 1),
                          count))
      return emitError() << "more elements than 64 bits can count";
    inner = array.getElement();
  }
  auto tensor = dyn_cast<RankedTensorType>(inner);
  if (!tensor)
    return emitError() << "elements of a TensorArray are TensorArrays, or "
                          "Tensors of known rank, not "
                       << inner;
  for (int64_t size : tensor.getShape())
    if (!ShapedType::isDynamic(size) &&
        llvm::MulOverflow(count, std::max<int64_t>(size, 1), count))
      return emitError() << "more elements than 64 bits can count";
  return success();
}

LogicalResult ShapeType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rank) {
  if (rank < 0)
    return emitError() << "the number of dimensions " << rank
                       << " is negative";
  return success();
}

extern "C" MlirType mapwrightArrayTypeGetElement(MlirType type) {
  auto array = dyn_cast<ArrayType>(unwrap(type));
  return wrap(array ? array.getElement() : Type());
}

extern "C" int64_t mapwrightArrayTypeGetMax(MlirType type) {
  auto array = dyn_cast<ArrayType>(unwrap(type));
  return array ? array.getMax() : -1;
}

extern "C" int64_t mapwrightShapeTypeGetRank(MlirType type) {
  auto shape = dyn_cast<ShapeType>(unwrap(type));
  return shape ? shape.getRank() : -1;
}
