//===- Ops.td - all operations of MHLO ------------------------------------===//

#ifndef MAPWRIGHT_MHLO_OPS
#define MAPWRIGHT_MHLO_OPS

include "mhlo/ControlFlow.td"
include "mhlo/Elementwise.td"
include "mhlo/Structural.td"

#endif // MAPWRIGHT_MHLO_OPS
