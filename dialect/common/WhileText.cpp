//===- WhileText.cpp - text of loops --------------------------------------===//

#include "common/RegionOpText.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mapwright;

/// What follows the operands in the generic form.
static ParseResult
parseGenericWhile(OpAsmParser &parser, OperationState &result, SMLoc loc,
                  ArrayRef<OpAsmParser::UnresolvedOperand> operands) {
  FunctionType type;
  if (parser.parseLParen() || parser.parseRegion(*result.addRegion()) ||
      parser.parseComma() || parser.parseRegion(*result.addRegion()) ||
      parser.parseRParen() ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                result.operands);
}

ParseResult mapwright::parseWhile(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseAssignment = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand first;
    if (parser.parseOperand(first))
      return failure();
    // Without assignments it is the generic form, of types that differ.
    if (arguments.size() == operands.size() &&
        succeeded(parser.parseOptionalEqual())) {
      arguments.emplace_back().ssaName = first;
      return parser.parseOperand(operands.emplace_back());
    }
    operands.push_back(first);
    return success(arguments.empty());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseAssignment))
    return parser.emitError(loc, "expected a list of assignments");
  if (arguments.size() != operands.size())
    return parseGenericWhile(parser, result, loc, operands);
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
  // One list of types stands for all.
  if (cond.empty() || body.empty() ||
      cond.getArgumentTypes() != op->getOperandTypes() ||
      body.getArgumentTypes() != op->getOperandTypes() ||
      op->getResultTypes() != op->getOperandTypes())
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

/// Tensors of one element type whose sizes agree where both are known.
static bool areCompatible(Type a, Type b) {
  auto shapedA = dyn_cast<RankedTensorType>(a),
       shapedB = dyn_cast<RankedTensorType>(b);
  return a == b || (shapedA && shapedB &&
                    shapedA.getElementType() == shapedB.getElementType() &&
                    succeeded(verifyCompatibleShape(a, b)));
}

LogicalResult mapwright::verifyWhileStructure(Operation *op) {
  for (Region &region : op->getRegions()) {
    if (region.empty() ||
        region.getNumArguments() != op->getNumOperands())
      return op->emitOpError("needs regions with an argument for each of its ")
             << op->getNumOperands() << " operands";
    for (auto [argument, operand] :
         llvm::zip(region.getArguments(), op->getOperands()))
      if (!areCompatible(argument.getType(), operand.getType()))
        return op->emitOpError("operand and region argument #")
               << argument.getArgNumber() << " differ in type: "
               << operand.getType() << " and " << argument.getType();
  }
  if (op->getNumOperands() != op->getNumResults() ||
      !llvm::all_of(llvm::zip(op->getOperandTypes(), op->getResultTypes()),
                    [](auto pair) {
                      return areCompatible(std::get<0>(pair),
                                           std::get<1>(pair));
                    }))
    return op->emitOpError("operands and results differ in type");
  return success();
}
