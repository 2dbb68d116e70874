//===- Dialect.h - the MHLO dialect in C++ ----------------------*- C++ -*-===//

#ifndef MAPWRIGHT_MHLO_DIALECT_H
#define MAPWRIGHT_MHLO_DIALECT_H

#include "common/ContractionDirectives.h"
#include "common/DimsParameter.h"
#include "common/Hooks.h"
#include "common/LegacyDirectives.h"
#include "common/OpDirectives.h"
#include "common/TypeDirectives.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "mhlo/Dialect.h.inc"

#include "mhlo/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mhlo/Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mhlo/Attrs.h.inc"

namespace mapwright::mhlo {

/// custom<Note>: any words, numbers, lists and attributes up to the `>` behind
/// them, which is a part of the text.
mlir::ParseResult parseNote(mlir::AsmParser &parser, std::string &text);
void printNote(mlir::AsmPrinter &printer, llvm::StringRef text);

} // namespace mapwright::mhlo

#define GET_OP_CLASSES
#include "mhlo/Ops.h.inc"

#endif // MAPWRIGHT_MHLO_DIALECT_H
