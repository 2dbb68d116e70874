//===- WindowDirective.h - text of convolution windows ----------*- C++ -*-===//
//
// `stride = [2, 2], pad = [[1, 1], [0, 0]], lhs_dilate = [1, 1],
//  rhs_dilate = [1, 1], reverse = [false, true]`, any part left out.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_WINDOWDIRECTIVE_H
#define MAPWRIGHT_COMMON_WINDOWDIRECTIVE_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// The lists of a window, those that are written.
struct WindowLists {
  std::optional<llvm::SmallVector<int64_t>> stride, lhsDilate, rhsDilate;
  /// Row by row: low and high padding of a dimension.
  std::optional<llvm::SmallVector<int64_t>> pad;
  std::optional<llvm::SmallVector<bool>> reverse;
  /// Print `reverse` as 0 and 1.
  bool reverseAsNumbers = false;
};

mlir::ParseResult parseWindowLists(mlir::OpAsmParser &parser,
                                   WindowLists &window);
void printWindowLists(mlir::OpAsmPrinter &printer, const WindowLists &window);

/// A padding as `dense<…> : tensor<Nx2xi64>`, and back (row by row).
mlir::DenseIntElementsAttr paddingAttr(mlir::Builder &builder,
                                       llvm::ArrayRef<int64_t> padding);
llvm::SmallVector<int64_t> paddingValues(mlir::DenseIntElementsAttr attr);

/// A table of two columns: the only padding that has a text.
bool isPaddingTable(mlir::DenseIntElementsAttr attr);

/// custom<WindowAttributes>
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser,
                                        mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);
void printWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_WINDOWDIRECTIVE_H
