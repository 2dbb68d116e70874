/* The C API of libmapwright.so: load a module, look at its indexing maps, compile it, run it. Needs no header of MLIR.
 *
 * A function that can fail returns null (or false) and, unless its last argument is null, stores there a text that says why: the
 * diagnostics with their source lines, or a sentence. Every `char *` that is returned or stored is freed with mapwrightStringDestroy.
 * A module, and what was made from it, is used by one thread at a time; different ones are independent.
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

/* Frees a text that this library returned; null is allowed. */
void mapwrightStringDestroy(char *text);

/* ---- Modules ---- */

typedef struct MapwrightModule MapwrightModule;

/* Parses and verifies a module from `length` bytes of text or bytecode. Diagnostics call the source `name`. */
MapwrightModule *mapwrightModuleParse(const char *name, const char *text, size_t length, char **error);
void mapwrightModuleDestroy(MapwrightModule *module);

/* The module as MLIR prints it. */
char *mapwrightModulePrint(const MapwrightModule *module, char **error);

/* Runs a textual pipeline such as "builtin.module(indexing-annotate{direction=both})": our passes and all of upstream's. */
bool mapwrightModuleRunPasses(MapwrightModule *module, const char *pipeline, char **error);

/* ---- Maps as text (the text form of indexing maps, one line each) ---- */

/* The map, simplified. */
char *mapwrightMapSimplify(const char *map, char **error);

/* First `consumer`, then `producer` on its results; simplified. */
char *mapwrightMapCompose(const char *consumer, const char *producer, char **error);

#ifdef __cplusplus
}
#endif

#endif
