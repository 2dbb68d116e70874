//===- Attrs.td - structured attributes of CHLO ---------------------------===//

#ifndef MAPWRIGHT_CHLO_ATTRS
#define MAPWRIGHT_CHLO_ATTRS

include "chlo/Enums.td"
include "common/Parameters.td"

def CHLO_RaggedDotAttr : AttrDef<CHLO_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "the dimensions of a ragged product";
  let parameters = (ins Hlo_OptionalDims:$lhs_batching_dimensions,
                        Hlo_OptionalDims:$rhs_batching_dimensions,
                        Hlo_OptionalDims:$lhs_contracting_dimensions,
                        Hlo_OptionalDims:$rhs_contracting_dimensions,
                        Hlo_OptionalDims:$lhs_ragged_dimensions,
                        Hlo_OptionalDims:$rhs_group_dimensions);
  let hasCustomAssemblyFormat = 1;
}

#endif // MAPWRIGHT_CHLO_ATTRS
