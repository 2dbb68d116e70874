//===- ScanText.h - text of scans -------------------------------*- C++ -*-===//
//
// Parser and printer of `scan`, which CHLO and MHLO write in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_SCANTEXT_H
#define MAPWRIGHT_COMMON_SCANTEXT_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// `(%inputs) inits (%inits) dimension=0 [attributes {…}] {…} : (types) ->
/// types`
mlir::ParseResult parseScan(mlir::OpAsmParser &parser,
                            mlir::OperationState &result);

template <typename ScanOp>
void printScan(mlir::OpAsmPrinter &printer, ScanOp op) {
  if (op.getInits().size() != op.getCarries().size())
    return printer.printGenericOp(op, /*printOpName=*/false);
  printer << '(' << op.getInputs() << ") inits (" << op.getInits()
          << ") dimension=" << op.getDimension() << ' ';
  llvm::SmallVector<llvm::StringRef> elided{
      "dimension", "operandSegmentSizes", "resultSegmentSizes"};
  if (!op.getIsReverse())
    elided.push_back("is_reverse");
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(op.getBody());
  printer << " : ";
  printer.printFunctionalType(op);
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_SCANTEXT_H
