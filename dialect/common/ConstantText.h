//===- ConstantText.h - text of constants -----------------------*- C++ -*-===//

#ifndef MAPWRIGHT_COMMON_CONSTANTTEXT_H
#define MAPWRIGHT_COMMON_CONSTANTTEXT_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// custom<Elements>: any attribute of elements. Constants of booleans in hex are
/// read with a byte for each element as well as with a bit.
mlir::ParseResult parseElements(mlir::OpAsmParser &parser,
                                mlir::ElementsAttr &value);
void printElements(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   mlir::ElementsAttr value);

/// `{attributes} dense<…> : type`, or the generic form when the result has
/// another type than the value (quantised constants).
mlir::ParseResult parseConstant(mlir::OpAsmParser &parser,
                                mlir::OperationState &result);
void printConstant(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::ElementsAttr value);

/// The prefix of a constant's name: `c` for integers, otherwise `cst`.
llvm::StringRef constantName(mlir::Type type);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_CONSTANTTEXT_H
