//===- mapwright-dev-opt.cpp - mlir-opt with our dialects -----------------===//
//
// For developing the dialects without the Rust part: no hooks are installed.
//
//===----------------------------------------------------------------------===//

#include "mapwright-mlir/Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllPasses();
  mapwrightRegisterDialects(wrap(&registry), nullptr, 0);
  return mlir::failed(mlir::MlirOptMain(
      argc, argv, "Mapwright's dialects (development driver)\n", registry));
}
