//===- Dialect.h - the StableHLO dialect in C++ -----------------*- C++ -*-===//

#ifndef MAPWRIGHT_STABLEHLO_DIALECT_H
#define MAPWRIGHT_STABLEHLO_DIALECT_H

#include "common/ContractionDirectives.h"
#include "common/DimsParameter.h"
#include "common/Hooks.h"
#include "common/ListAttr.h"
#include "common/OpDirectives.h"
#include "common/TypeDirectives.h"
#include "common/WindowDirective.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "stablehlo/Dialect.h.inc"

#include "stablehlo/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "stablehlo/Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/Attrs.h.inc"

namespace mapwright::stablehlo {

/// custom<PrecisionConfig>: `, precision = [DEFAULT, HIGH]`, or nothing.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser &parser,
                                       mlir::ArrayAttr &precision);
void printPrecisionConfig(mlir::OpAsmPrinter &printer, mlir::Operation *,
                          mlir::ArrayAttr precision);

/// custom<PrecisionConfigAndAlgorithm>: the same, and `, algorithm = <…>`.
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser &parser,
                                                   mlir::ArrayAttr &precision,
                                                   DotAlgorithmAttr &algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter &printer,
                                      mlir::Operation *op,
                                      mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);

} // namespace mapwright::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/Ops.h.inc"

#endif // MAPWRIGHT_STABLEHLO_DIALECT_H
