//===- ReduceText.cpp - text of reductions --------------------------------===//

#include "common/DimsParameter.h"
#include "common/RegionOpText.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mapwright;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

/// `(%x: type, %y: type) (%x1: type, %y1: type) … {…}`: one group an input,
/// whereas the block has all accumulators first, then all elements.
static ParseResult parseReducer(OpAsmParser &parser, Region &body,
                                size_t nInputs) {
  SmallVector<Argument> accumulators, elements;
  auto parseArgument = [&](Argument &argument) -> ParseResult {
    return failure(
        parser.parseArgument(argument, /*allowType=*/true) ||
        parser.parseOptionalLocationSpecifier(argument.sourceLoc));
  };
  for (size_t i = 0; i < nInputs; ++i)
    if (parser.parseLParen() || parseArgument(accumulators.emplace_back()) ||
        parser.parseComma() || parseArgument(elements.emplace_back()) ||
        parser.parseRParen())
      return failure();
  llvm::append_range(accumulators, elements);
  return parser.parseRegion(body, accumulators);
}

/// Builds the body that `applies opName` stands for.
static ParseResult buildReducer(OpAsmParser &parser, SMLoc loc,
                                OperationState &result, OperationName opName,
                                Type inputType) {
  auto tensor = dyn_cast<ShapedType>(inputType);
  if (!tensor)
    return parser.emitError(loc, "expected the first operand to be a tensor");
  auto scalar = RankedTensorType::get({}, tensor.getElementType());
  Region &body = *result.addRegion();
  Block &block = body.emplaceBlock();
  Location location = result.location;
  block.addArguments({scalar, scalar}, {location, location});

  // The region has no parent operation yet to take the context from.
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState inner(location, opName);
  inner.addOperands(block.getArguments());
  inner.addTypes(scalar);
  Operation *innerOp = builder.create(inner);

  OperationState terminator(
      location, (result.name.getDialectNamespace() + ".return").str());
  terminator.addOperands(innerOp->getResults());
  builder.create(terminator);
  return success();
}

ParseResult mapwright::parseReduce(OpAsmParser &parser, OperationState &result,
                                   MakeDims makeDims) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Operand> operands, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  size_t nInputs = operands.size();
  llvm::append_range(operands, inits);

  std::optional<OperationName> innerName;
  SMLoc innerLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    innerLoc = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    // The body takes two tensors and gives one: other operations would be
    // created with operands that they do not have.
    if (!name->isRegistered() || name->getDialectNamespace() !=
                                     result.name.getDialectNamespace() ||
        !name->hasTrait<OpTrait::IsCommutative>() ||
        !name->hasTrait<OpTrait::NOperands<2>::Impl>() ||
        !name->hasTrait<OpTrait::OneResult>())
      return parser.emitError(innerLoc)
             << "expected a commutative operation of the dialect '"
             << result.name.getDialectNamespace() << "' with two operands, got '"
             << *name << "'";
    if (nInputs != 1)
      return parser.emitError(innerLoc,
                              "'applies' needs exactly one input");
    innerName = *name;
  }

  FailureOr<SmallVector<int64_t>> dims;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || failed(dims = parseDims(parser)))
    return failure();

  SMLoc typeLoc;
  FunctionType type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.attributes.set("dimensions", makeDims(parser.getBuilder(), *dims));

  if (innerName)
    return buildReducer(parser, typeLoc, result, *innerName, type.getInput(0));
  if (parser.parseKeyword("reducer"))
    return failure();
  return parseReducer(parser, *result.addRegion(), nInputs);
}

/// The body's only operation when the reduction has the compact form.
static Operation *compactInnerOp(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return nullptr;
  Region &body = op->getRegion(0);
  if (!body.hasOneBlock())
    return nullptr;
  Block &block = body.front();
  if (block.getNumArguments() != 2 ||
      !llvm::hasNItems(block.begin(), block.end(), 2))
    return nullptr;
  Operation *inner = &block.front();
  Operation *terminator = &block.back();
  if (inner->getDialect() != op->getDialect() || !inner->isRegistered() ||
      !inner->hasTrait<OpTrait::IsCommutative>() ||
      !inner->hasTrait<OpTrait::NOperands<2>::Impl>() ||
      inner->getNumResults() != 1 || !inner->getAttrs().empty())
    return nullptr;
  if (inner->getOperand(0) != block.getArgument(0) ||
      inner->getOperand(1) != block.getArgument(1))
    return nullptr;
  // The types have to be the ones that the parser deduces.
  auto input = dyn_cast<ShapedType>(op->getOperand(0).getType());
  if (!input)
    return nullptr;
  Type scalar = RankedTensorType::get({}, input.getElementType());
  if (block.getArgument(0).getType() != scalar ||
      block.getArgument(1).getType() != scalar ||
      inner->getResult(0).getType() != scalar)
    return nullptr;
  if (terminator->getName().stripDialect() != "return" ||
      terminator->getDialect() != op->getDialect() ||
      terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != inner->getResult(0) ||
      !terminator->getAttrs().empty())
    return nullptr;
  return inner;
}

void mapwright::printReduce(OpAsmPrinter &printer, Operation *op,
                            ArrayRef<int64_t> dims) {
  size_t nInputs = op->getNumOperands() / 2;
  if (op->getRegion(0).empty() ||
      op->getRegion(0).getNumArguments() != 2 * nInputs)
    return printer.printGenericOp(op, /*printOpName=*/false);
  printer << '(';
  for (size_t i = 0; i < nInputs; ++i)
    printer << (i ? ", (" : "") << op->getOperand(i)
            << " init: " << op->getOperand(nInputs + i) << ')';
  Operation *inner = compactInnerOp(op);
  if (inner)
    printer << " applies " << inner->getName();
  printer << " across dimensions = ";
  printDims(printer, dims);
  printer.printOptionalAttrDict(op->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(op);
  if (inner)
    return;
  Region &body = op->getRegion(0);
  printer.printNewline();
  printer << " reducer";
  for (size_t i = 0; i < nInputs; ++i) {
    printer << '(';
    printer.printRegionArgument(body.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(body.getArgument(nInputs + i));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

LogicalResult mapwright::verifyReduceStructure(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumOperands() % 2 != 0)
    return op->emitOpError("needs an initial value for every input");
  Region &body = op->getRegion(0);
  if (body.empty() || body.getNumArguments() != op->getNumOperands())
    return op->emitOpError("needs a reducer with ")
           << op->getNumOperands() << " arguments";
  return success();
}
