//===- Attrs.cpp - text of meshes and shardings ---------------------------===//

#include "sdy/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::sdy;

#include "sdy/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sdy/Attrs.cpp.inc"

void SdyDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sdy/Attrs.cpp.inc"
      >();
}

using Delimiter = AsmParser::Delimiter;

/// A list of attributes of one kind, each in its short form.
template <typename AttrTy>
static ParseResult parseList(AsmParser &parser, Delimiter delimiter,
                             SmallVectorImpl<AttrTy> &list) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    return parser.parseCustomAttributeWithFallback(list.emplace_back());
  });
}

template <typename AttrTy>
static void printList(AsmPrinter &printer, StringRef open,
                      ArrayRef<AttrTy> list, StringRef close) {
  printer << open;
  llvm::interleaveComma(list, printer,
                        [&](AttrTy attr) { attr.print(printer); });
  printer << close;
}

static void printQuoted(AsmPrinter &printer, StringRef text) {
  printer << '"';
  llvm::printEscapedString(text, printer.getStream());
  printer << '"';
}

/// `max` and the like; nothing for the sum.
static ParseResult parseReductionOp(AsmParser &parser, ReductionOp &op) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  std::optional<ReductionOp> found = symbolizeReductionOp(word);
  if (!found)
    return parser.emitError(loc) << "expected 'sum', 'max' or 'min', got '"
                                 << word << "'";
  op = *found;
  return success();
}

static StringRef reductionName(ReductionOp op) {
  return op == ReductionOp::SUM ? "" : stringifyReductionOp(op);
}

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printQuoted(printer, getName());
  printer << '=' << getSize();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  if (parser.parseLess() || parseList(parser, Delimiter::Square, axes))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto parseId = [&] { return parser.parseInteger(deviceIds.emplace_back()); };
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(Delimiter::Square, parseId))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), axes, deviceIds);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printList(printer, "<[", getAxes(), "]");
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SubAxisInfoAttr part;
  if (parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalColon()) &&
      parser.parseCustomAttributeWithFallback(part))
    return {};
  return get(parser.getContext(), name, part);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printQuoted(printer, getName());
  if (getSubAxisInfo()) {
    printer << ':';
    getSubAxisInfo().print(printer);
  }
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  auto parseAxis = [&]() -> ParseResult {
    if (!isClosed)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected nothing after '?'");
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    return parser.parseCustomAttributeWithFallback(axes.emplace_back());
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseAxis))
    return {};
  std::optional<int64_t> priority;
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    int64_t value = 0;
    bool isNumber = keyword.consume_front("p") &&
                    (keyword == "0" || !keyword.starts_with("0")) &&
                    !keyword.getAsInteger(10, value);
    if (!isNumber || value < 0) {
      parser.emitError(loc, "expected a priority such as 'p1'");
      return {};
    }
    priority = value;
  }
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printList(printer, "{", getAxes(), "");
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (getPriority())
    printer << 'p' << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  Attribute mesh;
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    MeshAttr inlined;
    if (parser.parseCustomAttributeWithFallback(inlined))
      return {};
    mesh = inlined;
  } else {
    FlatSymbolRefAttr symbol;
    if (parser.parseAttribute(symbol))
      return {};
    mesh = symbol;
  }
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (parser.parseComma() || parseList(parser, Delimiter::Square, dims))
    return {};
  ReductionOp reductionOp = ReductionOp::SUM;
  bool seenReplicated = false, seenUnreduced = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return {};
    bool isReplicated = name == "replicated";
    bool &seen = isReplicated ? seenReplicated : seenUnreduced;
    if ((!isReplicated && name != "unreduced") || seen) {
      parser.emitError(loc) << "expected 'replicated' or 'unreduced' once, got '"
                            << name << "'";
      return {};
    }
    seen = true;
    if (!isReplicated && parseReductionOp(parser, reductionOp))
      return {};
    if (parseList(parser, Delimiter::Braces,
                  isReplicated ? replicated : unreduced))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), mesh, dims, replicated, unreduced,
             reductionOp);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto inlined = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    inlined.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printList(printer, ", [", getDimShardings(), "]");
  if (!getReplicatedAxes().empty())
    printList(printer, ", replicated={", getReplicatedAxes(), "}");
  if (!getUnreducedAxes().empty())
    printList(printer,
              (", unreduced=" + reductionName(getReductionOp()) + "{").str(),
              getUnreducedAxes(), "}");
  printer << '>';
}

