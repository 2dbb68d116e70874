// Attributes that MLIR's C API does not open.

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

MlirStringRef mapwrightResourceData(MlirAttribute attribute) {
  auto elements = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  const AsmResourceBlob *blob = elements ? elements.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return {nullptr, 0};
  return {blob->getData().data(), blob->getData().size()};
}
