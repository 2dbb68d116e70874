//===- Collectives.td - communication between processes -------------------===//

#ifndef MAPWRIGHT_STABLEHLO_COLLECTIVES
#define MAPWRIGHT_STABLEHLO_COLLECTIVES

include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_AllGatherOp : StableHLO_Op<"all_gather"> {
  let summary = "the tensors of all processes of a group, concatenated";
  let description = [{
    In every group of processes, the operands of all of them one behind the
    other in dimension `all_gather_dim`.

    Constraints of the specification: C1 to C6.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$operands, I64Attr:$all_gather_dim,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Hlo_Tensor>);
}
def StableHLO_AllReduceOp
    : StableHLO_InferredRegionOp<"all_reduce", [
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a reduction over all processes of a group";
  let description = [{
    In every group of processes, the operands of all of them folded element
    by element with the computation, in an order of the backend's.

    Constraints of the specification: C1 to C7.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$operands,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_AllToAllOp : StableHLO_InferredOp<"all_to_all"> {
  let summary = "parts exchanged between all processes of a group";
  let description = [{
    In every group of processes, each one splits its operand along
    `split_dimension` and sends part `i` to process `i` of the group; what
    arrives is put together along `concat_dimension`.

    Constraints of the specification: C1 to C9.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$operands,
                       I64Attr:$split_dimension, I64Attr:$concat_dimension,
                       I64Attr:$split_count,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle);
  let results = (outs Variadic<Hlo_Tensor>);
}
def StableHLO_CollectiveBroadcastOp
    : StableHLO_InferredOp<"collective_broadcast"> {
  let summary = "the tensors of one process of a group, in all of them";
  let description = [{
    In every group of processes, the operands of its root; zeros in processes
    that are in no group. The root is the first process of a group. With
    `has_dynamic_root` the last operand holds the place of the root in the
    groups for each of the others.

    Constraints of the specification: C1 to C6.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$operands,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<Hlo_Tensor>);
}
def StableHLO_CollectiveReduceOp
    : StableHLO_InferredRegionOp<"collective_reduce", [
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a reduction over a group, of which one process gets the result";
  let description = [{
    As `all_reduce`, for the root of every group of processes; zeros in all
    others. The root is the first process of a group. With `has_dynamic_root`
    the last operand holds the place of the root in the groups for each of the
    others.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$operands,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle,
                       UnitAttr:$use_global_device_ids,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_CollectivePermuteOp
    : StableHLO_InferredOp<"collective_permute"> {
  let summary = "tensors sent from process to process";
  let description = [{
    Every pair of `source_target_pairs` sends the operand of one process to
    another; who receives nothing has zeros.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Hlo_Tensor:$operand,
                       I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_CrossReplicaSumOp
    : StableHLO_InferredOp<"cross-replica-sum"> {
  let summary = "a sum over the replicas of a group";
  let description = [{
    The sum of the operands of all replicas of a group. Kept for programs
    that have it; `all_reduce` says the same.
  }];
  let arguments = (ins Hlo_Tensor:$operand,
                       StableHLO_ReplicaGroupsAttr:$replica_groups);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_ReduceScatterOp : StableHLO_RegionOp<"reduce_scatter"> {
  let summary = "a reduction over a group, of which each process gets a part";
  let description = [{
    As `all_reduce`, of which process `i` of a group gets part `i` along
    `scatter_dimension`.

    Constraints of the specification: C1 to C9.
  }];
  let arguments = (ins Hlo_Tensor:$operand, I64Attr:$scatter_dimension,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_PartitionIdOp : StableHLO_InferredOp<"partition_id", [Pure]> {
  let summary = "the partition of this process";
  let description = [{
    The number of the partition that this process is, as a `ui32`.
  }];
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_ReplicaIdOp : StableHLO_InferredOp<"replica_id", [Pure]> {
  let summary = "the replica of this process";
  let description = [{
    The number of the replica that this process is, as a `ui32`.
  }];
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_AsyncStartOp
    : StableHLO_RegionOp<"async_start", [
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "starts a computation without waiting for it";
  let description = [{
    Begins the collective operation in its region and gives a future of its
    results.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$operands);
  let results = (outs StableHLO_Future:$result);
  let regions = (region SizedRegion<1>:$body);
}
def StableHLO_AsyncDoneOp : StableHLO_InferredOp<"async_done"> {
  let summary = "waits for the results of `async_start`";
  let description = [{
    Waits for the operation that gave the future and returns its results.
  }];
  let arguments = (ins StableHLO_Future:$operand);
  let results = (outs Variadic<StableHLO_Value>:$results);
}

#endif // MAPWRIGHT_STABLEHLO_COLLECTIVES
