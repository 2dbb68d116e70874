//===- Attrs.cpp - text of maps and intervals -----------------------------===//

#include "indexing/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright::indexing;

#define GET_ATTRDEF_CLASSES
#include "indexing/Attrs.cpp.inc"

void IndexingDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "indexing/Attrs.cpp.inc"
      >();
}

/// Whether MLIR's parser, which looks for the closing angle bracket by counting
/// punctuation, finds the end of `text` where it is.
static bool hasBalancedPunctuation(StringRef text) {
  SmallVector<char> open;
  for (size_t i = 0; i < text.size(); ++i) {
    char closing = 0;
    switch (text[i]) {
    case '(':
    case '[':
    case '{':
    case '<':
      open.push_back(text[i]);
      continue;
    case '-':
      if (text.substr(i).starts_with("->"))
        ++i;
      continue;
    case ')':
      closing = '(';
      break;
    case ']':
      closing = '[';
      break;
    case '}':
      closing = '{';
      break;
    case '>':
      closing = '<';
      break;
    case '"':
    case '\0':
    case '\n':
      return false;
    default:
      continue;
    }
    if (open.empty() || open.pop_back_val() != closing)
      return false;
  }
  return open.empty();
}

LogicalResult
MapAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                StringRef text) {
  if (text.empty())
    return emitError() << "expected the text of an indexing map";
  if (!hasBalancedPunctuation(text))
    return emitError() << "unbalanced punctuation in an indexing map";
  return success();
}

MapAttr MapAttr::parseText(
    MLIRContext *context, StringRef text,
    llvm::function_ref<void(intptr_t, StringRef)> error) {
  std::string canonical;
  if (!mapwright::canonicalizeMapText(text, canonical, error))
    return {};
  if (canonical.empty() || !hasBalancedPunctuation(canonical)) {
    error(0, "expected the text of an indexing map");
    return {};
  }
  return get(context, canonical);
}

/// `map<…>`: the text is not made of MLIR's tokens (`->` may stand where MLIR
/// would close the bracket), so it is taken from the source as it is.
static Attribute parseMap(DialectAsmParser &parser, StringRef spec) {
  StringRef text = spec.drop_front(MapAttr::getMnemonic().size()).ltrim();
  SMLoc start = SMLoc::getFromPointer(text.data());
  if (!text.consume_front("<") || !text.consume_back(">")) {
    parser.emitError(start, "expected '<', the text of an indexing map, '>'");
    return {};
  }
  bool reported = false;
  auto error = [&](intptr_t column, StringRef message) {
    if (reported)
      return;
    reported = true;
    column = std::clamp<intptr_t>(column, 0, text.size());
    parser.emitError(SMLoc::getFromPointer(text.data() + column), message);
  };
  Attribute map = MapAttr::parseText(parser.getContext(), text, error);
  if (!map)
    error(0, "not an indexing map");
  return map;
}

/// `tile(d0, 4)`: a name, then names and numbers.
static ParseResult parseStep(AsmParser &parser, SmallVectorImpl<Attribute> &all) {
  Builder builder(parser.getContext());
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  SmallVector<Attribute> parts = {builder.getStringAttr(name)};
  auto parseArgument = [&]() -> ParseResult {
    int64_t number = 0;
    OptionalParseResult found = parser.parseOptionalInteger(number);
    if (found.has_value()) {
      parts.push_back(builder.getI64IntegerAttr(number));
      return *found;
    }
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    parts.push_back(builder.getStringAttr(word));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseArgument))
    return failure();
  all.push_back(builder.getArrayAttr(parts));
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  StringRef emitter;
  SmallVector<Attribute> steps;
  if (parser.parseLess() || parser.parseKeyword(&emitter) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare,
                                     [&] { return parseStep(parser, steps); }) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), emitter,
             ArrayAttr::get(parser.getContext(), steps));
}

/// What the printer writes without quotes: letters, digits and `_`.
static bool isWord(Attribute part) {
  auto word = dyn_cast<StringAttr>(part);
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return word && !word.empty() && llvm::isAlpha(word.getValue().front()) &&
         llvm::all_of(word.getValue(), isPart);
}

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     StringRef emitter, ArrayAttr steps) {
  if (!isWord(StringAttr::get(steps.getContext(), emitter)))
    return emitError() << "'" << emitter << "' is no name of an emitter";
  for (Attribute step : steps) {
    auto parts = dyn_cast<ArrayAttr>(step);
    auto isPart = [](Attribute part) {
      return isWord(part) || isa<IntegerAttr>(part);
    };
    if (!parts || parts.empty() || !isWord(parts[0]) ||
        !llvm::all_of(parts, isPart))
      return emitError() << "expects steps of a name, names and numbers, not "
                         << step;
  }
  return success();
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  auto printPart = [&](Attribute part) {
    if (auto word = dyn_cast<StringAttr>(part))
      printer << word.getValue();
    else if (auto number = dyn_cast<IntegerAttr>(part))
      printer << number.getInt();
    else
      printer << part;
  };
  printer << '<' << getEmitter() << " [";
  llvm::interleaveComma(getSteps(), printer, [&](Attribute step) {
    auto parts = cast<ArrayAttr>(step).getValue();
    printPart(parts.front());
    printer << '(';
    llvm::interleaveComma(parts.drop_front(), printer, printPart);
    printer << ')';
  });
  printer << "]>";
}

Attribute IndexingDialect::parseAttribute(DialectAsmParser &parser,
                                          Type type) const {
  StringRef spec = parser.getFullSymbolSpec();
  StringRef name = spec.take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  });
  if (name == MapAttr::getMnemonic())
    return parseMap(parser, spec);
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value())
    return attribute;
  parser.emitError(parser.getNameLoc())
      << "unknown attribute '" << mnemonic << "' in dialect 'indexing'";
  return {};
}

void IndexingDialect::printAttribute(Attribute attribute,
                                     DialectAsmPrinter &printer) const {
  if (auto map = dyn_cast<MapAttr>(attribute)) {
    printer << MapAttr::getMnemonic() << '<' << map.getText() << '>';
    return;
  }
  (void)generatedAttributePrinter(attribute, printer);
}
