//===- Attrs.cpp - attributes of MHLO -------------------------------------===//

#include "common/Bounds.h"
#include "mhlo/Dialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::mhlo;

/// Reads what stands in brackets up to the closing one.
static ParseResult parseNested(AsmParser &parser, char close,
                               llvm::raw_ostream &text) {
  while (true) {
    ParseResult end = close == '>'   ? parser.parseOptionalGreater()
                      : close == ']' ? parser.parseOptionalRSquare()
                      : close == '}' ? parser.parseOptionalRBrace()
                                     : parser.parseOptionalRParen();
    if (succeeded(end)) {
      text << close;
      return success();
    }
    APInt number;
    std::string quoted;
    StringRef word;
    Attribute attribute;
    StringAttr symbol;
    char nested = succeeded(parser.parseOptionalLess())      ? '>'
                  : succeeded(parser.parseOptionalLSquare()) ? ']'
                  : succeeded(parser.parseOptionalLBrace())  ? '}'
                  : succeeded(parser.parseOptionalLParen())  ? ')'
                                                             : 0;
    if (nested) {
      text << StringRef("<[{(")[StringRef(">]})").find(nested)];
      if (parseNested(parser, nested, text))
        return failure();
    } else if (succeeded(parser.parseOptionalComma())) {
      text << ", ";
    } else if (succeeded(parser.parseOptionalEqual())) {
      text << " = ";
    } else if (succeeded(parser.parseOptionalColon())) {
      text << ':';
    } else if (succeeded(parser.parseOptionalString(&quoted))) {
      text << '"';
      llvm::printEscapedString(quoted, text);
      text << '"';
    } else if (succeeded(parser.parseOptionalKeyword(&word))) {
      // Before numbers, which `true` and `false` are to that parser.
      text << word;
    } else if (OptionalParseResult parsed = parser.parseOptionalInteger(number);
               parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      number.print(text, /*isSigned=*/true);
    } else if (succeeded(parser.parseOptionalSymbolName(symbol))) {
      text << SymbolRefAttr::get(symbol);
    } else if (parser.parseAttribute(attribute)) {
      return failure();
    } else {
      text << attribute;
    }
  }
}

ParseResult mhlo::parseNote(AsmParser &parser, std::string &text) {
  llvm::raw_string_ostream stream(text);
  return parseNested(parser, '>', stream);
}

void mhlo::printNote(AsmPrinter &printer, StringRef text) { printer << text; }

#include "mhlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mhlo/Attrs.cpp.inc"

void MHLODialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mhlo/Attrs.cpp.inc"
      >();
}

ResultAccuracyAttr ResultAccuracyAttr::getDefault(MLIRContext *context) {
  auto mode =
      ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT);
  return get(context, APFloat(0.0), APFloat(0.0), /*ulps=*/0, mode);
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parseLegacyBounds(parser, bounds))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << "<bounds = [";
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << "]>";
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  return verifyBounds(getBounds(), shape, emitError);
}
