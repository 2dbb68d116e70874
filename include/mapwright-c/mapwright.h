/* The C API of libmapwright.so: load a module, look at its indexing maps, compile it, run it. Needs no header of MLIR.
 *
 * A function that can fail returns null (or false) and, unless its last argument is null, stores there a text that says why: the
 * diagnostics with their source lines, or a sentence. Every `char *` that is returned or stored is freed with mapwrightStringDestroy.
 * A module, and what was made from it, is used by one thread at a time, models excepted; different ones are independent.
 */

#ifndef MAPWRIGHT_C_MAPWRIGHT_H
#define MAPWRIGHT_C_MAPWRIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library, such as "0.1.0"; static, not to be freed. */
const char *mapwrightVersion(void);

/* An enum mw_status (mapwright-c/runtime.h) of the latest call on this thread of a function that can fail: 0 where it succeeded, what the
 * program failed with where it ran, MW_INVALID_ARGUMENT where what was given is wrong, a program that cannot be compiled included. */
int32_t mapwrightStatus(void);

/* Frees a text that this library returned; null is allowed. */
void mapwrightStringDestroy(char *text);

/* ---- Modules ---- */

typedef struct MapwrightModule MapwrightModule;

/* Parses and verifies a module from `length` bytes of text or bytecode. Diagnostics call the source `name`.
 * How deep it may be nested says MAPWRIGHT_DEEPEST_NESTING in the environment (5000 without it); the caller's stack must suffice. */
MapwrightModule *mapwrightModuleParse(const char *name, const char *text, size_t length, char **error);
void mapwrightModuleDestroy(MapwrightModule *module);

/* The module as MLIR prints it. */
char *mapwrightModulePrint(const MapwrightModule *module, char **error);

/* Runs a textual pipeline such as "builtin.module(indexing-annotate{direction=both})": our passes and all of upstream's. */
bool mapwrightModuleRunPasses(MapwrightModule *module, const char *pipeline, char **error);

/* The indexing maps of result number `result` of a function with respect to argument number `argument`, through everything in
 * between, one a line; the union of them is what an element of the result is made of. Empty if it does not depend on the argument. */
char *mapwrightModuleMaps(const MapwrightModule *module, const char *function, size_t result, size_t argument,
                          char **error);

/* The regions that the public functions are compiled in, with their schedules, and why the others were not formed: JSON, the document of
 * `mapwright fusion --json` (docs/schemas/fusion.json). The module is not changed. */
char *mapwrightModuleRegions(const MapwrightModule *module, char **error);

/* ---- Maps as text (the text form of indexing maps, one line each) ---- */

/* The map, simplified. */
char *mapwrightMapSimplify(const char *map, char **error);

/* First `consumer`, then `producer` on its results; simplified. */
char *mapwrightMapCompose(const char *consumer, const char *producer, char **error);

/* ---- Compiling and running ---- */

typedef struct MapwrightExecutable MapwrightExecutable;
typedef struct MapwrightResults MapwrightResults;

/* A dense row-major tensor. Elements are stored little-endian; those of fewer than 8 bits take a byte each. */
typedef struct {
  const char *element_type; /* as MLIR spells it: "f32", "i1", "complex<f64>" */
  size_t rank;
  const int64_t *shape; /* `rank` sizes */
  void *data;
  size_t bytes;
} MapwrightTensor;

/* Compiles the public function `entry` to native code for this machine; `threads` = 0 means all of its hardware threads. The module
 * is not changed, and is not needed to run. */
MapwrightExecutable *mapwrightCompile(const MapwrightModule *module, const char *entry, size_t threads, char **error);
void mapwrightExecutableDestroy(MapwrightExecutable *executable);

/* Writes an object file of all public functions for this machine, as `mapwright compile -o OBJECT --header HEADER` does; without a header if
 * that is null. */
bool mapwrightModuleWriteObject(const MapwrightModule *module, const char *object, const char *header, char **error);

/* The types of the arguments, a line with `->`, the types of the results; one type a line, such as `tensor<4x8xf32>`. */
char *mapwrightExecutableSignature(const MapwrightExecutable *executable, char **error);

/* Begins the numbers that calls draw (stablehlo.rng) anew. They follow from the seed, 0 where none was set, and go on from call to call.
   Null is left alone. */
void mapwrightExecutableSetSeed(const MapwrightExecutable *executable, uint64_t seed);

