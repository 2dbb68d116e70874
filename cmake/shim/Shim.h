// What Rust calls in this folder. Everything is C; strings are not null-terminated unless a comment says so.
// The Rust side of each declaration is in src/mlir/shim.rs.

#ifndef MAPWRIGHT_SHIM_H
#define MAPWRIGHT_SHIM_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

enum MapwrightOptionKind {
  MAPWRIGHT_OPTION_STRING = 0,
  MAPWRIGHT_OPTION_BOOL = 1,
  MAPWRIGHT_OPTION_INT = 2,
  MAPWRIGHT_OPTION_INT_LIST = 3,
};

// An option of a pass. `initial` is its default as it would be written on the command line.
typedef struct {
  MlirStringRef name;
  MlirStringRef description;
  MlirStringRef initial;
  int32_t kind;
} MapwrightOption;

// One pass instance: what the callbacks are given to read options and run pipelines.
typedef struct MapwrightPassInstance MapwrightPassInstance;

// A pass as Rust declares it. Lives until the process ends, like everything it points to; its address is the pass's type id.
typedef struct {
  const void *pass;
  MlirStringRef name;
  MlirStringRef argument;
  MlirStringRef description;
  // The operation the pass runs on; empty means any.
  MlirStringRef anchor;
  const MapwrightOption *options;
  intptr_t optionCount;
  const MlirStringRef *dialects;
  intptr_t dialectCount;
  // Both report their own diagnostics and return whether they succeeded; neither unwinds.
  bool (*initialize)(const void *pass, MlirContext context, const MapwrightPassInstance *instance);
  bool (*run)(const void *pass, MlirOperation operation, MapwrightPassInstance *instance);
} MapwrightPassDescription;

// Puts the pass into the global registry, unless one of that name is there.
void mapwrightPassRegister(const MapwrightPassDescription *description);
// Whether the options of an instance are values that they may have; if not, the reason goes to `userData`.
typedef bool (*MapwrightOptionCheck)(const void *pass, const MapwrightPassInstance *instance, void *userData);
// A new pass object, owned by the caller, with the options given as `a=1 b=2`; null (and the reason to `error`, or from `check`) if they are
// wrong.
MlirPass mapwrightPassCreate(const MapwrightPassDescription *description, MlirStringRef options,
                             MapwrightOptionCheck check, MlirStringCallback error, void *userData);
// Does an operation satisfy its own constraints? What is inside of it is not verified. Emits diagnostics if not.
bool mapwrightOperationVerifyAlone(MlirOperation operation);
// Has the operation upstream's trait of operations that read their operands at the index of their results?
bool mapwrightOperationIsElementwise(MlirOperation operation);
// Puts a named pipeline into the global registry; `text` is what stands between the parentheses of a textual pipeline.
void mapwrightPipelineRegister(MlirStringRef name, MlirStringRef description, MlirStringRef text);
// Whether a pass or pipeline of that name is in the global registry.
bool mapwrightPassIsRegistered(MlirStringRef argument);

MlirStringRef mapwrightOptionString(const MapwrightPassInstance *instance, intptr_t index);
bool mapwrightOptionBool(const MapwrightPassInstance *instance, intptr_t index);
int64_t mapwrightOptionInt(const MapwrightPassInstance *instance, intptr_t index);
const int64_t *mapwrightOptionIntList(const MapwrightPassInstance *instance, intptr_t index, intptr_t *count);
// Runs a textual pipeline (its passes without the anchor) on an operation at or below the pass's own, as a part of the pass.
bool mapwrightPassRunPipeline(MapwrightPassInstance *instance, MlirStringRef pipeline, MlirOperation operation);

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

// A box of a result: an offset and a size a dimension. Where a number is the one of dynamic sizes, the value of type `index` beside it counts.
typedef struct {
  intptr_t rank;
  const int64_t *offsets;
  const MlirValue *offsetValues;
  const int64_t *sizes;
  const MlirValue *sizeValues;
  // It is a part of what is reduced: others of one result are merged with it.
  bool isPart;
} MapwrightTile;

// Is told what was made: slices of operands, and the operations that compute.
typedef void (*MapwrightTileMade)(MlirOperation operation, bool isSlice, void *data);

