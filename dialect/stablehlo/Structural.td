//===- Structural.td - operations that move elements ----------------------===//

#ifndef MAPWRIGHT_STABLEHLO_STRUCTURAL
#define MAPWRIGHT_STABLEHLO_STRUCTURAL

include "mlir/IR/OpAsmInterface.td"
include "stablehlo/OpAttrs.td"
include "stablehlo/Types.td"

def StableHLO_ConstantOp
    : StableHLO_Op<"constant",
                   [ConstantLike, Pure, InferTypeOpInterface,
                    DeclareOpInterfaceMethods<OpAsmOpInterface,
                                              ["getAsmResultNames"]>]> {
  let summary = "a constant";
  let description = [{
    A tensor of the elements of its attribute.

    ```mlir
    %output = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
    ```

    A quantised constant has a value of the storage type and is written in the
    generic form, which names the result type.

    Constraints of the specification: C1.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<Hlo_Any>:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &results);
    /// A quantised result has another type than the value.
    static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) {
      return true;
    }
  }];
}
def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let summary = "0, 1, 2, … along a dimension";
  let description = [{
    Every element is its own index in dimension `iota_dimension`.

    Constraints of the specification: C1.
  }];
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs RankedTensorOf<[Hlo_Int, Hlo_Float, Hlo_Complex,
                                      Hlo_Quantized]>:$output);
  let assemblyFormat = [{
    `dim` `=` $iota_dimension attr-dict `:` type($output)
  }];
}
def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim", [Pure]> {
  let summary = "elements repeated along new or unit dimensions";
  let description = [{
    Operand dimension `i` becomes result dimension
    `broadcast_dimensions[i]`, repeated where its size is one; the operand
    is repeated along all other dimensions.

    Constraints of the specification: C1 to C6.
  }];
  let arguments = (ins Hlo_Tensor:$operand,
                       Hlo_I64ListAttr:$broadcast_dimensions);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_BroadcastOp : StableHLO_InferredOp<"broadcast", [Pure]> {
  let summary = "elements repeated along new leading dimensions";
  let description = [{
    Repeats the operand along new dimensions of these sizes in front of its
    own. Kept for programs that have it.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_I64ListAttr:$broadcast_sizes);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_ReshapeOp : StableHLO_Op<"reshape", [Pure]> {
  let summary = "the same elements in another shape";
  let description = [{
    The same elements in the same row-major order, under another shape.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Hlo_Tensor:$operand);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_TransposeOp : StableHLO_InferredOp<"transpose", [Pure]> {
  let summary = "a permutation of the dimensions";
  let description = [{
    Result dimension `i` is operand dimension `permutation[i]`.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_I64ListAttr:$permutation);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_ReverseOp : StableHLO_InferredOp<"reverse", [Pure]> {
  let summary = "elements in reverse order along dimensions";
  let description = [{
    The elements in opposite order along each of the dimensions.

    Constraints of the specification: C1 to C3.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_I64ListAttr:$dimensions);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_ConcatenateOp : StableHLO_InferredOp<"concatenate", [Pure]> {
  let summary = "tensors one after the other along a dimension";
  let description = [{
    The inputs one behind the other in one dimension; their other sizes
    agree.

    Constraints of the specification: C1 to C6.
  }];
  let arguments = (ins Variadic<Hlo_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
}
def StableHLO_PadOp : StableHLO_InferredOp<"pad", [Pure]> {
  let summary = "padding at the edges and between elements";
  let description = [{
    Puts the padding value before, after and between the elements of every
    dimension; negative amounts at the edges cut elements off.

    Constraints of the specification: C1 to C4.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_ScalarTensor:$padding_value,
                       Hlo_I64ListAttr:$edge_padding_low,
                       Hlo_I64ListAttr:$edge_padding_high,
                       Hlo_I64ListAttr:$interior_padding);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=`
    $edge_padding_high `,` `interior` `=` $interior_padding attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_SliceOp : StableHLO_InferredOp<"slice", [Pure]> {
  let summary = "a strided box of a tensor";
  let description = [{
    From each dimension every `strides`-th element from `start_indices` up
    to before `limit_indices`.

    ```mlir
    %result = stablehlo.slice %operand [1:3, 4:8:2]
      : (tensor<3x8xi64>) -> tensor<2x2xi64>
    ```

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_I64ListAttr:$start_indices,
                       Hlo_I64ListAttr:$limit_indices,
                       Hlo_I64ListAttr:$strides);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_DynamicSliceOp : StableHLO_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "a box of a tensor at indices known at run time";
  let description = [{
    A box of sizes `slice_sizes`, starting at indices that are values; they
    are moved so that the box is inside of the operand.

    Constraints of the specification: C1 to C5.
  }];
  let arguments = (ins Hlo_Tensor:$operand,
                       Variadic<Hlo_ScalarIntTensor>:$start_indices,
                       Hlo_I64ListAttr:$slice_sizes);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices)
    `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicUpdateSliceOp
    : StableHLO_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "a tensor with a box replaced, at indices known at run time";
  let description = [{
    The operand with a box replaced by `update`, starting at indices that
    are values; they are moved so that the box is inside.

    Constraints of the specification: C1 to C6.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_Tensor:$update,
                       Variadic<Hlo_ScalarIntTensor>:$start_indices);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_GatherOp : StableHLO_InferredOp<"gather", [Pure]> {
  let summary = "slices of a tensor at indices of another one";
  let description = [{
    Every vector of `start_indices` is the place of a slice of the operand,
    moved inside where it is not; the slices are put together, their
    dimensions at `offset_dims` of the result. `indices_are_sorted` is a
    promise.

    Constraints of the specification: C1 to C23.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_IntTensor:$start_indices,
                       StableHLO_GatherAttr:$dimension_numbers,
                       Hlo_I64ListAttr:$slice_sizes,
                       DefaultValuedOptionalAttr<BoolAttr, "false">
                           :$indices_are_sorted);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_TorchIndexSelectOp
    : StableHLO_Op<"torch_index_select", [Pure]> {
  let summary = "slices along one dimension, as `torch.index_select`";
  let description = [{
    The slices of the operand along dimension `dim` at the places of
    `index`, the first `batch_dims` dimensions being common to both. Kept
    for programs that have it.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_IntTensor:$index, I64Attr:$dim,
                       I64Attr:$batch_dims);
  let results = (outs Hlo_Tensor:$result);
}
def StableHLO_GetDimensionSizeOp
    : StableHLO_InferredOp<"get_dimension_size", [Pure]> {
  let summary = "the size of a dimension";
  let description = [{
    The size of a dimension when the program runs, as an `i32`.

    Constraints of the specification: C1.
  }];
  let arguments = (ins Hlo_Tensor:$operand, I64Attr:$dimension);
  let results = (outs Hlo_ScalarSI32Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_SetDimensionSizeOp
    : StableHLO_InferredOp<"set_dimension_size", [Pure]> {
  let summary = "a dimension cut to a size known at run time";
  let description = [{
    The operand with a dimension of which only the first `size` elements
    count. The type keeps the operand's size as a bound.
  }];
  let arguments = (ins Hlo_Tensor:$operand, Hlo_ScalarSI32Tensor:$size,
                       I64Attr:$dimension);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MAPWRIGHT_STABLEHLO_STRUCTURAL
