//! The attributes and types of `vhlo`, the dialect of portable artifacts: nothing has ever been
//! taken away from them.

/// Attributes: number, name, first version, parts.
pub(crate) const ATTRIBUTES: &str = "
 1 array                  0.9.0   attributes
 2 bool                   0.9.0   unsigned
 3 comparison_direction   0.9.0   unsigned
 4 comparison_type        0.9.0   unsigned
 5 api_version            0.9.0   unsigned
 6 dictionary             0.9.0   pairs
 7 fft_type               0.9.0   unsigned
 8 float                  0.9.0   type bits
 9 integer                0.9.0   type bits
10 output_operand_alias   0.9.0   signed* signed signed*
11 precision              0.9.0   unsigned
12 rng_algorithm          0.9.0   unsigned
13 rng_distribution       0.9.0   unsigned
14 string                 0.9.0   text
15 dense                  0.9.0   type bytes
16 transpose              0.9.0   unsigned
17 type                   0.9.0   type
18 bounds                 0.9.0   signed*
19 result_accuracy_mode   1.9.0   unsigned
20 result_accuracy        1.9.0   double double signed attribute
21 sub_axis_info          1.16.0  signed signed
22 axis_ref               1.16.0  attribute attribute?
23 replica_group_mesh_axes 1.16.0 attribute attribute
24 mesh_axis              1.16.0  attribute signed
25 mesh                   1.16.0  attribute attribute?
";

/// Types: number, name, first version, parts; after `=` how many bits a number of the type has.
pub(crate) const TYPES: &str = "
 0 i1             0.9.0   =1
 1 complex        0.9.0   type
 2 bf16           0.9.0   =16
 3 f16            0.9.0   =16
 4 f32            0.9.0   =32
 5 f64            0.9.0   =64
 6 f8E4M3FN       0.9.0   =8
 7 f8E5M2         0.9.0   =8
 8 function       0.9.0   types types
 9 index          0.9.0   =64
10 i4             0.9.0   =4
11 i8             0.9.0   =8
12 i16            0.9.0   =16
13 i32            0.9.0   =32
14 i64            0.9.0   =64
15 ui4            0.9.0   =4
16 ui8            0.9.0   =8
17 ui16           0.9.0   =16
18 ui32           0.9.0   =32
19 ui64           0.9.0   =64
20 tensor         0.9.0   signed* type
21 encoded_tensor 0.9.0   attribute signed* type
22 token          0.9.0
23 tuple          0.9.0   types
24 quantized      0.9.0   unsigned type type double signed signed signed
25 unranked       0.9.0   type
26 witness        0.9.0
27 f8E4M3FNUZ     0.10.0  =8
28 f8E5M2FNUZ     0.10.0  =8
29 f8E4M3B11FNUZ  0.11.0  =8
30 quantized_axis 0.18.0  unsigned type type unsigned signed signed double* signed*
31 i2             1.2.0   =2
32 ui2            1.2.0   =2
33 none           1.6.0
34 tf32           1.6.0   =19
35 f8E4M3         1.7.0   =8
36 f8E3M4         1.7.0   =8
37 f4E2M1FN       1.8.0   =4
38 f6E2M3FN       1.8.0   =6
39 f6E3M2FN       1.8.0   =6
40 f8E8M0FNU      1.8.0   =8
41 buffer         1.13.0  signed* type
42 future         1.15.0  types
";
