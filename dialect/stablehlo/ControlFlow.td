//===- ControlFlow.td - control flow, calls, tuples, tokens ---------------===//

#ifndef MAPWRIGHT_STABLEHLO_CONTROLFLOW
#define MAPWRIGHT_STABLEHLO_CONTROLFLOW

include "mlir/IR/OpAsmInterface.td"
include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let summary = "the results of a region";
  let description = [{
    Ends a region of an operation and gives its results.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}
def StableHLO_WhileOp
    : StableHLO_InferredRegionOp<"while", [
          RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
          DeclareOpInterfaceMethods<OpAsmOpInterface,
                                    ["getAsmBlockArgumentNames"]>]> {
  let summary = "a loop";
  let description = [{
    Computes `body` on the values again and again, for as long as `cond` of
    them is true; the results are the last values.

    ```mlir
    %results:2 = stablehlo.while(%i = %init_i, %sum = %init_sum)
        : tensor<i64>, tensor<i64>
    cond {
      %0 = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %1 = stablehlo.add %sum, %one : tensor<i64>
      %2 = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %2, %1 : tensor<i64>, tensor<i64>
    }
    ```

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$operand);
  let results = (outs Variadic<StableHLO_Value>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def StableHLO_CaseOp
    : StableHLO_InferredRegionOp<"case", [
          RecursiveMemoryEffects, RecursivelySpeculatable,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "one of several computations, chosen by an index";
  let description = [{
    Computes the region that `index` numbers, or the last one where there is
    none of that number; the results are what the region returns.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins 0DTensorOf<[I32]>:$index);
  let results = (outs Variadic<StableHLO_Value>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
}
def StableHLO_IfOp
    : StableHLO_InferredRegionOp<"if", [
          RecursiveMemoryEffects, RecursivelySpeculatable,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "one of two computations";
  let description = [{
    Computes `true_branch` or `false_branch`, by `pred`; the results are
    what the region returns.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Hlo_ScalarPredTensor:$pred);
  let results = (outs Variadic<StableHLO_Value>);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
}
def StableHLO_OptimizationBarrierOp
    : StableHLO_InferredOp<"optimization_barrier", [Pure]> {
  let summary = "values that no optimisation moves computations across";
  let description = [{
    The operands as they are. All of them are computed before any user of
    the results is.

    Constraints of the specification: C1.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$operand);
  let results = (outs Variadic<StableHLO_Value>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand),
                                                    type($result)))
              : (`(` `)`)?
  }];
}
def StableHLO_CompositeOp
    : StableHLO_Op<"composite"> {
  let summary = "a named operation that is defined by a function";
  let description = [{
    Something with a name, attributes and a version that a backend may know;
    who does not calls the function `decomposition` instead, which takes
    nothing of the regions.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<
                           DictionaryAttr, "::llvm::ArrayRef<::mlir::NamedAttribute>()">
                           :$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<StableHLO_Value>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name $inputs (` ` `(` $composite_regions^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_CustomCallOp
    : StableHLO_Op<"custom_call", [DeclareOpInterfaceMethods<
                                      MemoryEffectsOpInterface>]> {
  let summary = "a call of something that the backend knows";
  let description = [{
    Calls `call_target_name` of the backend, which the specification says
    nothing about. The attributes say how, with which layouts, and which
    results are in the memory of which operands.

    ```mlir
    %results = stablehlo.custom_call @foo(%input)
      {backend_config = {bar = 42 : i32}, api_version = 4 : i32}
      : (tensor<f64>) -> tensor<f64>
    ```
  }];
  let arguments = (ins
      Variadic<StableHLO_CustomCallValue>:$inputs, StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
      DefaultValuedOptionalAttr<
          StableHLO_CustomCallApiVersionAttr,
          "::mapwright::stablehlo::CustomCallApiVersion::"
          "API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<StableHLO_FlatSymbolRefArrayAttr, "{}">
          :$called_computations,
      OptionalAttr<StableHLO_ArrayOfLayoutAttr>:$operand_layouts,
      OptionalAttr<StableHLO_ArrayOfLayoutAttr>:$result_layouts,
      DefaultValuedOptionalAttr<StableHLO_ArrayOfAliasesAttr, "{}">
          :$output_operand_aliases);
  let results = (outs Variadic<StableHLO_CustomCallValue>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_TupleOp : StableHLO_InferredOp<"tuple", [Pure]> {
  let summary = "a tuple of values";
  let description = [{
    A tuple of the operands. Kept for programs that have it.

    Constraints of the specification: C1.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
}
def StableHLO_GetTupleElementOp
    : StableHLO_InferredOp<"get_tuple_element", [Pure]> {
  let summary = "an element of a tuple";
  let description = [{
    Element `index` of a tuple. Kept for programs that have it.

    Constraints of the specification: C1, C2.
  }];
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs StableHLO_Value:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_AfterAllOp : StableHLO_InferredOp<"after_all", [Pure]> {
  let summary = "a token after all of its operands";
  let description = [{
    A token that is there when all operands are: what takes it happens after
    them.
  }];
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:`
    custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs),
                                              type($result))
  }];
}
def StableHLO_CreateTokenOp : StableHLO_InferredOp<"create_token", [Pure]> {
  let summary = "a new token";
  let description = [{
    A token that depends on nothing. Kept for programs that have it;
    `after_all` without operands is the same.
  }];
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_InfeedOp : StableHLO_Op<"infeed"> {
  let summary = "data from the infeed";
  let description = [{
    Reads tensors from the stream that the backend is fed with, after
    `token`; `infeed_config` and `layout` are for the backend.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins StableHLO_Token:$token,
                       DefaultValuedAttr<StrAttr, "\"\"">
                           :$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<StableHLO_Value>);
}
def StableHLO_OutfeedOp : StableHLO_InferredOp<"outfeed"> {
  let summary = "data to the outfeed";
  let description = [{
    Writes tensors to the stream that the backend feeds, after `token`;
    `outfeed_config` is for the backend.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, StableHLO_Token:$token,
                       DefaultValuedAttr<StrAttr, "\"\"">
                           :$outfeed_config);
  let results = (outs StableHLO_Token:$result);
}
def StableHLO_SendOp : StableHLO_InferredOp<"send"> {
  let summary = "data to another process or the host";
  let description = [{
    Sends tensors over a channel, to another process or, with
    `is_host_transfer`, to the host.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, StableHLO_Token:$token,
                       StableHLO_ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">
                           :$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_Token:$result);
}
def StableHLO_RecvOp : StableHLO_Op<"recv"> {
  let summary = "data from another process or the host";
  let description = [{
    Receives tensors over a channel, from another process or, with
    `is_host_transfer`, from the host.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins StableHLO_Token:$token,
                       StableHLO_ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">
                           :$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<StableHLO_TensorOrToken>);
}

#endif // MAPWRIGHT_STABLEHLO_CONTROLFLOW
