//===- DimensionNumbers.cpp - text of `#mhlo.dot`, `gather`, … ------------===//

#include "common/DimensionNumbers.h"
#include "mhlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::mhlo;

#include "common/DimensionNumbers.inc"
