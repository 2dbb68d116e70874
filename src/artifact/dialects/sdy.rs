//! Shardy's attributes. They have no versions: a newer writer has more of them, whatever it writes
//! for.

/// Attributes: number, name, first version (they have none), parts.
pub(crate) const ATTRIBUTES: &str = "
 0 manual_axes           -  attributes
 1 mesh_axis             -  text signed
 2 mesh                  -  attributes signed*
 3 sub_axis_info         -  signed signed
 4 axis_ref              -  text attribute?
 5 dimension_sharding    -  attributes byte unsigned?
 6 sharding              -  attribute attributes attributes
 7 sharding_per_value    -  attributes
 8 dim_mapping           -  signed*
 9 tensor_mapping        -  attributes
10 op_sharding_rule      -  signed* attributes attributes signed* signed* signed* signed* byte
11 axis_ref_list         -  attributes
12 list_of_axis_ref_lists - attributes
13 all_to_all_param      -  attributes signed signed
14 all_to_all_param_list -  attributes
15 sharding_v2           -  attribute attributes attributes attributes
16 sharding_per_value_v2 -  attributes
17 sharding_v3           -  attribute attributes attributes attributes signed
";
