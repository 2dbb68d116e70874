//===- WindowDirective.cpp - text of convolution windows ------------------===//

#include "common/WindowDirective.h"

#include "common/DimsParameter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mapwright;

/// `[[1, 1], [0, 0]]`
static ParseResult parsePadding(OpAsmParser &parser,
                                SmallVector<int64_t> &padding) {
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLSquare() ||
                   parser.parseInteger(padding.emplace_back()) ||
                   parser.parseComma() ||
                   parser.parseInteger(padding.emplace_back()) ||
                   parser.parseRSquare());
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parsePair);
}

/// `[false, true]`, also written with 0 and 1.
static ParseResult parseReversal(OpAsmParser &parser,
                                 SmallVector<bool> &reversal) {
  auto parseOne = [&]() -> ParseResult {
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      reversal.push_back(number != 0);
      return *parsed;
    }
    FailureOr<bool> value = parseBool(parser);
    if (failed(value))
      return failure();
    reversal.push_back(*value);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne);
}

/// The lists as they are written.
static ParseResult parseWrittenLists(OpAsmParser &parser, WindowLists &window) {
  auto parseList =
      [&](std::optional<SmallVector<int64_t>> &list) -> ParseResult {
    FailureOr<SmallVector<int64_t>> dims = parseDims(parser);
    if (failed(dims))
      return failure();
    list = *dims;
    return success();
  };
  // The caller has parsed the opening brace and parses the closing one.
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseOptionalKeyword(&name))
      return success();
    if (parser.parseEqual())
      return failure();
    auto isNew = [&](bool present) -> ParseResult {
      if (present)
        return parser.emitError(loc) << "duplicate '" << name << "'";
      return success();
    };
    if (name == "stride") {
      if (isNew(window.stride.has_value()) || parseList(window.stride))
        return failure();
    } else if (name == "lhs_dilate") {
      if (isNew(window.lhsDilate.has_value()) || parseList(window.lhsDilate))
        return failure();
    } else if (name == "rhs_dilate") {
      if (isNew(window.rhsDilate.has_value()) || parseList(window.rhsDilate))
        return failure();
    } else if (name == "pad") {
      if (isNew(window.pad.has_value()) ||
          parsePadding(parser, window.pad.emplace()))
        return failure();
    } else if (name == "reverse") {
      if (isNew(window.reverse.has_value()) ||
          parseReversal(parser, window.reverse.emplace()))
        return failure();
    } else {
      return parser.emitError(loc)
             << "expected 'stride', 'pad', 'lhs_dilate', 'rhs_dilate' or "
                "'reverse', got '"
             << name << "'";
    }
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

ParseResult mapwright::parseWindowLists(OpAsmParser &parser,
                                        WindowLists &window) {
  if (parseWrittenLists(parser, window))
    return failure();
  // An empty list stands for the defaults.
  auto drop = [](auto &list) {
    if (list && list->empty())
      list.reset();
  };
  drop(window.stride);
  drop(window.pad);
  drop(window.lhsDilate);
  drop(window.rhsDilate);
  drop(window.reverse);
  return success();
}

void mapwright::printWindowLists(OpAsmPrinter &printer,
                                 const WindowLists &window) {
  bool first = true;
  auto begin = [&](StringRef name) {
    if (!first)
      printer << ", ";
    first = false;
    printer << name << " = ";
  };
  if (window.stride) {
    begin("stride");
    printDims(printer, *window.stride);
  }
  if (window.pad) {
    begin("pad");
    printer << '[';
    for (size_t i = 0; i + 1 < window.pad->size(); i += 2)
      printer << (i ? ", [" : "[") << (*window.pad)[i] << ", "
              << (*window.pad)[i + 1] << ']';
    printer << ']';
  }
  if (window.lhsDilate) {
    begin("lhs_dilate");
    printDims(printer, *window.lhsDilate);
  }
  if (window.rhsDilate) {
    begin("rhs_dilate");
    printDims(printer, *window.rhsDilate);
  }
  if (window.reverse) {
    begin("reverse");
    printer << '[';
    llvm::interleaveComma(*window.reverse, printer, [&](bool value) {
      if (window.reverseAsNumbers)
        printer << (value ? 1 : 0);
      else
        printer << (value ? "true" : "false");
    });
    printer << ']';
  }
}

DenseIntElementsAttr mapwright::paddingAttr(Builder &builder,
                                            ArrayRef<int64_t> padding) {
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(padding.size() / 2), 2}, builder.getI64Type());
  return DenseIntElementsAttr::get(type, padding);
}

SmallVector<int64_t> mapwright::paddingValues(DenseIntElementsAttr attr) {
  SmallVector<int64_t> values;
  if (isPaddingTable(attr))
    for (const APInt &value : attr.getValues<APInt>())
      values.push_back(value.getSExtValue());
  return values;
}

bool mapwright::isPaddingTable(DenseIntElementsAttr attr) {
  ShapedType type = attr.getType();
  return type.getRank() == 2 && type.getDimSize(1) == 2 &&
         type.getElementType().isSignlessInteger(64);
}

ParseResult mapwright::parseWindowAttributes(
    OpAsmParser &parser, DenseI64ArrayAttr &strides,
    DenseIntElementsAttr &padding, DenseI64ArrayAttr &lhsDilation,
    DenseI64ArrayAttr &rhsDilation, DenseBoolArrayAttr &reversal) {
  WindowLists window;
  if (parseWindowLists(parser, window))
    return failure();
  Builder &builder = parser.getBuilder();
  if (window.stride)
    strides = builder.getDenseI64ArrayAttr(*window.stride);
  if (window.pad)
    padding = paddingAttr(builder, *window.pad);
  if (window.lhsDilate)
    lhsDilation = builder.getDenseI64ArrayAttr(*window.lhsDilate);
  if (window.rhsDilate)
    rhsDilation = builder.getDenseI64ArrayAttr(*window.rhsDilate);
  if (window.reverse)
    reversal = builder.getDenseBoolArrayAttr(*window.reverse);
  return success();
}

void mapwright::printWindowAttributes(OpAsmPrinter &printer, Operation *,
                                      DenseI64ArrayAttr strides,
                                      DenseIntElementsAttr padding,
                                      DenseI64ArrayAttr lhsDilation,
                                      DenseI64ArrayAttr rhsDilation,
                                      DenseBoolArrayAttr reversal) {
  WindowLists window;
  if (strides)
    window.stride.emplace(strides.asArrayRef());
  if (padding)
    window.pad = paddingValues(padding);
  if (lhsDilation)
    window.lhsDilate.emplace(lhsDilation.asArrayRef());
  if (rhsDilation)
    window.rhsDilate.emplace(rhsDilation.asArrayRef());
  if (reversal)
    window.reverse.emplace(reversal.asArrayRef());
  printWindowLists(printer, window);
}
