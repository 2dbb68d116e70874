//===- RegionOpText.h - text of reductions and loops ------------*- C++ -*-===//
//
// Parsers and printers of `reduce` and `while`, which StableHLO and MHLO write
// in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_REGIONOPTEXT_H
#define MAPWRIGHT_COMMON_REGIONOPTEXT_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// Makes the attribute `dimensions` from a list of integers.
using MakeDims = llvm::function_ref<mlir::Attribute(
    mlir::Builder &builder, llvm::ArrayRef<int64_t> dims)>;

/// `(%a init: %b), … [applies dialect.op] across dimensions = […] {attributes}
///  : (types) -> types [reducer(%x: type, %y: type) … {…}]`
mlir::ParseResult parseReduce(mlir::OpAsmParser &parser,
                              mlir::OperationState &result, MakeDims makeDims);
void printReduce(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 llvm::ArrayRef<int64_t> dims);
/// The operands come in pairs and the body has an argument for each of them.
llvm::LogicalResult verifyReduceStructure(mlir::Operation *op);

/// `(%arg = %init, …) : types [attributes {…}] cond {…} do {…}`
mlir::ParseResult parseWhile(mlir::OpAsmParser &parser,
                             mlir::OperationState &result);
void printWhile(mlir::OpAsmPrinter &printer, mlir::Operation *op);
/// Both regions have an argument for each operand.
llvm::LogicalResult verifyWhileStructure(mlir::Operation *op);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_REGIONOPTEXT_H
