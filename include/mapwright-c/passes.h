/* Mapwright's dialects and passes for pipelines that are built with MLIR's C API. C++ has mapwright/Passes.h.
 *
 * The host and this library must use the same libMLIR.so.
 */

#ifndef MAPWRIGHT_C_PASSES_H
#define MAPWRIGHT_C_PASSES_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts the passes and pipelines, all of whose names begin with `indexing-`, into the process's registry, from which textual
 * pipelines are parsed. May be called more than once. */
void mapwrightRegisterPasses(void);

/* Adds the dialects (indexing, stablehlo, chlo, mhlo, …) to a registry; one whose name the registry knows already stays as it is. */
void mapwrightInsertDialects(MlirDialectRegistry registry);

/* A new pass by name, with options written as in a pipeline (`direction=both simplify=false`; may be empty). The caller owns it and
 * usually hands it to a pass manager. Null if there is no such pass or an option is wrong; then `*error`, unless `error` is null, is
 * a sentence to be freed with mapwrightStringDestroy (mapwright.h). */
MlirPass mapwrightCreatePass(MlirStringRef name, MlirStringRef options, char **error);

#ifdef __cplusplus
}
#endif

#endif
