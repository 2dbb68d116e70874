//===- ConstantText.cpp - text of constants -------------------------------===//

#include "common/ConstantText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

/// Is what follows in the source `dense<"0x0001…"> : tensor<…xi1>` with a byte
/// for every element? MLIR after 22 stores and prints booleans so; 22 has bits
/// there, eight to a byte.
static bool isMaskOfBytes(SMLoc loc) {
  // The source ends with a zero, as the lexer needs it.
  const char *source = loc.getPointer();
  if (std::strncmp(source, "dense", 5) != 0)
    return false;
  StringRef text(source, std::strcspn(source, "\n"));
  auto take = [&](StringRef word) {
    text = text.ltrim();
    return text.consume_front(word);
  };
  if (!take("dense") || !take("<") || !take("\"0x"))
    return false;
  size_t digits = text.find_if_not(llvm::isHexDigit);
  if (digits == StringRef::npos)
    return false;
  text = text.drop_front(digits);
  if (!take("\"") || !take(">") || !take(":") ||
      (!take("tensor") && !take("vector")) || !take("<"))
    return false;
  // A single boolean is a byte in both forms.
  uint64_t elements = 1, size = 0;
  for (text = text.ltrim(); !text.consumeInteger(10, size);) {
    if (!text.consume_front("x") || (size != 0 && elements > digits / size))
      return false;
    elements *= size;
  }
  return take("i1") && text.ltrim().starts_with(">") && elements > 1 &&
         digits == 2 * elements;
}

ParseResult mapwright::parseElements(OpAsmParser &parser, ElementsAttr &value) {
  SMLoc loc = parser.getCurrentLocation();
  if (!isMaskOfBytes(loc))
    return parser.parseAttribute(value);
  std::string digits, bytes;
  ShapedType type;
  if (parser.parseKeyword("dense") || parser.parseLess() ||
      parser.parseString(&digits) || parser.parseGreater() ||
      parser.parseColonType(type))
    return failure();
  if (!llvm::tryGetFromHex(StringRef(digits).drop_front(2), bytes))
    return parser.emitError(loc, "expected an even number of digits");
  SmallVector<bool> elements;
  for (char byte : bytes)
    elements.push_back(byte != 0);
  value = cast<ElementsAttr>(DenseElementsAttr::get(type, elements));
  return success();
}

void mapwright::printElements(OpAsmPrinter &printer, Operation *,
                              ElementsAttr value) {
  printer << value;
}

ParseResult mapwright::parseConstant(OpAsmParser &parser,
                                     OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseRParen() ||
                   parser.parseGenericOperationAfterOpName(
                       result, ArrayRef<OpAsmParser::UnresolvedOperand>()));
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parseElements(parser, value))
    return failure();
  result.addAttribute("value", value);
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