// Answers of Rust. What they make stands in `block`, in front of `before` (null: at the end).
typedef struct {
  // Is there a tiled form of the operation of that name?
  bool (*tiles)(MlirStringRef name);
  // Has it loops that reduce?
  bool (*reduces)(MlirStringRef name);
  // How many loops does it reduce? They come behind the dimensions of the first result.
  intptr_t (*loops)(MlirOperation operation);
  // Sizes of result `number`, or of the loops where it is negative. Where a number is the one of dynamic sizes, the value beside it counts.
  bool (*sizes)(MlirOperation operation, MlirBlock block, MlirOperation before, intptr_t number, int64_t *sizes,
                MlirValue *values);
  // Makes the operation for one tile, and writes a value for each result. False where it cannot be.
  bool (*tiled)(MlirOperation operation, MlirBlock block, MlirOperation before, const MapwrightTile *tile,
                MapwrightTileMade made, MlirValue *results, void *data);
  // Makes the results from those of parts, which have so many dimensions more.
  bool (*merged)(MlirOperation operation, MlirBlock block, MlirOperation before, intptr_t partCount,
                 const MlirValue *parts, intptr_t loops, MapwrightTileMade made, MlirValue *results, void *data);
  // Makes tensors of the sizes of the tile for the results, in which nothing is summed up yet.
  bool (*begun)(MlirOperation operation, MlirBlock block, MlirOperation before, const MapwrightTile *tile,
                MapwrightTileMade made, MlirValue *results, void *data);
  // Sums up one tile into `sums`, which have a dimension more at the end for each loop in `cut`.
  bool (*summed)(MlirOperation operation, MlirBlock block, MlirOperation before, const MapwrightTile *tile,
                 const MlirValue *sums, intptr_t cutCount, const intptr_t *cut, MapwrightTileMade made,
                 MlirValue *results, void *data);
} MapwrightTilingHooks;
// The answers from then on.
void mapwrightSetTilingHooks(const MapwrightTilingHooks *hooks);

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

// The deepest nesting of a source that is read, and the bytes of stack that this takes.
int32_t mapwrightDeepestNesting(void);
int64_t mapwrightDeepestNestingStack(void);
// Sets it; false where it is no number of levels, or new threads cannot get a stack that suffices.
bool mapwrightDeepestNestingSet(int32_t levels);
/// Is a text one that MLIR's parser must not get?
bool mapwrightTextRefused(MlirStringRef text);

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

// Has code generation of an LLVMContext take addresses in loops as they stand, and leave scheduling after the allocation of registers
// to the hardware.
void mapwrightLlvmContextLeaveAddresses(void *context);

// What LLVM knows of a machine.
typedef enum {
  MapwrightMachineKnown,
  MapwrightMachineNoCpu,
  MapwrightMachineNoFeature,
  MapwrightMachineNot64Bit,
} MapwrightMachine;

// Are there a CPU of this name and a feature (`avx2`) for this triple? Either may be empty; the target must be initialised.
MapwrightMachine mapwrightLlvmCheckMachine(MlirStringRef triple, MlirStringRef cpu, MlirStringRef feature);

//===----------------------------------------------------------------------===//
// Dialects
//===----------------------------------------------------------------------===//

// Adds our dialects to a registry, but none whose name it already knows.
void mapwrightDialectsInsert(MlirDialectRegistry registry);
// Adds every upstream dialect, extension and translation, then ours.
void mapwrightDialectsInsertAll(MlirDialectRegistry registry);
// Loads those dialects that our own passes and builders create operations of.
void mapwrightDialectsLoad(MlirContext context);

//===----------------------------------------------------------------------===//
// Diagnostics and sources
//===----------------------------------------------------------------------===//

// Severity as in MlirDiagnosticSeverity. `noteLocations[i]` may be null: the note then has the diagnostic's location.
void mapwrightDiagnosticEmit(MlirLocation location, int32_t severity, MlirStringRef message, intptr_t noteCount,
                             const MlirLocation *noteLocations, const MlirStringRef *notes);

typedef struct MapwrightDiagnostics MapwrightDiagnostics;

// From now on prints the context's diagnostics the way mlir-opt does: to standard error, or into a text that is fetched later.
MapwrightDiagnostics *mapwrightDiagnosticsCreate(MlirContext context, bool toStderr);
void mapwrightDiagnosticsDestroy(MapwrightDiagnostics *diagnostics);
intptr_t mapwrightDiagnosticsErrorCount(const MapwrightDiagnostics *diagnostics);
// Hands over what was printed since the last call; nothing for standard error.
void mapwrightDiagnosticsTake(MapwrightDiagnostics *diagnostics, MlirStringCallback callback, void *userData);
// Parses and verifies a module from text or bytecode; null on failure. `name` is what diagnostics call the source. A copy of
// the source stays with `diagnostics`, which quotes its lines.
MlirModule mapwrightSourceParse(MapwrightDiagnostics *diagnostics, MlirStringRef name, MlirStringRef text);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// The bytes of a `dense_resource<…>` attribute; null where there are none, and for other attributes.
MlirStringRef mapwrightResourceData(MlirAttribute attribute);

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

// Portable artifacts. Both functions report their errors themselves, and return whether there was none.
typedef struct {
  bool (*isArtifact)(MlirStringRef bytes);
  // Gives the program of an artifact as MLIR bytecode.
  bool (*read)(MlirStringRef name, MlirStringRef bytes, MlirStringCallback callback, void *userData);
  // Gives an artifact of a program in MLIR bytecode, for readers of `version`, the newest if it is empty.
  bool (*write)(MlirStringRef version, MlirStringRef bytecode, MlirStringCallback callback, void *userData);
} MapwrightArtifacts;

int mapwrightOptMain(int argc, char **argv, const MapwrightArtifacts *artifacts);
int mapwrightLspServerMain(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // MAPWRIGHT_SHIM_H
