//===- Fold.cpp - shapes that are known -----------------------------------===//

#include "tarray/Dialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mapwright::tarray;

/// The sizes of a constant shape.
static std::optional<ArrayRef<int64_t>> sizesOf(Attribute shape) {
  auto sizes = dyn_cast_or_null<DenseI64ArrayAttr>(shape);
  if (!sizes)
    return std::nullopt;
  return sizes.asArrayRef();
}

/// A constant number, at least zero, as a size is.
static std::optional<int64_t> sizeOf(Attribute number) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(number);
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return std::max<int64_t>(*elements.value_begin<int64_t>(), 0);
}

static Attribute number(MLIRContext *context, int64_t value) {
  auto type = RankedTensorType::get({}, IntegerType::get(context, 64));
  return DenseIntElementsAttr::get(type, value);
}

static Attribute shape(MLIRContext *context, ArrayRef<int64_t> sizes) {
  return DenseI64ArrayAttr::get(context, sizes);
}

/// Is there a size at this position of `sizes`?
static bool isPosition(int64_t pos, size_t rank) {
  return 0 <= pos && pos < static_cast<int64_t>(rank);
}

OpFoldResult ShapeOp::fold(FoldAdaptor) { return getSizesAttr(); }

OpFoldResult SizeOp::fold(FoldAdaptor) {
  auto tensor = dyn_cast<RankedTensorType>(getX().getType());
  if (!tensor)
    return {};
  if (!getDim())
    return tensor.hasStaticShape() ? shape(getContext(), tensor.getShape())
                                   : Attribute();
  int64_t dim = *getDim();
  if (!isPosition(dim, tensor.getRank()) || tensor.isDynamicDim(dim))
    return {};
  return number(getContext(), tensor.getDimSize(dim));
}

OpFoldResult NumelOp::fold(FoldAdaptor adaptor) {
  auto sizes = sizesOf(adaptor.getShape());
  if (!sizes)
    return {};
  int64_t count = 1;
  for (int64_t size : *sizes)
    if (llvm::MulOverflow(count, size, count))
      return {};
  return number(getContext(), count);
}

OpFoldResult NdimsOp::fold(FoldAdaptor) {
  auto type = dyn_cast<ShapeType>(getShape().getType());
  return type ? number(getContext(), type.getRank()) : Attribute();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  auto lhs = sizesOf(adaptor.getLhs()), rhs = sizesOf(adaptor.getRhs());
  if (!lhs || !rhs)
    return {};
  SmallVector<int64_t> all(*lhs);
  llvm::append_range(all, *rhs);
  return shape(getContext(), all);
}

OpFoldResult InsertOp::fold(FoldAdaptor adaptor) {
  auto sizes = sizesOf(adaptor.getShape());
  auto value = sizeOf(adaptor.getValue());
  int64_t pos = getPos();
  if (!sizes || !value || !isPosition(pos, sizes->size() + 1))
    return {};
  SmallVector<int64_t> all(*sizes);
  all.insert(all.begin() + pos, *value);
  return shape(getContext(), all);
}

OpFoldResult DelOp::fold(FoldAdaptor adaptor) {
  auto sizes = sizesOf(adaptor.getShape());
  int64_t pos = getPos();
  if (!sizes || !isPosition(pos, sizes->size()))
    return {};
  SmallVector<int64_t> all(*sizes);
  all.erase(all.begin() + pos);
  return shape(getContext(), all);
}

OpFoldResult ReplaceOp::fold(FoldAdaptor adaptor) {
  auto sizes = sizesOf(adaptor.getShape());
  auto value = sizeOf(adaptor.getValue());
  int64_t pos = getPos();
  if (!sizes || !value || !isPosition(pos, sizes->size()))
    return {};
  SmallVector<int64_t> all(*sizes);
  all[pos] = *value;
  return shape(getContext(), all);
}
