//===- Shapes.td - operations on shapes -----------------------------------===//

#ifndef MAPWRIGHT_TARRAY_SHAPES
#define MAPWRIGHT_TARRAY_SHAPES

include "mlir/IR/OpAsmInterface.td"
include "tarray/Enums.td"
include "tarray/Types.td"

def TArray_ShapeOp : TArray_Op<"shape", [ConstantLike, Pure]> {
  let summary = "a constant shape";
  let description = [{
    A tuple of sizes, none of which is negative.

    ```mlir
    %s = tarray.shape (2, 3, 4)
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes);
  let results = (outs TArray_Shape:$result);
  let assemblyFormat = "custom<Tuple>($sizes) attr-dict";
  let hasFolder = 1;
}
def TArray_SizeOp : TArray_Op<"size", [Pure]> {
  let summary = "the sizes of a tensor, or one of them";
  let description = [{
    `size(A)`, and with `dim` `size(A, dim)`, which is a number.

    ```mlir
    %s = tarray.size %a : tensor<4x8xf32>
    %n = tarray.size %a dim = 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TArray_Value:$x, OptionalAttr<I64Attr>:$dim);
  let results = (outs TArray_Value:$result);
  let assemblyFormat = "$x (`dim` `=` $dim^)? attr-dict `:` type($x)";
  let hasFolder = 1;
}
def TArray_LengthOp : TArray_Op<"length", [Pure]> {
  let summary = "the number of elements of an array";
  let description = [{
    `len(X)`, between 0 and the declared maximum.
  }];
  let arguments = (ins TArray_Value:$x);
  let results = (outs TArray_Number:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def TArray_NumelOp : TArray_Op<"numel", [Pure]> {
  let summary = "the number of elements of tensors of a shape";
  let description = [{
    The product of the sizes; 1 for the empty tuple.
  }];
  let arguments = (ins TArray_Value:$shape);
  let results = (outs TArray_Number:$result);
  let assemblyFormat = "$shape attr-dict `:` type($shape)";
  let hasFolder = 1;
}
def TArray_NdimsOp : TArray_Op<"ndims", [Pure]> {
  let summary = "the number of dimensions of a shape";
  let description = [{
    How many sizes the tuple has.
  }];
  let arguments = (ins TArray_Value:$shape);
  let results = (outs TArray_Number:$result);
  let assemblyFormat = "$shape attr-dict `:` type($shape)";
  let hasFolder = 1;
}
def TArray_AddOp : TArray_Op<"add", [Pure]> {
  let summary = "two shapes, one behind the other";
  let description = [{
    `add((1, 2, 3), (4, 5)) = (1, 2, 3, 4, 5)`.
  }];
  let arguments = (ins TArray_Value:$lhs, TArray_Value:$rhs);
  let results = (outs TArray_Shape:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)
  }];
  let hasFolder = 1;
}
def TArray_InsertOp : TArray_Op<"insert", [Pure]> {
  let summary = "a shape with one more size";
  let description = [{
    `insert((1, 2, 3), 1, 5) = (1, 5, 2, 3)`: the new size has the position
    `pos`. A negative value counts as zero.

    ```mlir
    %t = tarray.insert %s, 1, %n : !tarray.shape<3>, tensor<i64>
    ```
  }];
  let arguments = (ins TArray_Value:$shape, I64Attr:$pos, TArray_Number:$value);
  let results = (outs TArray_Shape:$result);
  let assemblyFormat = [{
    $shape `,` $pos `,` $value attr-dict `:` type($shape) `,` type($value)
  }];
  let hasFolder = 1;
}
def TArray_DelOp : TArray_Op<"del", [Pure]> {
  let summary = "a shape without one of its sizes";
  let description = [{
    `del((2, 3, 4), 1) = (2, 4)`.
  }];
  let arguments = (ins TArray_Value:$shape, I64Attr:$pos);
  let results = (outs TArray_Shape:$result);
  let assemblyFormat = "$shape `,` $pos attr-dict `:` type($shape)";
  let hasFolder = 1;
}
def TArray_ReplaceOp : TArray_Op<"replace", [Pure]> {
  let summary = "a shape with another size in one place";
  let description = [{
    `replace((2, 3, 4), 1, 5) = (2, 5, 4)`. A negative value counts as zero.
  }];
  let arguments = (ins TArray_Value:$shape, I64Attr:$pos, TArray_Number:$value);
  let results = (outs TArray_Shape:$result);
  let assemblyFormat = [{
    $shape `,` $pos `,` $value attr-dict `:` type($shape) `,` type($value)
  }];
  let hasFolder = 1;
}
def TArray_CartesianProductOp : TArray_Op<"cartesian_product", [Pure]> {
  let summary = "all tuples of an element of each operand";
  let description = [{
    A row for each tuple; the first operand runs fastest:
    `cartesian_product((2, 3, 4), (0, 1))` is `(2, 0), (3, 0), (4, 0), (2, 1),
    (3, 1), (4, 1)`, a tensor of the type `tensor<6x2xi64>`.
  }];
  let arguments = (ins Variadic<TArray_Value>:$shapes);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = "$shapes attr-dict `:` type($shapes)";
}
def TArray_MeshgridOp : TArray_Op<"meshgrid", [Pure]> {
  let summary = "grids of coordinates";
  let description = [{
    A tensor for each operand, with the operand's elements along its own
    dimension and repeated along the others. In the order `ij` the dimensions
    are those of the operands, in the order `xy` the first two of them are
    exchanged, as NumPy has it.

    ```mlir
    %x, %y = tarray.meshgrid xy %s, %t : !tarray.shape<3>, !tarray.shape<2>
    ```
  }];
  let arguments = (ins TArray_GridOrderAttr:$order,
                       Variadic<TArray_Value>:$shapes);
  let results = (outs Variadic<Hlo_Tensor>:$results);
  let assemblyFormat = "$order $shapes attr-dict `:` type($shapes)";
}
def TArray_ArangeOp : TArray_Op<"arange", [Pure]> {
  let summary = "numbers at equal distances";
  let description = [{
    `start`, `start + step`, … below `stop` (above it for a negative step), at
    most `max` of them where it is there. A step of zero gives none.

    ```mlir
    %i = tarray.arange %start, %stop, %step max = 16
      : tensor<i64>, tensor<i64>, tensor<i64>
    ```
  }];
  let arguments = (ins TArray_Number:$start, TArray_Number:$stop,
                       TArray_Number:$step, OptionalAttr<I64Attr>:$max);
  let results = (outs TArray_Array:$result);
  let assemblyFormat = [{
    $start `,` $stop `,` $step (`max` `=` $max^)? attr-dict `:`
    type($start) `,` type($stop) `,` type($step)
  }];
}

#endif // MAPWRIGHT_TARRAY_SHAPES