ParseResult sdy::parseShardingList(OpAsmParser &parser,
                                   TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  if (parseList(parser, Delimiter::Square, list))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

void sdy::printShardingList(AsmPrinter &printer, Operation *,
                            TensorShardingPerValueAttr shardings) {
  printList(printer, "[", shardings.getShardings(), "]");
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorShardingAttr> list;
  if (parser.parseLess() || parseList(parser, Delimiter::Square, list) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), list);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printList(printer, "<[", getShardings(), "]>");
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  auto parseAxis = [&] { return parser.parseAttribute(axes.emplace_back()); };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseAxis))
    return {};
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getAxes(), printer, [&](StringAttr axis) {
    printQuoted(printer, axis.getValue());
  });
  printer << '}';
}

/// `operand-0` or `result-1`, as newer and older versions write it.
static ParseResult parseEdgeValue(AsmParser &parser, raw_ostream &text) {
  StringRef kind;
  int64_t number;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kind))
    return failure();
  // The hyphen reads as the sign of the number.
  if (!kind.equals_insensitive("operand") && !kind.equals_insensitive("result"))
    return parser.emitError(loc, "expected 'operand' or 'result'");
  if (parser.parseInteger(number))
    return failure();
  if (number > 0)
    return parser.emitError(loc, "expected a number of a value, as in 'operand-0'");
  text << kind.lower() << '-' << -number;
  return success();
}

/// `"x" = operand-0 -> [operand-1, result-0]`.
static ParseResult parseEdge(AsmParser &parser, raw_ostream &text) {
  AxisRefAttr axis;
  if (parser.parseLBrace() || parser.parseCustomAttributeWithFallback(axis) ||
      parser.parseEqual())
    return failure();
  text << "{\"";
  llvm::printEscapedString(axis.getName(), text);
  text << '"';
  if (SubAxisInfoAttr part = axis.getSubAxisInfo())
    text << ":(" << part.getPreSize() << ')' << part.getSize();
  text << " = ";
  if (parseEdgeValue(parser, text) || parser.parseArrow())
    return failure();
  text << " -> [";
  bool first = true;
  auto parseTarget = [&] {
    text << (first ? "" : ", ");
    first = false;
    return parseEdgeValue(parser, text);
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseTarget))
    return failure();
  text << "]}";
  return parser.parseRBrace();
}

Attribute PropagationEdgesAttr::parse(AsmParser &parser, Type) {
  std::string written;
  llvm::raw_string_ostream text(written);
  bool firstStep = true;
  auto parseStep = [&]() -> ParseResult {
    int64_t number;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLBrace() || parser.parseKeyword("step") ||
        parser.parseInteger(number) || parser.parseEqual())
      return failure();
    if (number > 0)
      return parser.emitError(loc, "expected a step, as in 'step-1'");
    text << (firstStep ? "" : ", ") << "{step-" << -number << " = [";
    firstStep = false;
    bool first = true;
    auto parseOne = [&] {
      text << (first ? "" : ", ");
      first = false;
      return parseEdge(parser, text);
    };
    if (parser.parseCommaSeparatedList(Delimiter::Square, parseOne))
      return failure();
    text << "]}";
    return parser.parseRBrace();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(Delimiter::Square, parseStep) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), text.str());
}

void PropagationEdgesAttr::print(AsmPrinter &printer) const {
  printer << "<[" << getText() << "]>";
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseList(parser, Delimiter::Braces, axes))
    return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printList(printer, "{", getAxes(), "}");
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseList(parser, Delimiter::Square, lists))
    return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printList(printer, "[", getLists(), "]");
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0, target = 0;
  if (parseList(parser, Delimiter::Braces, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target))
    return {};
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printList(printer, "{", getAxes(), "}: ");
  printer << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseList(parser, Delimiter::Square, params))
    return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printList(printer, "[", getParams(), "]");
}
