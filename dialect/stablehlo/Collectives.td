//===- Collectives.td - communication between processes -------------------===//

#ifndef MAPWRIGHT_STABLEHLO_COLLECTIVES
#define MAPWRIGHT_STABLEHLO_COLLECTIVES

include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_AllGatherOp : StableHLO_Op<"all_gather"> {
  let summary = "the tensors of all processes of a group, concatenated";
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
  let summary = "the tensor of the first process of a group, in all of them";
  let arguments = (ins Hlo_Tensor:$operand,
                       StableHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_CollectivePermuteOp
    : StableHLO_InferredOp<"collective_permute"> {
  let summary = "tensors sent from process to process";
  let arguments = (ins Hlo_Tensor:$operand,
                       I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<StableHLO_ChannelHandleAttr>
                           :$channel_handle);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_CrossReplicaSumOp
    : StableHLO_InferredOp<"cross-replica-sum"> {
  let summary = "a sum over the replicas of a group";
  let arguments = (ins Hlo_Tensor:$operand,
                       StableHLO_ReplicaGroupsAttr:$replica_groups);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_ReduceScatterOp : StableHLO_RegionOp<"reduce_scatter"> {
  let summary = "a reduction over a group, of which each process gets a part";
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
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_ReplicaIdOp : StableHLO_InferredOp<"replica_id", [Pure]> {
  let summary = "the replica of this process";
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_AsyncStartOp
    : StableHLO_RegionOp<"async_start", [
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "starts a computation without waiting for it";
  let arguments = (ins Variadic<StableHLO_Value>:$operands);
  let results = (outs StableHLO_Future:$result);
  let regions = (region SizedRegion<1>:$body);
}
def StableHLO_AsyncDoneOp : StableHLO_InferredOp<"async_done"> {
  let summary = "waits for the results of `async_start`";
  let arguments = (ins StableHLO_Future:$operand);
  let results = (outs Variadic<StableHLO_Value>:$results);
}

#endif // MAPWRIGHT_STABLEHLO_COLLECTIVES
