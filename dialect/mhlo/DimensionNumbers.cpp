//===- DimensionNumbers.cpp - text of `#mhlo.dot`, `gather`, … ------------===//

#include "common/DimensionNumbers.h"
#include "mhlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::mhlo;

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  return parseDotAttr<DotDimensionNumbersAttr>(parser);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDotAttr(printer, *this);
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  return parseGatherAttr<GatherDimensionNumbersAttr>(parser);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printGatherAttr(printer, *this);
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  return parseScatterAttr<ScatterDimensionNumbersAttr>(parser);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printScatterAttr(printer, *this);
}

ConvDimensionNumbersAttr
ConvDimensionNumbersAttr::parseBody(AsmParser &parser) {
  return parseConvAttr<ConvDimensionNumbersAttr>(parser);
}

void ConvDimensionNumbersAttr::printBody(AsmPrinter &printer) const {
  toConvDimensions(*this).print(printer);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  return parseConvAttrInBrackets<ConvDimensionNumbersAttr>(parser);
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}
