//===- Access.td - single elements, several of them, and layouts ----------===//

#ifndef MAPWRIGHT_TARRAY_ACCESS
#define MAPWRIGHT_TARRAY_ACCESS

include "tarray/Enums.td"
include "tarray/Types.td"

def TArray_IndexOp : TArray_Op<"index", [Pure]> {
  let summary = "one element";
  let description = [{
    Of a Tensor the scalar at an index (a shape, or a vector of integers) with
    as many numbers as it has dimensions; of a TensorArray the element (a tensor or an array) that is
    reached by as many steps into the nest as the index has numbers.

    ```mlir
    %y = tarray.index %x at %i : !tarray.array<tensor<4xf32>, max = 16>, !tarray.shape<1>
    ```
  }];
  let arguments = (ins TArray_Value:$x, TArray_Value:$at);
  let results = (outs TArray_Value:$result);
  let assemblyFormat = "$x `at` $at attr-dict `:` type($x) `,` type($at)";
}
def TArray_IndexUpdateOp : TArray_Op<"index_update", [Pure]> {
  let summary = "a tensor or array with one element changed";
  let description = [{
    `index_add` and its like: the operand, whose element at the index is put
    together with `value` (`add`, `mul`, `max`, `min`) or becomes it (`set`).
    The element is a scalar of a Tensor, or a leaf of a TensorArray. Outside of
    it nothing is changed.

    ```mlir
    %y = tarray.index_update add %x, %v at %i : tensor<4x8xf32>, tensor<f32>, !tarray.shape<2>
    ```
  }];
  let arguments = (ins TArray_UpdateAttr:$update, TArray_Value:$x,
                       TArray_Value:$value, TArray_Value:$at);
  let results = (outs TArray_Value:$result);
  let assemblyFormat = [{
    $update $x `,` $value `at` $at attr-dict `:`
    type($x) `,` type($value) `,` type($at)
  }];
}
def TArray_GatherOp : TArray_Op<"gather", [Pure]> {
  let summary = "several slices or elements, or what they are together";
  let description = [{
    Of a Tensor the slices at the indices along the dimension `dim`, of an
    array of tensors the elements there. `gather_max`, `gather_min`,
    `gather_mean` and `gather_sum` put all of them together to one, element by
    element; without any the results are the identity of the operation (NaN for
    the mean).

    A matrix has an index of several numbers in each row, as those that
    `cartesian_product` gives: the slices of a Tensor along its first
    dimensions, as many as an index has numbers.

    ```mlir
    %v = tarray.gather %x at %r : tensor<4x8xf32>, tensor<6x2xi64>
    %y = tarray.gather %x at %i dim = 0 : tensor<4x8xf32>, tensor<3xi64>
    %z = tarray.gather sum %a at %i : !tarray.array<tensor<8xf32>, max = 4>, tensor<3xi64>
    ```
  }];
  let arguments = (ins OptionalAttr<TArray_PoolAttr>:$pool, TArray_Value:$x,
                       TArray_Value:$at, OptionalAttr<I64Attr>:$dim);
  let results = (outs TArray_Value:$result);
  let assemblyFormat = [{
    custom<Pool>($pool) $x `at` $at (`dim` `=` $dim^)? attr-dict `:`
    type($x) `,` type($at)
  }];
}
def TArray_ScatterOp : TArray_Op<"scatter", [Pure]> {
  let summary = "a tensor or array with several slices or elements changed";
  let description = [{
    The dual of `gather`: slice `k` of `updates` (element `k` of an array) goes
    to the index `at[k]`. `scatter_max`, `scatter_min`, `scatter_mean` and
    `scatter_sum` put what is there together with all that goes there; without
    any of them, one of those that go there is what stays. Outside of it
    nothing is changed.

    ```mlir
    %y = tarray.scatter sum %x, %u at %i dim = 0
      : tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xi64>
    ```
  }];
  let arguments = (ins OptionalAttr<TArray_PoolAttr>:$pool, TArray_Value:$x,
                       TArray_Value:$updates, TArray_Value:$at,
                       OptionalAttr<I64Attr>:$dim);
  let results = (outs TArray_Value:$result);
  let assemblyFormat = [{
    custom<Pool>($pool) $x `,` $updates `at` $at (`dim` `=` $dim^)? attr-dict `:`
    type($x) `,` type($updates) `,` type($at)
  }];
}
def TArray_EmbeddingOp : TArray_Op<"embedding", [Pure]> {
  let summary = "a slice of a table for each of a list of numbers";
  let description = [{
    `Z[i] = slice(Y, X[i], dim, keep_dim = false)`: the result has the shape
    `(N) + del(S(Y), dim)`. Of an array of numbers it is an array of the same
    lists.

    ```mlir
    %z = tarray.embedding %x in %table dim = 1 : tensor<16xi32>, tensor<512x1000xf32>
    ```
  }];
  let arguments = (ins TArray_Value:$x, TArray_Value:$table, I64Attr:$dim);
  let results = (outs TArray_Value:$result);
  let assemblyFormat = [{
    $x `in` $table `dim` `=` $dim attr-dict `:` type($x) `,` type($table)
  }];
}
def TArray_SliceOp : TArray_Op<"slice", [Pure]> {
  let summary = "a part of a tensor along one dimension";
  let description = [{
    The indices `start`, `start + stride`, … below `end` of the dimension `dim`.
    With `keep_dim` it is one index alone: the dimension stays, with the size 1
    (`keep_dim = true`), or not (`keep_dim = false`). In the place of the range
    there may be a number that is known at run time.

    ```mlir
    %a = tarray.slice %x [1 : 2 : 8] dim = 1 : tensor<4x8xf32>
    %b = tarray.slice %x [3 : 1 : 4] dim = 1 keep_dim = false : tensor<4x8xf32>
    %c = tarray.slice %x at %i dim = 0 keep_dim = true : tensor<4x8xf32>, tensor<i64>
    ```
  }];
  let arguments = (ins TArray_Value:$x, Optional<TArray_Number>:$at,
                       OptionalAttr<DenseI64ArrayAttr>:$range, I64Attr:$dim,
                       OptionalAttr<BoolAttr>:$keep_dim);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $x custom<SliceRange>($range) (`at` $at^)? `dim` `=` $dim
    (`keep_dim` `=` $keep_dim^)? attr-dict `:` type($x) (`,` type($at)^)?
  }];
}
def TArray_TransposeOp : TArray_Op<"transpose", [Pure]> {
  let summary = "a tensor with its dimensions in another order";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the operand.
  }];
  let arguments = (ins TArray_Value:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$x `dims` `=` $permutation attr-dict `:` type($x)";
}
def TArray_ReshapeOp : TArray_Op<"reshape", [Pure]> {
  let summary = "the elements of a tensor in another shape";
  let description = [{
    The elements in row-major order. One of the sizes may be -1: it follows from
    the others. Of a tensor with sizes that are known at run time only as many
    may be -1 while the others have as many elements as before: they stay.

    ```mlir
    %y = tarray.reshape %x to (2, -1) : tensor<4x8xf32>
    %z = tarray.reshape %b to (-1, -1, 8, 64) : tensor<?x?x512xf32>
    ```
  }];
  let arguments = (ins TArray_Value:$x, DenseI64ArrayAttr:$shape);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$x `to` custom<Tuple>($shape) attr-dict `:` type($x)";
}
def TArray_SqueezeOp : TArray_Op<"squeeze", [Pure]> {
  let summary = "a tensor without a dimension of size 1";
  let description = [{
    The dimension `dim`, whose size is 1, is left out.
  }];
  let arguments = (ins TArray_Value:$x, I64Attr:$dim);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$x `dim` `=` $dim attr-dict `:` type($x)";
}
def TArray_UnsqueezeOp : TArray_Op<"unsqueeze", [Pure]> {
  let summary = "a tensor with one more dimension, of size 1";
  let description = [{
    The new dimension has the position `dim` in the result.
  }];
  let arguments = (ins TArray_Value:$x, I64Attr:$dim);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$x `dim` `=` $dim attr-dict `:` type($x)";
}

#endif // MAPWRIGHT_TARRAY_ACCESS
