//===- ConstantText.cpp - text of constants -------------------------------===//

#include "common/ConstantText.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

ParseResult mapwright::parseConstant(OpAsmParser &parser,
                                     OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseRParen() ||
                   parser.parseGenericOperationAfterOpName(
                       result, ArrayRef<OpAsmParser::UnresolvedOperand>()));
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getShapedType());
  return success();
}

void mapwright::printConstant(OpAsmPrinter &printer, Operation *op,
                              ElementsAttr value) {
  if (!value || value.getShapedType() != op->getResult(0).getType())
    return printer.printGenericOp(op, /*printOpName=*/false);
  printer.printOptionalAttrDict(op->getAttrs(), {"value"});
  printer << ' ' << value;
}

StringRef mapwright::constantName(Type type) {
  return isa<IntegerType>(getElementTypeOrSelf(type)) ? "c" : "cst";
}
