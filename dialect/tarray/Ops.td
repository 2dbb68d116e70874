//===- Ops.td - all operations of the tarray dialect ----------------------===//

#ifndef MAPWRIGHT_TARRAY_OPS
#define MAPWRIGHT_TARRAY_OPS

include "tarray/Access.td"
include "tarray/Arrays.td"
include "tarray/Loops.td"
include "tarray/Shapes.td"

#endif // MAPWRIGHT_TARRAY_OPS
