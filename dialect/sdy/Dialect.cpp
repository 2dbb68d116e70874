//===- Dialect.cpp - registration and operations of Shardy ----------------===//

#include "sdy/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::sdy;

#include "sdy/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "sdy/Ops.cpp.inc"

void SdyDialect::initialize() {
  registerAttrs();
  addOperations<
#define GET_OP_LIST
#include "sdy/Ops.cpp.inc"
      >();
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return verifyThroughHook(op, attribute, /*argument=*/-1, /*result=*/-1);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  return verifyThroughHook(op, attribute, argument, /*result=*/-1);
}

LogicalResult SdyDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return verifyThroughHook(op, attribute, /*argument=*/-1, result);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

ParseResult sdy::parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(
        parser.parseArgument(argument, /*allowType=*/true) ||
        parser.parseOptionalLocationSpecifier(argument.sourceLoc));
  };
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                                parseOne) ||
                 parser.parseRegion(body, arguments));
}

void sdy::printBodyWithArguments(OpAsmPrinter &printer, Operation *,
                                 Region &body) {
  printer << '(';
  if (!body.empty())
    llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument arg) {
      printer.printRegionArgument(arg);
    });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}
