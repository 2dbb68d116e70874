//! MLIR's own attributes, locations and types.

/// Attributes and locations: number, name, first version (they have none), parts.
pub(crate) const ATTRIBUTES: &str = "
 0 array             -  attributes
 1 dictionary        -  pairs
 2 string            -  text
 3 typed_string      -  text type
 4 symbol            -  attribute
 5 nested_symbol     -  attribute attributes
 6 type              -  type
 7 unit              -
 8 integer           -  type bits
 9 float             -  type bits
10 call_site         -  attribute attribute
11 file              -  attribute unsigned unsigned
12 fused             -  attributes
13 fused_with        -  attributes attribute
14 name              -  attribute attribute
15 unknown           -
17 dense_array       -  type unsigned bytes
18 dense             -  type bytes
21 distinct          -  attribute
22 file_range        -  attribute unsigned*
";

/// Types.
pub(crate) const TYPES: &str = "
 0 integer           -  unsigned
 1 index             -  =64
 2 function          -  types types
 3 bf16              -  =16
 4 f16               -  =16
 5 f32               -  =32
 6 f64               -  =64
 9 complex           -  type
12 none              -
13 tensor            -  signed* type
14 encoded_tensor    -  attribute signed* type
15 tuple             -  types
18 unranked          -  type
";
