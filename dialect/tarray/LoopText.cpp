//===- LoopText.cpp - text of loops with a body ---------------------------===//
//
// (keyword = value)* `(` %e `in` %x `:` type, …, %a `=` %x `:` type, … `)`
//   (`attributes` {…})? { body }
//
//===----------------------------------------------------------------------===//

#include "tarray/Dialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mapwright::tarray;

/// What a body gets for an operand that is gone through.
static Type elementOf(StringRef name, Type type, DictionaryAttr attributes) {
  Type number = IntegerType::get(type.getContext(), 64);
  if (auto array = dyn_cast<ArrayType>(type))
    return array.getElement();
  if (isa<ShapeType>(type))
    return RankedTensorType::get({}, number);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  if (name == ParallelForeachOp::getOperationName() ||
      name == BroadcastOp::getOperationName())
    return RankedTensorType::get({}, tensor.getElementType());
  if (name == ApplyAlongAxisOp::getOperationName()) {
    auto dim = attributes.getAs<IntegerAttr>("dim");
    int64_t d = dim ? dim.getInt() : -1;
    bool inside = 0 <= d && d < tensor.getRank();
    return RankedTensorType::get(
        {inside ? tensor.getDimSize(d) : ShapedType::kDynamic},
        tensor.getElementType());
  }
  if (name == BuildOp::getOperationName() || tensor.getRank() == 0)
    return type;
  return RankedTensorType::get(tensor.getShape().drop_front(),
                               tensor.getElementType());
}

/// What a body gets for an operand that it gets as a whole.
static Type wholeOf(StringRef name, Type type, Type first) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (name == BroadcastOp::getOperationName() && tensor &&
      isa_and_nonnull<RankedTensorType>(first))
    return RankedTensorType::get({}, tensor.getElementType());
  return type;
}

/// The attributes that are written before the list.
static ParseResult parseKeywords(OpAsmParser &parser, NamedAttrList &list) {
  Builder &builder = parser.getBuilder();
  for (StringRef name : {"dim", "max"}) {
    if (parser.parseOptionalKeyword(name))
      continue;
    int64_t value;
    if (parser.parseEqual() || parser.parseInteger(value))
      return failure();
    list.append(name, builder.getI64IntegerAttr(value));
  }
  if (succeeded(parser.parseOptionalKeyword("dims"))) {
    SmallVector<int64_t> dims;
    auto parseOne = [&] { return parser.parseInteger(dims.emplace_back()); };
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       parseOne))
      return failure();
    list.append("dims", builder.getDenseI64ArrayAttr(dims));
  }
  for (Order order : {Order::forward, Order::backward})
    if (succeeded(parser.parseOptionalKeyword(stringifyOrder(order))))
      list.append("order", OrderAttr::get(parser.getContext(), order));
  return success();
}

static ParseResult parseLoop(OpAsmParser &parser, OperationState &result,
                             StringRef name) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  int32_t nElements = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parseKeywords(parser, result.attributes))
    return failure();
  DictionaryAttr keywords =
      result.attributes.getDictionary(parser.getContext());
  auto parseBinding = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument))
      return failure();
    bool isElement = succeeded(parser.parseOptionalKeyword("in"));
    if (!isElement && parser.parseEqual())
      return failure();
    if (isElement && nElements + 1 != static_cast<int32_t>(arguments.size()))
      return parser.emitError(parser.getCurrentLocation(),
                              "expected what is gone through before what the "
                              "body gets as a whole");
    nElements += isElement;
    Type &type = types.emplace_back();
    if (parser.parseOperand(operands.emplace_back()) ||
        parser.parseColonType(type))
      return failure();
    argument.type = isElement ? elementOf(name, type, keywords)
                              : wholeOf(name, type, types.front());
    return success();
  };
  Region *body = result.addRegion();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseBinding) ||
      parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    return parser.emitError(loc, "expected a body");
  int32_t nWhole = static_cast<int32_t>(types.size()) - nElements;
  result.addAttribute(
      "operandSegmentSizes",
      parser.getBuilder().getDenseI32ArrayAttr({nElements, nWhole}));
  SmallVector<Type> results;
  if (failed(mapwright::inferThroughHook(
          parser.getContext(), result.location, name, result.operands,
          result.attributes.getDictionary(parser.getContext()), result.regions,
          results)))
    return failure();
  result.addTypes(results);
  return success();
}

static void printLoop(OpAsmPrinter &printer, Operation *op) {
  Region &body = op->getRegion(0);
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (body.empty() || body.getNumArguments() != op->getNumOperands() ||
      !segments)
    return printer.printGenericOp(op, /*printOpName=*/false);
  for (StringRef name : {"dim", "max"})
    if (auto value = op->getAttrOfType<IntegerAttr>(name))
      printer << ' ' << name << " = " << value.getInt();
  if (auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims")) {
    printer << " dims = [";
    llvm::interleaveComma(dims.asArrayRef(), printer);
    printer << ']';
  }
  if (auto order = op->getAttrOfType<OrderAttr>("order"))
    printer << ' ' << stringifyOrder(order.getValue());
  printer << " (";
  llvm::interleaveComma(
      llvm::zip(body.getArguments(), op->getOperands()), printer,
      [&](auto pair) {
        auto [argument, operand] = pair;
        bool isElement =
            static_cast<int32_t>(argument.getArgNumber()) < segments[0];
        printer << argument << (isElement ? " in " : " = ") << operand << " : "
                << operand.getType();
      });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword(
      op->getAttrs(), {"dim", "max", "dims", "order", "operandSegmentSizes"});
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define LOOP(OpTy)                                                             \
  ParseResult OpTy::parse(OpAsmParser &parser, OperationState &result) {       \
    return parseLoop(parser, result, getOperationName());                      \
  }                                                                            \
  void OpTy::print(OpAsmPrinter &printer) { printLoop(printer, *this); }

LOOP(ApplyAlongAxisOp)
LOOP(BroadcastOp)
LOOP(BuildOp)
LOOP(FilterOp)
LOOP(FoldOp)
LOOP(ForeachOp)
LOOP(ParallelForeachOp)
LOOP(ReduceOp)
LOOP(ScanOp)
LOOP(SortbyOp)
#undef LOOP
