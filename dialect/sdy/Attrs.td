//===- Attrs.td - meshes and shardings ------------------------------------===//

#ifndef MAPWRIGHT_SDY_ATTRS
#define MAPWRIGHT_SDY_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "sdy/Enums.td"

class Sdy_Attr<string name, string attrMnemonic>
    : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "an axis of a mesh: `\"x\"=2`";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
}
def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "a mesh of devices: `<[\"x\"=2, \"y\"=4], device_ids=[…]>`";
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes,
                        ArrayRefParameter<"int64_t">:$device_ids);
}
def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a part of an axis: `(pre_size)size`";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
}
def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "an axis, `\"x\"`, or a part of one, `\"x\":(1)2`";
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
}
def Sdy_DimensionSharding
    : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "the axes of one dimension: `{\"x\", ?}p1`";
  let description = [{
    A `?` at the end means that propagation may add axes; `p1` is a priority.
  }];
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes,
                        "bool":$is_closed,
                        OptionalParameter<"std::optional<int64_t>">:$priority);
}
def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "how a tensor is divided over a mesh";
  let description = [{
    `#sdy.sharding<@mesh, [{"x"}, {?} ], replicated={"y"}, unreduced={"z"}>`; the
    mesh is a symbol or written in place, `mesh<["x"=2]>`. What is on devices
    along the unreduced axes is to be summed; `unreduced=max{"z"}` and `min`
    say another reduction.
  }];
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
                        ArrayRefParameter<"DimensionShardingAttr">
                            :$dim_shardings,
                        ArrayRefParameter<"AxisRefAttr">:$replicated_axes,
                        ArrayRefParameter<"AxisRefAttr">:$unreduced_axes,
                        "::mapwright::sdy::ReductionOp":$reduction_op);
}
def Sdy_TensorShardingPerValue
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "a sharding for each value: `<[<@mesh, …>, …]>`";
  let parameters = (ins ArrayRefParameter<"TensorShardingAttr">:$shardings);
}
def Sdy_PropagationEdges : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "which way shardings took, step by step";
  let description = [{
    What Shardy notes for whoever looks for the origin of a sharding:
    `#sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]} ]} ]>`
    says that axis `"x"` went from operand 0 to result 0 in step 1.
  }];
  let parameters = (ins StringRefParameter<>:$text);
}
def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "the axes that a manual computation sees: `{\"x\"}`";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
}
def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "axes: `{\"x\", \"y\"}`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes);
}
def Sdy_ListOfAxisRefLists
    : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "axes of each dimension: `[{\"x\"}, {}]`";
  let parameters = (ins ArrayRefParameter<"AxisRefListAttr">:$lists);
}
def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "axes that move between dimensions: `{\"x\"}: 0->1`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes,
                        "int64_t":$src_dim, "int64_t":$tgt_dim);
}
def Sdy_AllToAllParamList
    : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "what an all-to-all moves";
  let parameters = (ins ArrayRefParameter<"AllToAllParamAttr">:$params);
}
def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "which dimensions of operands and results correspond";
  let description = [{
    `#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=2, j=4, k=8}
    reduction={k}>`. The mappings are an array a tensor, of an array a
    dimension, of factors; factors are numbered `i`, `j`, …, `z`, `z_1`, ….
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$factor_sizes,
                        "::mlir::ArrayAttr":$operand_mappings,
                        "::mlir::ArrayAttr":$result_mappings,
                        ArrayRefParameter<"int64_t">:$reduction_factors,
                        ArrayRefParameter<"int64_t">:$need_replication_factors,
                        ArrayRefParameter<"int64_t">:$permutation_factors,
                        ArrayRefParameter<"int64_t">
                            :$blocked_propagation_factors,
                        "bool":$is_custom_rule);
}

#endif // MAPWRIGHT_SDY_ATTRS
