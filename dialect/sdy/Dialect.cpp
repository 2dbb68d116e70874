//===- Dialect.cpp - registration, texts of meshes and shardings ----------===//

#include "sdy/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright::sdy;

#include "sdy/Dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sdy/Attrs.cpp.inc"

void SdyDialect::initialize() {
  registerAttrs();
  addOperations<
#define GET_OP_LIST
#include "sdy/Ops.cpp.inc"
      >();
}

void SdyDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sdy/Attrs.cpp.inc"
      >();
}

/// `mnemonic<…>`: the text is taken from the source as it is.
Attribute SdyDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef spec = parser.getFullSymbolSpec();
  StringRef name =
      spec.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  StringRef text = spec.drop_front(name.size()).trim();
  MLIRContext *context = parser.getContext();
  if (text.starts_with("<") && text.ends_with(">")) {
    if (name == MeshAttr::getMnemonic())
      return MeshAttr::get(context, text);
    if (name == ShardingAttr::getMnemonic())
      return ShardingAttr::get(context, text);
    if (name == ShardingPerValueAttr::getMnemonic())
      return ShardingPerValueAttr::get(context, text);
  }
  parser.emitError(parser.getNameLoc())
      << "expected `mesh<…>`, `sharding<…>` or `sharding_per_value<…>`";
  return {};
}

void SdyDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  llvm::TypeSwitch<Attribute>(attribute)
      .Case<MeshAttr, ShardingAttr, ShardingPerValueAttr>([&](auto attr) {
        printer << attr.getMnemonic() << attr.getText();
      });
}

namespace {
/// Puts the text of a mesh or sharding together again, token by token.
struct TextParser {
  OpAsmParser &parser;
  std::string text;
  llvm::raw_string_ostream out{text};

  explicit TextParser(OpAsmParser &parser) : parser(parser) {}

  ParseResult string() {
    std::string value;
    if (parser.parseString(&value))
      return failure();
    out << '"';
    llvm::printEscapedString(value, out);
    out << '"';
    return success();
  }

  ParseResult integer() {
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    out << value;
    return success();
  }

  template <typename Element>
  ParseResult list(AsmParser::Delimiter delimiter, StringRef open,
                   StringRef close, Element element) {
    out << open;
    bool first = true;
    if (parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
          if (!first)
            out << ", ";
          first = false;
          return element();
        }))
      return failure();
    out << close;
    return success();
  }

  /// `<["x"=2], device_ids=[…]>`
  ParseResult mesh() {
    out << '<';
    if (parser.parseLess() ||
        list(AsmParser::Delimiter::Square, "[", "]", [&]() -> ParseResult {
          if (string() || parser.parseEqual())
            return failure();
          out << '=';
          return integer();
        }))
      return failure();
    if (succeeded(parser.parseOptionalComma())) {
      out << ", device_ids=";
      if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
          list(AsmParser::Delimiter::Square, "[", "]",
               [&] { return integer(); }))
        return failure();
    }
    out << '>';
    return parser.parseGreater();
  }

  /// `"x"` or `"x":(2)4`
  ParseResult axis() {
    if (string())
      return failure();
    if (failed(parser.parseOptionalColon()))
      return success();
    out << ":(";
    if (parser.parseLParen() || integer() || parser.parseRParen())
      return failure();
    out << ')';
    return integer();
  }

  /// `{"x", ?}p1`
  ParseResult dimension() {
    if (list(AsmParser::Delimiter::Braces, "{", "}", [&]() -> ParseResult {
          if (failed(parser.parseOptionalQuestion()))
            return axis();
          out << '?';
          return success();
        }))
      return failure();
    StringRef priority;
    if (succeeded(parser.parseOptionalKeyword(&priority)))
      out << priority;
    return success();
  }

  /// `<@mesh, [{"x"}, {}], replicated={"y"}>`
  ParseResult sharding() {
    out << '<';
    if (parser.parseLess())
      return failure();
    StringAttr name;
    if (succeeded(parser.parseOptionalKeyword("mesh"))) {
      out << "mesh";
      if (mesh())
        return failure();
    } else if (parser.parseSymbolName(name)) {
      return failure();
    } else {
      FlatSymbolRefAttr::get(name).print(out);
    }
    out << ", ";
    if (parser.parseComma() ||
        list(AsmParser::Delimiter::Square, "[", "]",
             [&] { return dimension(); }))
      return failure();
    while (succeeded(parser.parseOptionalComma())) {
      StringRef word;
      if (parser.parseKeyword(&word) || parser.parseEqual())
        return failure();
      out << ", " << word << '=';
      if (list(AsmParser::Delimiter::Braces, "{", "}", [&] { return axis(); }))
        return failure();
    }
    out << '>';
    return parser.parseGreater();
  }
};
} // namespace

static ParseResult parseMeshText(OpAsmParser &parser, MeshAttr &attribute) {
  TextParser text(parser);
  if (text.mesh())
    return failure();
  attribute = MeshAttr::get(parser.getContext(), text.text);
  return success();
}

static void printMeshText(OpAsmPrinter &printer, Operation *,
                          MeshAttr attribute) {
  printer << attribute.getText();
}

static ParseResult parseShardingText(OpAsmParser &parser,
                                     ShardingAttr &attribute) {
  TextParser text(parser);
  if (text.sharding())
    return failure();
  attribute = ShardingAttr::get(parser.getContext(), text.text);
  return success();
}

static void printShardingText(OpAsmPrinter &printer, Operation *,
                              ShardingAttr attribute) {
  printer << attribute.getText();
}

#define GET_OP_CLASSES
#include "sdy/Ops.cpp.inc"
