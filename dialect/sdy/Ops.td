//===- Ops.td - operations of Shardy --------------------------------------===//

#ifndef MAPWRIGHT_SDY_OPS
#define MAPWRIGHT_SDY_OPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "sdy/Attrs.td"

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a named mesh of devices";
  let description = [{
    A mesh of devices: names and sizes of its axes, and the devices in their
    order.

    ```mlir
    sdy.mesh @mesh = <["x"=2, "y"=4]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}
def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "the results of a region";
  let description = [{
    Ends a region and gives its results.
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}
def Sdy_ConstantOp
    : Sdy_Op<"constant", [ConstantLike, Pure, AllTypesMatch<["value",
                                                             "output"]>]> {
  let summary = "a constant";
  let description = [{
    A constant that propagation may shard in several ways, as it is not
    merged with others.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict custom<Elements>($value)";
  let hasFolder = 1;
}

// `sdy.name %input <sharding> : type`
class Sdy_ShardingOp<string mnemonic, string what, TypeConstraint type>
    : Sdy_Op<mnemonic, [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = what;
  let arguments = (ins type:$input, Sdy_TensorSharding:$sharding);
  let results = (outs type:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}
def Sdy_ShardingConstraintOp
    : Sdy_ShardingOp<"sharding_constraint", "a sharding that a value has to have",
                     AnyType> {
  let description = [{
    The value as it is, which has this sharding.
  }];
}
def Sdy_ReshardOp
    : Sdy_ShardingOp<"reshard", "the tensor with another sharding",
                     AnyRankedTensor> {
  let description = [{
    The tensor under another sharding.
  }];
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "tensors with the same group id have the same sharding";
  let description = [{
    Puts the value into a group, all of whose members have one sharding.
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = [{
    $input `group_id` `` `=` `` $group_id attr-dict `:` type($input)
  }];
}
def Sdy_PropagationBarrierOp
    : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "a value that shardings do not propagate through";
  let description = [{
    The value as it is; shardings propagate through it in the allowed
    directions only.
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:`
    type($input)
  }];
}
def Sdy_DataFlowEdgeOp
    : Sdy_Op<"data_flow_edge", [Pure, SameOperandsAndResultType]> {
  let summary = "an edge between values that flow into each other";
  let description = [{
    The value as it is; where sharding flows between an operation's
    operands, its regions and its results.
  }];
  let arguments = (ins AnyType:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
}
def Sdy_FuncDataFlowEdgeOp
    : Sdy_Op<"func_data_flow_edge", [Pure, SameOperandsAndResultType]> {
  let summary = "an edge between a call and the function";
  let description = [{
    The value as it is; where sharding flows between the callers and the
    body of a function.
  }];
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sdy_ManualComputationOp
    : Hlo_Op<Sdy_Dialect, "manual_computation", [
          RecursiveMemoryEffects, IsolatedFromAbove,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a computation written for one device along some axes";
  let description = [{
    A region that is written for one device along `manual_axes`: its
    arguments and results are shards of the operands and results by
    `in_shardings` and `out_shardings`.

    ```mlir
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {} ]>]
        out_shardings=[<@mesh, [{"x"}, {} ]>] manual_axes={"x"}
        (%arg1: tensor<4x8xf32>) {
      sdy.return %arg1 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$tensors,
                       Sdy_TensorShardingPerValue:$in_shardings,
                       Sdy_TensorShardingPerValue:$out_shardings,
                       Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<ShardingList>($in_shardings)
    `out_shardings` `` `=` `` custom<ShardingList>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<BodyWithArguments>($body) attr-dict `:`
    functional-type(operands, results)
  }];
}
def Sdy_NamedComputationOp
    : Hlo_Op<Sdy_Dialect, "named_computation", [
          RecursiveMemoryEffects, IsolatedFromAbove,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a computation with a name";
  let description = [{
    A region with a name, as a function that has been inlined has one, and
    with shardings of its operands and results.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<ShardingList>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<ShardingList>($out_shardings)^)?
    custom<BodyWithArguments>($body) attr-dict `:`
    functional-type(operands, results)
  }];
}

// Not `DefaultValuedOptionalAttr`: its generated printer dereferences an
// accessor that returns the plain value.
defvar Sdy_OptionalReductionOp
    = DefaultValuedAttr<Sdy_ReductionOp,
                        "::mapwright::sdy::ReductionOp::SUM">;

// Collectives: `sdy.name axes %tensor out_sharding=<…> : type`
class Sdy_CollectiveOp<string mnemonic, string what, dag axes>
    : Sdy_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = what;
  let arguments = !con((ins AnyRankedTensor:$tensor), axes,
                       (ins Sdy_TensorSharding:$out_sharding));
  let results = (outs AnyRankedTensor:$result);
}
def Sdy_AllGatherOp
    : Sdy_CollectiveOp<"all_gather", "gathers along axes",
                       (ins Sdy_ListOfAxisRefLists:$gathering_axes)> {
  let description = [{
    The tensor with the axes taken off its dimensions: every device gets
    what the others along these axes have.
  }];
  let assemblyFormat = [{
    $gathering_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}
def Sdy_AllSliceOp
    : Sdy_CollectiveOp<"all_slice", "slices along axes",
                       (ins Sdy_ListOfAxisRefLists:$slicing_axes)> {
  let description = [{
    The tensor with axes put onto its dimensions: every device keeps its
    slice. Needs no communication.
  }];
  let assemblyFormat = [{
    $slicing_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}
def Sdy_AllToAllOp
    : Sdy_CollectiveOp<"all_to_all", "moves axes between dimensions",
                       (ins Sdy_AllToAllParamList:$params)> {
  let description = [{
    Axes moved from the end of one dimension to that of another.
  }];
  let assemblyFormat = [{
    $params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}
def Sdy_AllReduceOp
    : Sdy_CollectiveOp<"all_reduce", "reduces along axes",
                       (ins Sdy_AxisRefList:$reduction_axes,
                            Sdy_OptionalReductionOp:$reduction_op)> {
  let description = [{
    The sum (or, by `reduction_op`, the maximum or minimum) over the devices
    along `reduction_axes`; the result is sharded like the operand.
  }];
  let assemblyFormat = [{
    ($reduction_op^)? $reduction_axes $tensor `out_sharding` `` `=` ``
    $out_sharding attr-dict `:` type($result)
  }];
}
def Sdy_ReduceScatterOp
    : Sdy_CollectiveOp<"reduce_scatter", "reduces and scatters along axes",
                       (ins Sdy_ListOfAxisRefLists:$reduce_scatter_axes,
                            Sdy_OptionalReductionOp:$reduction_op)> {
  let description = [{
    The sum (or, by `reduction_op`, the maximum or minimum) over the devices
    along the axes, of which every device keeps its slice.
  }];
  let assemblyFormat = [{
    ($reduction_op^)? $reduce_scatter_axes $tensor `out_sharding` `` `=` ``
    $out_sharding attr-dict `:` type($result)
  }];
}
def Sdy_CollectivePermuteOp
    : Sdy_CollectiveOp<"collective_permute", "changes the devices", (ins)> {
  let description = [{
    The tensor under another sharding that puts shards of the same shape on
    other devices.
  }];
  let assemblyFormat = [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}
def Sdy_ReplicatedToUnreducedOp
    : Sdy_CollectiveOp<"replicated_to_unreduced",
                       "replicated axes become unreduced",
                       (ins Sdy_AxisRefList:$axes)> {
  let description = [{
    The tensor under a sharding in which axes along which it was the same
    everywhere become ones that have yet to be summed over.
  }];
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}
def Sdy_ShardedToUnreducedOp
    : Sdy_CollectiveOp<"sharded_to_unreduced", "sharded axes become unreduced",
                       (ins Sdy_ListOfAxisRefLists:$axes)> {
  let description = [{
    The tensor under a sharding in which axes of a dimension become ones
    that have yet to be summed over.
  }];
  let assemblyFormat = [{
    $axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:`
    type($result)
  }];
}

#endif // MAPWRIGHT_SDY_OPS
