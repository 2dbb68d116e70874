//===- FusionOp.cpp - text and structure of fusions -----------------------===//

#include "indexing/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright::indexing;

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  auto parseAssignment = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) ||
        parser.parseColonType(argument.type))
      return failure();
    types.push_back(argument.type);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseAssignment) ||
      parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FusionOp::print(OpAsmPrinter &printer) {
  Region &body = getBody();
  if (body.empty() || body.getNumArguments() != getNumOperands())
    return printer.printGenericOp(*this, /*printOpName=*/false);
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(body.getArguments(), getOperands()), printer, [&](auto pair) {
        auto [argument, operand] = pair;
        printer << argument << " = " << operand << " : " << operand.getType();
      });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

/// For each result, for each operand, a list of maps and of words.
static LogicalResult verifyMaps(FusionOp op) {
  ArrayAttr results = op.getMapsAttr();
  if (!results)
    return success();
  if (results.size() != op.getNumResults())
    return op.emitOpError("has ")
           << op.getNumResults() << " results, but maps of " << results.size();
  for (auto [number, result] : llvm::enumerate(results)) {
    auto operands = dyn_cast<ArrayAttr>(result);
    if (!operands || operands.size() != op.getNumOperands())
      return op.emitOpError("expects a list of maps for each of the ")
             << op.getNumOperands() << " operands of result #" << number;
    for (Attribute operand : operands) {
      auto maps = dyn_cast<ArrayAttr>(operand);
      if (!maps || !llvm::all_of(maps, llvm::IsaPred<MapAttr, StringAttr>))
        return op.emitOpError("expects maps, or words where they are not "
                              "known, from result #")
               << number;
    }
  }
  return success();
}

LogicalResult FusionOp::verify() {
  Region &body = getBody();
  if (body.getNumArguments() != getNumOperands())
    return emitOpError("has ")
           << getNumOperands() << " operands, but its region has "
           << body.getNumArguments() << " arguments";
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), getOperands()))
    if (argument.getType() != operand.getType())
      return emitOpError("operand and region argument #")
             << argument.getArgNumber() << " differ in type: "
             << operand.getType() << " and " << argument.getType();
  Operation *yield = body.front().getTerminator();
  if (yield->getOperandTypes() != getResultTypes())
    return yield->emitOpError("yields ")
           << yield->getOperandTypes() << ", but the results are "
           << getResultTypes();
  return verifyMaps(*this);
}
