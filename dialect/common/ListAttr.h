//===- ListAttr.h - lists of integers in old and new spelling ---*- C++ -*-===//
//
// Where an operation has a list of integers, programs of older frameworks write
// `dense<[0, 1]> : tensor<2xi64>` for `array<i64: 0, 1>`. Both are read; what is
// kept, and printed, is the array.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_LISTATTR_H
#define MAPWRIGHT_COMMON_LISTATTR_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mapwright {

/// Longer lists are data and stay what they are.
constexpr int64_t maxListSize = 1 << 16;

/// An attribute of the class `Array` (of elements of `width` bits), into which
/// the older spelling is converted by a cast.
template <typename Array, typename Element, unsigned width>
class ListAttr : public Array {
public:
  using Array::Array;
  ListAttr() = default;
  ListAttr(Array array) : Array(array) {}

  static bool classof(mlir::Attribute attr) {
    if (llvm::isa<Array>(attr))
      return true;
    auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attr);
    return dense && dense.getType().getRank() == 1 &&
           dense.getElementType().isSignlessInteger(width) &&
           dense.getNumElements() <= maxListSize;
  }

  static ListAttr convert(mlir::Attribute attr) {
    if (auto array = llvm::dyn_cast<Array>(attr))
      return ListAttr(array);
    auto dense = llvm::cast<mlir::DenseIntElementsAttr>(attr);
    llvm::SmallVector<Element> values(dense.getValues<Element>());
    return ListAttr(Array::get(attr.getContext(), values));
  }
};

using I64ListAttr = ListAttr<mlir::DenseI64ArrayAttr, int64_t, 64>;
using BoolListAttr = ListAttr<mlir::DenseBoolArrayAttr, bool, 1>;

/// The casts of both.
template <typename To> struct ListCast : llvm::NullableValueCastFailed<To> {
  static bool isPossible(mlir::Attribute attr) { return To::classof(attr); }
  static To doCast(mlir::Attribute attr) { return To::convert(attr); }
  static To doCastIfPossible(mlir::Attribute attr) {
    return isPossible(attr) ? doCast(attr) : To();
  }
};

} // namespace mapwright

template <>
struct llvm::CastInfo<mapwright::I64ListAttr, mlir::Attribute>
    : mapwright::ListCast<mapwright::I64ListAttr> {};
template <>
struct llvm::CastInfo<mapwright::I64ListAttr, const mlir::Attribute>
    : mapwright::ListCast<mapwright::I64ListAttr> {};
template <>
struct llvm::CastInfo<mapwright::BoolListAttr, mlir::Attribute>
    : mapwright::ListCast<mapwright::BoolListAttr> {};
template <>
struct llvm::CastInfo<mapwright::BoolListAttr, const mlir::Attribute>
    : mapwright::ListCast<mapwright::BoolListAttr> {};

#endif // MAPWRIGHT_COMMON_LISTATTR_H
