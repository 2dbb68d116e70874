//===- Ops.td - all operations of CHLO ------------------------------------===//

#ifndef MAPWRIGHT_CHLO_OPS
#define MAPWRIGHT_CHLO_OPS

include "chlo/Broadcasting.td"
include "chlo/Functions.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

def CHLO_ConstantOp
    : CHLO_Op<"constant", [ConstantLike, Pure, InferTypeOpInterface]> {
  let summary = "a constant";
  let description = [{
    A tensor of the elements of its attribute.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<Hlo_Any>:$output);
  let assemblyFormat = "attr-dict custom<Elements>($value)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &results);
  }];
}
def CHLO_ConstantLikeOp : CHLO_InferredOp<"constant_like", [Pure]> {
  let summary = "a constant of the shape of another tensor";
  let description = [{
    A tensor of the shape of the operand, every element of which is `value`.
  }];
  let arguments = (ins TypedAttrInterface:$value, CHLO_Tensor:$operand);
  let results = (outs CHLO_Tensor:$result);
}
def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot", [Pure]> {
  let summary = "a product in groups of rows of different sizes";
  let description = [{
    As `dot_general`, where groups of rows (or of contracted elements, or of
    batches), whose sizes are values, are multiplied each with a matrix of
    its own.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       Hlo_IntTensor:$group_sizes,
                       CHLO_RaggedDotAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<TypedArrayAttrBase<
                           CHLO_PrecisionAttr, "precision of each operand">>
                           :$precision_config);
  let results = (outs Hlo_Tensor:$result);
}
def CHLO_TopKOp : CHLO_InferredOp<"top_k", [Pure]> {
  let summary = "the largest elements of the last dimension, and their indices";
  let description = [{
    The `k` largest elements of every row in the last dimension, in
    descending order, and their indices; of equal ones the one with the
    lower index comes first, which a program may say that it does not need
    (`is_stable = false`).

    ```mlir
    %values, %indices = chlo.top_k(%operand, k = 2)
      : tensor<5x3xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
    ```
  }];
  let arguments = (ins TensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$operand,
                       I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs TensorOf<[Hlo_Pred, Hlo_Int, Hlo_Float]>:$values,
                      TensorOf<[Hlo_Int]>:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)`
    attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}
def CHLO_ScanOp
    : Hlo_Op<CHLO_Dialect, "scan", [
          RecursiveMemoryEffects, AttrSizedOperandSegments,
          AttrSizedResultSegments, SingleBlock,
          DeclareOpInterfaceMethods<OpAsmOpInterface,
                                    ["getAsmBlockArgumentNames"]>]> {
  let summary = "a computation along a dimension that carries values along";
  let description = [{
    The computation `body` step by step along a dimension of the inputs:
    every step takes the values that the one before it gave on and adds a
    slice to the outputs.

    ```mlir
    %outputs, %carries = chlo.scan(%input) inits (%init) dimension=0  {
    ^bb0(%input_slice: tensor<4xf32>, %carry: tensor<i32>):
      stablehlo.return %input_slice, %carry : tensor<4xf32>, tensor<i32>
    } : (tensor<4x4xf32>, tensor<i32>) -> (tensor<4x4xf32>, tensor<i32>)
    ```
  }];
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

#endif // MAPWRIGHT_CHLO_OPS
