//===- ConvAttr.cpp - text of `#mhlo.conv` --------------------------------===//

#include "common/ConvAttr.h"
#include "mhlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::mhlo;

ConvDimensionNumbersAttr ConvDimensionNumbersAttr::parseBody(AsmParser &parser) {
  return parseConvAttr<ConvDimensionNumbersAttr>(parser);
}

void ConvDimensionNumbersAttr::printBody(AsmPrinter &printer) const {
  toConvDimensions(*this).print(printer);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  ConvDimensionNumbersAttr attr = parseBody(parser);
  if (!attr || parser.parseGreater())
    return {};
  return attr;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}
