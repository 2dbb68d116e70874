//===- Types.cpp - types of StableHLO -------------------------------------===//

#include "stablehlo/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mapwright::stablehlo;

#define GET_TYPEDEF_CLASSES
#include "stablehlo/Types.cpp.inc"

Type FutureType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  auto parseOne = [&] { return parser.parseType(types.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return parser.getChecked<FutureType>(loc, parser.getContext(), types);
}

LogicalResult
FutureType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "a future is of tensors that have a rank, not of "
                         << type;
  return success();
}

void FutureType::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getTypes(), printer);
  printer << '>';
}

void StableHLODialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "stablehlo/Types.cpp.inc"
      >();
}
