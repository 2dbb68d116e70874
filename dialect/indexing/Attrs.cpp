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
