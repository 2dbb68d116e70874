//===- Arrays.td - arrays made of tensors, and back -----------------------===//

#ifndef MAPWRIGHT_TARRAY_ARRAYS
#define MAPWRIGHT_TARRAY_ARRAYS

include "tarray/Enums.td"
include "tarray/Types.td"

def TArray_FromOffsetsOp : TArray_Op<"from_offsets", [Pure]> {
  let summary = "an array of a buffer of leaves and offsets";
  let description = [{
    The buffer has the leaves, one behind the other, and room for as many as
    the maxima of all levels allow. There is a vector of offsets for each
    level, from the outermost: list `i` of a level has the elements from
    `offsets[i]` to, not including, `offsets[i + 1]` of the next one. The
    outermost level has one list. A level without a maximum has `-1` in `max`;
    sizes behind it are known at run time only.

    What is not well-formed is brought into the range: offsets below the one
    before count as that one, and those beyond the end as the end.

    ```mlir
    %x = tarray.from_offsets %leaves, %o0, %o1
      : tensor<12x4xf32>, tensor<2xi64>, tensor<4xi64> max = [3, 4]
    ```
  }];
  let arguments = (ins TArray_Value:$values, Variadic<TArray_Value>:$offsets,
                       DenseI64ArrayAttr:$max);
  let results = (outs TArray_Array:$result);
  let assemblyFormat = [{
    $values `,` $offsets `max` `=` $max attr-dict `:`
    type($values) `,` type($offsets)
  }];
}
def TArray_ToOffsetsOp : TArray_Op<"to_offsets", [Pure]> {
  let summary = "the buffer of leaves and the offsets of an array";
  let description = [{
    The inverse of `from_offsets`. What the buffer has behind the last leaf is
    not determined; offsets behind the last list are equal to the last one.
    Behind a level without a maximum there is no room for more than what is
    there: those sizes are known at run time only.
  }];
  let arguments = (ins TArray_Value:$x);
  let results = (outs Hlo_Tensor:$values, Variadic<Hlo_Tensor>:$offsets);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def TArray_SlicesOp : TArray_Op<"slices", [Pure]> {
  let summary = "the slices of a tensor along a dimension, as an array";
  let description = [{
    Element `i` is the operand at index `i` of the dimension `dim`, without
    that dimension.

    ```mlir
    %x = tarray.slices %t dim = 1 : tensor<4x8xf32>
    ```

    Of a dimension whose size is known at run time only, `max` says how many
    elements the array may have; slices behind them are left out. Without it
    they are as many as the bound of the size, or any number.

    ```mlir
    %x = tarray.slices %t dim = 0 max = 16 : tensor<?x8xf32>
    ```
  }];
  let arguments = (ins TArray_Value:$x, I64Attr:$dim, OptionalAttr<I64Attr>:$max);
  let results = (outs TArray_Array:$result);
  let assemblyFormat = [{
    $x `dim` `=` $dim (`max` `=` $max^)? attr-dict `:` type($x)
  }];
}
def TArray_ChunksOp : TArray_Op<"chunks", [Pure]> {
  let summary = "a tensor in equal parts along a dimension, as an array";
  let description = [{
    `n` parts, one behind the other, that keep the dimension `dim`. Elements of
    an array have one shape, so `n` divides the size of the dimension.
  }];
  let arguments = (ins TArray_Value:$x, I64Attr:$n, I64Attr:$dim);
  let results = (outs TArray_Array:$result);
  let assemblyFormat = [{
    $x `n` `=` $n `dim` `=` $dim attr-dict `:` type($x)
  }];
}
def TArray_StackOp : TArray_Op<"stack", [Pure]> {
  let summary = "the elements of an array along a new dimension of a tensor";
  let description = [{
    The inverse of `slices`. With `padding` the new dimension has the declared
    maximum as its size, and what is behind the last element is the padding.
    Without it the size is the length of the array, which is known at run time
    only.

    ```mlir
    %t = tarray.stack %x dim = 0 padding %zero
      : !tarray.array<tensor<4xf32>, max = 16>, tensor<f32>
    %u = tarray.stack %x dim = 0 : !tarray.array<tensor<4xf32>, max = 16>
    ```
  }];
  let arguments = (ins TArray_Value:$x, Optional<TArray_Value>:$padding,
                   I64Attr:$dim);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $x `dim` `=` $dim (`padding` $padding^)? attr-dict `:`
    type($x) (`,` type($padding)^)?
  }];
}
def TArray_ConcatenateOp : TArray_Op<"concatenate", [Pure]> {
  let summary = "the elements of an array, one behind the other, as a tensor";
  let description = [{
    The inverse of `chunks`. The dimension `dim` has as its size that of an
    element times the declared maximum; behind the last element is `padding`.
  }];
  let arguments = (ins TArray_Value:$x, TArray_Value:$padding, I64Attr:$dim);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $x `dim` `=` $dim `padding` $padding attr-dict `:`
    type($x) `,` type($padding)
  }];
}
def TArray_ZipOp : TArray_Op<"zip", [Pure]> {
  let summary = "arrays, cut to the length of the shortest";
  let description = [{
    The elements of all results at one index belong together; a loop takes them
    as one. There is a result for each operand.

    ```mlir
    %a, %b = tarray.zip %x, %y : !tarray.array<tensor<f32>, max = 4>,
                                 !tarray.array<tensor<8xi32>, max = 6>
    ```
  }];
  let arguments = (ins Variadic<TArray_Value>:$xs);
  let results = (outs Variadic<TArray_Array>:$results);
  let assemblyFormat = "$xs attr-dict `:` type($xs)";
}

#endif // MAPWRIGHT_TARRAY_ARRAYS
