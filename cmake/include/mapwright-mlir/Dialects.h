//===- Dialects.h - C interface of Mapwright's dialects -----------*- C -*-===//
//
// Registration of the dialects `indexing`, `stablehlo`, `chlo`, `mhlo`, `sdy`,
// `tarray`, `check` and `interpreter`, and the hooks through which the meaning of their
// operations (verification, result types, the text of indexing maps) is
// supplied from outside of C++.
//
// The hooks are process-wide and have to be set before the first IR is read;
// without them the dialects still parse and print, and verify what ODS states.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_MLIR_DIALECTS_H
#define MAPWRIGHT_MLIR_DIALECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Inserts the dialects named in `only` (`n` names) into the registry, or all
/// of ours when `only` is null. Names that are not ours are ignored.
MLIR_CAPI_EXPORTED void
mapwrightRegisterDialects(MlirDialectRegistry registry, const char *const *only,
                          size_t n);

/// The names of all dialects that `mapwrightRegisterDialects` knows; their
/// number is returned. The strings are static.
MLIR_CAPI_EXPORTED size_t mapwrightDialectNames(const char *const **names);

typedef struct {
  /// Checks what the specification demands of the operation beyond its ODS
  /// definition. False: it is wrong, and the diagnostics have been emitted.
  bool (*verify)(MlirOperation op);

  /// Computes the result types and hands them to `addResult` in order. False:
  /// the operands or attributes are wrong, and the diagnostics were emitted at
  /// `location`. `attributes` is a dictionary of all attributes, the inherent
  /// ones included; `properties` is reserved and null.
  bool (*inferReturnTypes)(MlirContext context, MlirLocation location,
                           MlirStringRef opName, intptr_t nOperands,
                           MlirValue *operands, MlirAttribute attributes,
                           void *properties, intptr_t nRegions,
                           MlirRegion *regions,
                           void (*addResult)(MlirType, void *),
                           void *userData);
  /// Whether an attribute that a dialect adds to an operation satisfies its
  /// constraints, at the operation (both numbers -1), or at an argument or a
  /// result of a function; emits the diagnostics if not.
  bool (*verifyAttribute)(MlirOperation op, MlirStringRef name,
                          MlirAttribute value, intptr_t argument,
                          intptr_t result);
} MapwrightOpHooks;

/// Installs the hooks (copied); null removes them. Any member may be null.
MLIR_CAPI_EXPORTED void mapwrightSetOpHooks(const MapwrightOpHooks *hooks);

/// Turns the text of an indexing map into its canonical form, handed to `emit`
/// (in one or more pieces). False: the text is wrong; `error` was called with
/// the offending column, counted from 0, and a message.
typedef bool (*MapwrightCanonicalMapText)(
    MlirStringRef text, void (*emit)(MlirStringRef piece, void *userData),
    void *emitData,
    void (*error)(intptr_t column, MlirStringRef message, void *userData),
    void *errorData);

/// Installs the parser of map texts; null removes it.
MLIR_CAPI_EXPORTED void
mapwrightSetMapTextHook(MapwrightCanonicalMapText hook);

/// Attribute accessors for the C API, which has no generic access to the
/// parameters of a dialect's attributes.
MLIR_CAPI_EXPORTED bool mapwrightAttributeIsIndexingMap(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef
mapwrightIndexingMapGetText(MlirAttribute attr);
/// Null when the text is not a map (the diagnostic is at `location`).
MLIR_CAPI_EXPORTED MlirAttribute mapwrightIndexingMapGet(MlirLocation location,
                                                         MlirStringRef text);

MLIR_CAPI_EXPORTED bool
mapwrightAttributeIsIndexingInterval(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute
mapwrightIndexingIntervalGet(MlirContext context, int64_t lo, int64_t hi);
MLIR_CAPI_EXPORTED int64_t mapwrightIndexingIntervalGetLo(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t mapwrightIndexingIntervalGetHi(MlirAttribute attr);

/// The element type of `!tarray.array<element, max = …>`; null for other types.
MLIR_CAPI_EXPORTED MlirType mapwrightArrayTypeGetElement(MlirType type);
/// The declared maximum of its length; -1 for other types.
MLIR_CAPI_EXPORTED int64_t mapwrightArrayTypeGetMax(MlirType type);
/// The number of sizes of `!tarray.shape<rank>`; -1 for other types.
MLIR_CAPI_EXPORTED int64_t mapwrightShapeTypeGetRank(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // MAPWRIGHT_MLIR_DIALECTS_H
