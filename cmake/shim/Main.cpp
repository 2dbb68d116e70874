// The drivers: upstream's, with our dialects and passes.

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int mapwrightOptMain(int argc, char **argv) {
  registerAllPasses();
  DialectRegistry registry;
  mapwrightDialectsInsertAll(wrap(&registry));
  return failed(MlirOptMain(argc, argv, "Mapwright modular optimizer driver\n", registry));
}

int mapwrightLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  mapwrightDialectsInsertAll(wrap(&registry));
  return failed(MlirLspServerMain(argc, argv, registry));
}
