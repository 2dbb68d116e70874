// Mapwright's dialects and passes for a C++ program's own pass manager.
//
//   mapwright::insertDialects(registry);
//   manager.addPass(mapwright::createPass("indexing-annotate", "direction=both"));

#ifndef MAPWRIGHT_PASSES_H
#define MAPWRIGHT_PASSES_H

#include "mapwright-c/mapwright.h"
#include "mapwright-c/passes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mapwright {

// Puts all passes and pipelines into the registry that `mlir::parsePassPipeline` uses.
inline void registerPasses() { mapwrightRegisterPasses(); }

// Adds our dialects, but none whose name the registry knows already.
inline void insertDialects(mlir::DialectRegistry &registry) { mapwrightInsertDialects(wrap(&registry)); }

// A new pass with options as they are written in a pipeline; null, and the reason in `error`, if there is no such pass or option.
inline std::unique_ptr<mlir::Pass> createPass(llvm::StringRef name, llvm::StringRef options = "",
                                              std::string *error = nullptr) {
  char *message = nullptr;
  MlirPass pass = mapwrightCreatePass(wrap(name), wrap(options), &message);
  if (message && error)
    *error = message;
  mapwrightStringDestroy(message);
  return std::unique_ptr<mlir::Pass>(unwrap(pass));
}

} // namespace mapwright

#endif // MAPWRIGHT_PASSES_H
