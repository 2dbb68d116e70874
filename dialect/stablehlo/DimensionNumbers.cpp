//===- DimensionNumbers.cpp - text of `#stablehlo.dot`, `gather`, … -------===//

#include "common/DimensionNumbers.h"
#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::stablehlo;

#include "common/DimensionNumbers.inc"
