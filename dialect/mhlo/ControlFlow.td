//===- ControlFlow.td - computations, calls, communication ----------------===//

#ifndef MAPWRIGHT_MHLO_CONTROLFLOW
#define MAPWRIGHT_MHLO_CONTROLFLOW

include "mhlo/OpAttrs.td"
include "mhlo/Types.td"
include "mlir/IR/OpAsmInterface.td"

// An operation with one computation and no syntax of its own.
class MHLO_ComputationOp<string mnemonic, string what, dag ins, dag outs,
                         dag computation, list<Trait> traits = []>
    : MHLO_RegionOp<mnemonic, [RecursiveMemoryEffects] # traits> {
  let summary = what;
  let arguments = ins;
  let results = outs;
  let regions = computation;
}

def MHLO_ReturnOp : MHLO_Op<"return", [Pure, Terminator]> {
  let summary = "the results of a region";
  let arguments = (ins Variadic<MHLO_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}
def MHLO_ReduceOp
    : MHLO_RegionOp<"reduce", [RecursiveMemoryEffects, SameVariadicOperandSize,
                               SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "reduction along dimensions";
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Variadic<Hlo_Tensor>:$init_values,
                       MHLO_DimsAttr:$dimensions);
  let results = (outs Variadic<Hlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def MHLO_ReduceWindowOp : MHLO_ComputationOp<"reduce_window",
    "reduction of every window of the inputs",
    (ins Variadic<Hlo_Tensor>:$inputs, Variadic<Hlo_Tensor>:$init_values,
         MHLO_DimsAttr:$window_dimensions,
         MHLO_OptionalDimsAttr:$window_strides,
         MHLO_OptionalDimsAttr:$base_dilations,
         MHLO_OptionalDimsAttr:$window_dilations,
         OptionalAttr<I64ElementsAttr>:$padding),
    (outs Variadic<Hlo_Tensor>), (region SizedRegion<1>:$body),
    [SameVariadicOperandSize]>;
def MHLO_SelectAndScatterOp : MHLO_ComputationOp<"select_and_scatter",
    "values scattered to the selected element of every window",
    (ins Hlo_Tensor:$operand, Hlo_Tensor:$source, Hlo_Tensor:$init_value,
         MHLO_OptionalDimsAttr:$window_dimensions,
         MHLO_OptionalDimsAttr:$window_strides,
         OptionalAttr<I64ElementsAttr>:$padding),
    (outs Hlo_Tensor:$result),
    (region SizedRegion<1>:$select, SizedRegion<1>:$scatter)>;
def MHLO_ScatterOp : MHLO_ComputationOp<"scatter",
    "updates of slices of the inputs at indices",
    (ins Variadic<Hlo_Tensor>:$inputs,
         Hlo_ScatterIndexTensor:$scatter_indices,
         Variadic<Hlo_Tensor>:$updates,
         MHLO_ScatterAttr:$scatter_dimension_numbers,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices),
    (outs Variadic<Hlo_Tensor>), (region SizedRegion<1>:$update_computation),
    [SameVariadicOperandSize]>;
def MHLO_SortOp : MHLO_ComputationOp<"sort", "sort along a dimension",
    (ins Variadic<Hlo_Tensor>:$inputs,
         DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable),
    (outs Variadic<Hlo_Tensor>), (region SizedRegion<1>:$comparator)>;
def MHLO_MapOp : MHLO_ComputationOp<"map",
    "a computation applied to every element",
    (ins Variadic<Hlo_Tensor>:$inputs, MHLO_DimsAttr:$dimensions),
    (outs Hlo_Tensor:$result), (region SizedRegion<1>:$computation)>;
def MHLO_FusionOp : MHLO_ComputationOp<"fusion",
    "operations that the frontend or XLA fused",
    (ins Variadic<MHLO_Value>:$inputs,
         OptionalAttr<MHLO_FusionKindAttr>:$fusion_kind,
         OptionalAttr<MHLO_ArrayOfAliasesAttr>:$output_operand_aliases),
    (outs Variadic<MHLO_Value>:$results),
    (region SizedRegion<1>:$fused_computation)>;
def MHLO_WhileOp
    : MHLO_RegionOp<"while", [RecursiveMemoryEffects,
                              SingleBlockImplicitTerminator<"ReturnOp">,
                              DeclareOpInterfaceMethods<
                                  OpAsmOpInterface,
                                  ["getAsmBlockArgumentNames"]>]> {
  let summary = "a loop";
  let arguments = (ins Variadic<MHLO_Value>:$operand);
  let results = (outs Variadic<MHLO_Value>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def MHLO_CaseOp : MHLO_ComputationOp<"case",
    "one of several computations, chosen by an index",
    (ins 0DTensorOf<[I32]>:$index), (outs Variadic<MHLO_Value>),
    (region VariadicRegion<SizedRegion<1>>:$branches)>;
def MHLO_IfOp : MHLO_ComputationOp<"if", "one of two computations",
    (ins Hlo_ScalarPredTensor:$pred), (outs Variadic<MHLO_Value>),
    (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch)>;
def MHLO_OptimizationBarrierOp : MHLO_Op<"optimization_barrier", [Pure]> {
  let summary = "values that no optimisation moves computations across";
  let arguments = (ins Variadic<MHLO_TensorOrToken>:$operand);
  let results = (outs Variadic<MHLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand),
                                                    type($result)))
              : (`(` `)`)?
  }];
}
def MHLO_CompositeOp : MHLO_Op<"composite"> {
  let summary = "a named operation that is defined by a function";
  let arguments = (ins Variadic<MHLO_Value>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<
                           DictionaryAttr,
                           "::llvm::ArrayRef<::mlir::NamedAttribute>()">
                           :$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<MHLO_Value>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name $inputs (` ` `(` $composite_regions^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
}
def MHLO_CustomCallOp
    : MHLO_Op<"custom_call",
              [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a call of something that the backend knows";
  let arguments = (ins
      Variadic<MHLO_CustomCallValue>:$inputs, StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
      DefaultValuedOptionalAttr<
          MHLO_CustomCallApiVersionAttr,
          "::mapwright::mhlo::CustomCallApiVersion::API_VERSION_ORIGINAL">
          :$api_version,
      DefaultValuedOptionalAttr<MHLO_FlatSymbolRefArrayAttr, "{}">
          :$called_computations,
      DefaultValuedOptionalAttr<
          MHLO_CustomCallScheduleAttr,
          "::mapwright::mhlo::CustomCallSchedule::NONE">:$custom_call_schedule,
      OptionalAttr<MHLO_ArrayOfLayoutAttr>:$operand_layouts,
      OptionalAttr<MHLO_ArrayOfLayoutAttr>:$result_layouts,
      DefaultValuedOptionalAttr<MHLO_ArrayOfAliasesAttr, "{}">
          :$output_operand_aliases);
  let results = (outs Variadic<MHLO_CustomCallValue>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
    functional-type(operands, results)
  }];
}
def MHLO_TupleOp : MHLO_Op<"tuple", [Pure]> {
  let summary = "a tuple of values";
  let arguments = (ins Variadic<MHLO_Value>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
}
def MHLO_GetTupleElementOp : MHLO_Op<"get_tuple_element", [Pure]> {
  let summary = "an element of a tuple";
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs MHLO_Value:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
}
def MHLO_AfterAllOp : MHLO_Op<"after_all", [Pure]> {
  let summary = "a token after all of its operands";
  let arguments = (ins Variadic<MHLO_Token>:$inputs);
  let results = (outs MHLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:`
    custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs),
                                              type($result))
  }];
}
def MHLO_AddDependencyOp : MHLO_Op<"add_dependency", [Pure]> {
  let summary = "the operand, after the token";
  let arguments = (ins MHLO_TensorOrToken:$operand, MHLO_Token:$token);
  let results = (outs MHLO_TensorOrToken:$output);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}
def MHLO_CreateTokenOp : MHLO_Op<"create_token", [Pure]> {
  let summary = "a new token";
  let results = (outs MHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def MHLO_TraceOp : MHLO_Op<"trace"> {
  let summary = "logs the operand";
  let arguments = (ins Hlo_Tensor:$operand, StrAttr:$tag);
  let assemblyFormat = "$operand `,` $tag attr-dict `:` type($operand)";
}
def MHLO_DomainOp : MHLO_Op<"domain", [Pure]> {
  let summary = "the border between two domains of metadata";
  let arguments = (ins MHLO_TensorOrToken:$operand, MHLO_DomainKindAttr:$kind,
                       StrAttr:$entry_metadata, StrAttr:$exit_metadata);
  let results = (outs MHLO_TensorOrToken:$result);
}

// Communication; the operations have effects on other processes.
class MHLO_EffectOp<string mnemonic, string what, dag ins, dag outs>
    : MHLO_Op<mnemonic> {
  let summary = what;
  let arguments = ins;
  let results = outs;
}
def MHLO_InfeedOp : MHLO_EffectOp<"infeed", "data from the infeed",
    (ins MHLO_Token:$token,
         DefaultValuedAttr<StrAttr, "\"\"">:$infeed_config,
         OptionalAttr<ArrayAttr>:$layout),
    (outs Variadic<MHLO_Value>)>;
def MHLO_OutfeedOp : MHLO_EffectOp<"outfeed", "data to the outfeed",
    (ins Variadic<Hlo_Tensor>:$inputs, MHLO_Token:$token,
         DefaultValuedAttr<StrAttr, "\"\"">:$outfeed_config),
    (outs MHLO_Token:$result)>;
def MHLO_SendOp : MHLO_EffectOp<"send", "data to another process or the host",
    (ins Variadic<Hlo_Tensor>:$inputs, MHLO_Token:$token,
         MHLO_ChannelHandleAttr:$channel_handle,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
         OptionalAttr<I64ElementsAttr>:$source_target_pairs),
    (outs AnyTypeOf<[MHLO_Token, MHLO_AsyncBundle]>:$result)>;
def MHLO_RecvOp : MHLO_EffectOp<"recv", "data from another process or the host",
    (ins MHLO_Token:$token, MHLO_ChannelHandleAttr:$channel_handle,
         DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
         OptionalAttr<I64ElementsAttr>:$source_target_pairs),
    (outs Variadic<MHLO_Value>)>;
def MHLO_AllGatherOp : MHLO_EffectOp<"all_gather",
    "the tensors of all processes of a group, concatenated",
    (ins Variadic<Hlo_Tensor>:$operands, I64Attr:$all_gather_dim,
         MHLO_ReplicaGroupsAttr:$replica_groups,
         OptionalAttr<MHLO_ChannelHandleAttr>:$channel_handle,
         UnitAttr:$use_global_device_ids),
    (outs Variadic<Hlo_Tensor>)>;
def MHLO_AllReduceOp : MHLO_RegionOp<"all_reduce"> {
  let summary = "a reduction over all processes of a group";
  let arguments = (ins Variadic<MHLO_Value>:$operands,
                       MHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<MHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<MHLO_Value>);
  let regions = (region SizedRegion<1>:$computation);
}
def MHLO_AllToAllOp : MHLO_EffectOp<"all_to_all",
    "parts exchanged between all processes of a group",
    (ins Variadic<Hlo_Tensor>:$operand, OptionalAttr<I64Attr>:$split_dimension,
         OptionalAttr<I64Attr>:$concat_dimension,
         OptionalAttr<I64Attr>:$split_count, MHLO_ReplicaGroupsAttr:$replica_groups,
         OptionalAttr<MHLO_ChannelHandleAttr>:$channel_handle),
    (outs Variadic<Hlo_Tensor>)>;
def MHLO_CollectiveBroadcastOp : MHLO_EffectOp<"collective_broadcast",
    "the tensor of the first process of a group, in all of them",
    (ins Hlo_Tensor:$operand, MHLO_ReplicaGroupsAttr:$replica_groups,
         OptionalAttr<MHLO_ChannelHandleAttr>:$channel_handle),
    (outs Hlo_Tensor:$result)>;
def MHLO_CollectivePermuteOp : MHLO_EffectOp<"collective_permute",
    "tensors sent from process to process",
    (ins Hlo_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
         OptionalAttr<MHLO_ChannelHandleAttr>:$channel_handle),
    (outs Hlo_Tensor:$result)>;
def MHLO_CrossReplicaSumOp : MHLO_EffectOp<"cross-replica-sum",
    "a sum over the replicas of a group",
    (ins Hlo_Tensor:$operand, MHLO_ReplicaGroupsAttr:$replica_groups),
    (outs Hlo_Tensor:$result)>;
def MHLO_ReduceScatterOp : MHLO_RegionOp<"reduce_scatter"> {
  let summary = "a reduction over a group, of which each process gets a part";
  let arguments = (ins Hlo_Tensor:$operand, I64Attr:$scatter_dimension,
                       MHLO_ReplicaGroupsAttr:$replica_groups,
                       OptionalAttr<MHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Hlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}
def MHLO_ScanOp
    : MHLO_RegionOp<"scan", [
          RecursiveMemoryEffects, AttrSizedOperandSegments,
          AttrSizedResultSegments, SingleBlock]> {
  let summary = "a computation along a dimension that carries values along";
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs,
                       Variadic<Hlo_Tensor>:$inits, I64Attr:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<Hlo_Tensor>:$outputs,
                      Variadic<Hlo_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def MHLO_PartitionIdOp : MHLO_Op<"partition_id", [Pure]> {
  let summary = "the partition of this process";
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def MHLO_ReplicaIdOp : MHLO_Op<"replica_id", [Pure]> {
  let summary = "the replica of this process";
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def MHLO_AsyncStartOp : MHLO_EffectOp<"async_start",
    "starts a function without waiting for it",
    (ins Variadic<MHLO_Value>:$inputs, FlatSymbolRefAttr:$called_computation,
         StrAttr:$execution_thread),
    (outs MHLO_AsyncBundle:$result)>;
def MHLO_AsyncUpdateOp : MHLO_EffectOp<"async_update",
    "a later state of an asynchronous call", (ins MHLO_AsyncBundle:$bundle),
    (outs MHLO_AsyncBundle:$result)>;
def MHLO_AsyncDoneOp : MHLO_EffectOp<"async_done",
    "waits for the results of an asynchronous call",
    (ins MHLO_AsyncBundle:$bundle), (outs Variadic<MHLO_Value>:$results)>;

#endif // MAPWRIGHT_MHLO_CONTROLFLOW
