//===- WhileText.cpp - text of loops --------------------------------------===//

#include "common/RegionOpText.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mapwright;

ParseResult mapwright::parseWhile(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseAssignment = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseAssignment))
    return failure();
  if (!operands.empty())
    if (parser.parseColon() || parser.parseTypeList(result.types))
      return failure();
  if (parser.resolveOperands(operands, result.types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, result.types))
    argument.type = type;
  Region *cond = result.addRegion();
  Region *body = result.addRegion();
  return failure(parser.parseKeyword("cond") ||
                 parser.parseRegion(*cond, arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*body, arguments));
}

void mapwright::printWhile(OpAsmPrinter &printer, Operation *op) {
  Region &cond = op->getRegion(0);
  Region &body = op->getRegion(1);
  if (cond.empty() || body.empty() ||
      cond.getNumArguments() != op->getNumOperands() ||
      body.getNumArguments() != op->getNumOperands())
    return printer.printGenericOp(op, /*printOpName=*/false);
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(cond.getArguments(), op->getOperands()), printer,
      [&](auto pair) {
        auto [argument, operand] = pair;
        printer << argument << " = " << operand;
      });
  printer << ')';
  if (op->getNumOperands() > 0) {
    printer << " : ";
    llvm::interleaveComma(op->getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(cond, /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.shadowRegionArgs(body, cond.getArguments());
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

LogicalResult mapwright::verifyWhileStructure(Operation *op) {
  for (Region &region : op->getRegions()) {
    if (region.empty() ||
        region.getNumArguments() != op->getNumOperands())
      return op->emitOpError("needs regions with an argument for each of its ")
             << op->getNumOperands() << " operands";
    for (auto [argument, operand] :
         llvm::zip(region.getArguments(), op->getOperands()))
      if (argument.getType() != operand.getType())
        return op->emitOpError("operand and region argument #")
               << argument.getArgNumber() << " differ in type: "
               << operand.getType() << " and " << argument.getType();
  }
  if (op->getOperandTypes() != op->getResultTypes())
    return op->emitOpError("operands and results differ in type");
  return success();
}
