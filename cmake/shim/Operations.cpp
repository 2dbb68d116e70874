// Questions about single operations that MLIR's C API does not answer.

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

bool mapwrightOperationVerifyAlone(MlirOperation operation) {
  return succeeded(verify(unwrap(operation), /*verifyRecursively=*/false));
}

bool mapwrightOperationIsElementwise(MlirOperation operation) {
  return OpTrait::hasElementwiseMappableTraits(unwrap(operation));
}