/* Calls the function; the inputs are only read, and not needed after the call. */
MapwrightResults *mapwrightExecute(const MapwrightExecutable *executable, const MapwrightTensor *inputs, size_t count,
                                   char **error);
/* The same with the results in memory of the caller: each of `results` has the type and the sizes that the result has, and memory of so
 * many bytes, which is not written to if anything is wrong. */
bool mapwrightExecuteInto(const MapwrightExecutable *executable, const MapwrightTensor *inputs, size_t count,
                          const MapwrightTensor *results, size_t result_count, char **error);
size_t mapwrightResultsCount(const MapwrightResults *results);
/* Result number `i`, which lies in `results`; all zero if there is none. */
MapwrightTensor mapwrightResultsGet(const MapwrightResults *results, size_t i);
void mapwrightResultsDestroy(MapwrightResults *results);

/* ---- Functions that are called with arguments of different sizes ---- */

/* A function that is compiled for the shapes of the arguments it is called with, once for each, and for any size where new shapes keep
 * coming. It may be called from several threads at once. */
typedef struct MapwrightModel MapwrightModel;

typedef struct {
  size_t threads;       /* of each call; 0: all hardware threads */
  bool specialize;      /* compile for the shapes of arguments (true), or once for all sizes */
  size_t kept;          /* codes for single shapes that are kept, those that were used last: 64 */
  size_t any_size_from; /* from which new shape on, counted from 1, calls run code for any size, while that for the shape is compiled on a
                           thread beside: 8; shapes that are kept are not new */
  bool wait;            /* every call waits for the code for its shapes, whatever any_size_from says: false */
} MapwrightModelOptions;

MapwrightModelOptions mapwrightModelOptionsDefault(void);

/* A model of the public function `entry`; `options` may be null. The module is not changed, and is not needed to call. */
MapwrightModel *mapwrightModelCreate(const MapwrightModule *module, const char *entry, const MapwrightModelOptions *options,
                                     char **error);
/* No call may be under way. Waits for what is being compiled. */
void mapwrightModelDestroy(MapwrightModel *model);

/* As mapwrightExecutableSignature; sizes that are not known before a call are `?`. */
char *mapwrightModelSignature(const MapwrightModel *model, char **error);

/* What was made for the call that ran. */
enum {
  MAPWRIGHT_CODE_STATIC = 0,  /* the program, whose shapes are static */
  MAPWRIGHT_CODE_SPECIAL = 1, /* the program for these shapes */
  MAPWRIGHT_CODE_ANY_SIZE = 2 /* the program for any size */
};

/* Calls the function; the inputs are only read, and not needed after the call. `code`, unless null, is set to one of the above. */
MapwrightResults *mapwrightModelCall(const MapwrightModel *model, const MapwrightTensor *inputs, size_t count, int32_t *code,
                                     char **error);

/* As mapwrightExecutableSetSeed. */
void mapwrightModelSetSeed(const MapwrightModel *model, uint64_t seed);

/* Waits until nothing is compiled beside the calls: what was called before then has code of its own. */
void mapwrightModelSettle(const MapwrightModel *model);

/* ---- Nested arrays (dialect `tarray`) ---- */

/* Leaves, one behind the other along the first dimension of `values`, and offsets for each level, from the outermost: list `i` of a level
 * has the elements offsets[level][i] to, not including, offsets[level][i + 1] of the next one. The outermost level is one list, so that
 * it has two offsets; another one has as many as there are lists, and one. */
typedef struct {
  MapwrightTensor values;
  size_t levels;
  const int64_t *const *offsets;
  const size_t *counts; /* how many offsets each level has */
} MapwrightRaggedTensor;

/* The `levels + 1` tensors that a compiled function takes for an array whose levels have the declared maxima `max`, from the outermost
 * (INT64_MAX where there is none): the leaves, and then the offsets of each level, as many as there are. Maxima are checked, and cost
 * nothing. Freed with mapwrightResultsDestroy. */
MapwrightResults *mapwrightRaggedPack(const MapwrightRaggedTensor *array, const int64_t *max, char **error);

/* The inverse: of the `count` tensors that a compiled function gave for an array what is there, the leaves and then the offsets of each
 * level. Freed with mapwrightResultsDestroy. */
MapwrightResults *mapwrightRaggedUnpack(const MapwrightTensor *parts, size_t count, char **error);

#ifdef __cplusplus
}
#endif

#endif
