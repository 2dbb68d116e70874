/* The attribute `#indexing.map` in the types of MLIR's C API. C++ has mapwright/IndexingMap.h.
 *
 * An indexing map is an affine map, an interval for each of its variables, and constraints. The symbols of the affine map and of the
 * constraints' expressions are the range variables, then the runtime variables. Functions on a map take any attribute: for one that is
 * no `#indexing.map`, and for a variable that does not exist, they return null, 0, false, an empty text or an empty interval. Texts
 * live as long as the context.
 *
 * The host and this library must use the same libMLIR.so.
 */

#ifndef MAPWRIGHT_C_MAPS_H
#define MAPWRIGHT_C_MAPS_H

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All integers from `lower` to `upper`; none if `lower > upper`. INT64_MIN and INT64_MAX stand for "this or beyond". */
typedef struct {
  int64_t lower;
  int64_t upper;
} MapwrightInterval;

/* True for `#indexing.map`. */
bool mapwrightAttributeIsAMap(MlirAttribute attribute);

/* The map with the given text, such as "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 2]"; null, and a diagnostic at
 * `location`, if it is none. */
MlirAttribute mapwrightMapAttrParse(MlirLocation location, MlirStringRef text);

/* The map with the results of `map`, whose first `rangeVariables` symbols are range variables and whose others are runtime variables.
 * `intervals` has those of the dimensions, then of the symbols; all integers are allowed where it ends early. `constraints` and
 * `constraintIntervals` have `constraintCount` elements each. Null, and a diagnostic at `location`, if an expression has a variable that
 * does not exist. */
MlirAttribute mapwrightMapAttrGet(MlirLocation location, MlirAffineMap map, intptr_t rangeVariables,
                                  intptr_t intervalCount, const MapwrightInterval *intervals,
                                  intptr_t constraintCount, const MlirAffineExpr *constraints,
                                  const MapwrightInterval *constraintIntervals);

/* The canonical text, as it stands between the angle brackets. */
MlirStringRef mapwrightMapAttrGetText(MlirAttribute map);

/* The results as one affine map; null if there is none: the map is unknown or empty, its results or constraints have minima or
 * maxima (then it has pieces), or products or quotients of variables. */
MlirAffineMap mapwrightMapAttrGetAffineMap(MlirAttribute map);

/* Maps with disjoint domains, each with an affine map and affine constraints, that are this map together: 0 for an empty map, -1 if
 * there are none. */
intptr_t mapwrightMapAttrGetNumPieces(MlirAttribute map);
MlirAttribute mapwrightMapAttrGetPiece(MlirAttribute map, intptr_t i);

/* False for an over-approximation: the elements that are really read are among those of the map. */
bool mapwrightMapAttrIsExact(MlirAttribute map);
bool mapwrightMapAttrIsKnownEmpty(MlirAttribute map);
/* Why nothing is known of it; empty for a map that is known. */
MlirStringRef mapwrightMapAttrGetUnknownReason(MlirAttribute map);

intptr_t mapwrightMapAttrGetNumDims(MlirAttribute map);
intptr_t mapwrightMapAttrGetNumRangeVariables(MlirAttribute map);
intptr_t mapwrightMapAttrGetNumRuntimeVariables(MlirAttribute map);
intptr_t mapwrightMapAttrGetNumResults(MlirAttribute map);

/* What a variable may be, and its own name; one without is printed as d0, s0 or rt0 by its position. */
MapwrightInterval mapwrightMapAttrGetDimInterval(MlirAttribute map, intptr_t i);
MapwrightInterval mapwrightMapAttrGetSymbolInterval(MlirAttribute map, intptr_t i);
MlirStringRef mapwrightMapAttrGetDimName(MlirAttribute map, intptr_t i);
MlirStringRef mapwrightMapAttrGetSymbolName(MlirAttribute map, intptr_t i);

/* Expressions whose values lie in an interval on the domain; the expression is null if it is not affine. */
intptr_t mapwrightMapAttrGetNumConstraints(MlirAttribute map);
MlirAffineExpr mapwrightMapAttrGetConstraint(MlirAttribute map, intptr_t i);
MapwrightInterval mapwrightMapAttrGetConstraintInterval(MlirAttribute map, intptr_t i);

/* The same map, simplified with its intervals and constraints. */
MlirAttribute mapwrightMapAttrSimplify(MlirAttribute map);

#ifdef __cplusplus
}
#endif

#endif
