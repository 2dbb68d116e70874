//===- Loops.td - loops with a body ---------------------------------------===//
//
// All of them are written alike: what comes before the list, then `%e in %x`
// for what is gone through, whose elements are the arguments of the body, and
// `%a = %x` for what the body gets as a whole, or carries along. The types of
// the body's arguments follow.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_TARRAY_LOOPS
#define MAPWRIGHT_TARRAY_LOOPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tarray/Enums.td"
include "tarray/Types.td"

def TArray_YieldOp : Hlo_Op<TArray_Dialect, "yield", [Pure, Terminator]> {
  let summary = "the end of a body";
  let description = [{
    What the body gives for its arguments.
  }];
  let arguments = (ins Variadic<TArray_Value>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

class TArray_LoopOp<string mnemonic, dag attributes = (ins)>
    : TArray_Op<mnemonic, [RecursiveMemoryEffects, AttrSizedOperandSegments,
                           SingleBlock]> {
  let arguments = !con((ins Variadic<TArray_Value>:$xs,
                            Variadic<TArray_Value>:$inits), attributes);
  let results = (outs Variadic<TArray_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def TArray_ForeachOp : TArray_LoopOp<"foreach"> {
  let summary = "a computation for one element after the other";
  let description = [{
    Goes through arrays, or the sizes of shapes, in order, up to the length of
    the shortest. The body gives an element for each array that is a result,
    and then the next of the values that are carried along.

    ```mlir
    %ys, %sum = tarray.foreach (%e in %x : !tarray.array<tensor<f32>, max = 8>,
                                %s = %zero : tensor<f32>) {
      %t = stablehlo.add %s, %e : tensor<f32>
      tarray.yield %t, %t : tensor<f32>, tensor<f32>
    }
    ```
  }];
}
def TArray_ParallelForeachOp : TArray_LoopOp<"parallel_foreach"> {
  let summary = "a computation for every element, in any order";
  let description = [{
    The iteration domain is `0 <= i < len(X)`, the access function `i -> X[i]`,
    and the shape function `(len(X)) + S(f)`. Several operands are gone through
    together, up to the length of the shortest. A Tensor is gone through by its
    scalars, and the results are tensors of its shape.

    Values that are written `%o = %init` are shared: the body changes elements
    of them by `tarray.index_update`, and reads others by `tarray.index`. What
    one iteration reads no other may write, and what one sets no other may
    change.

    ```mlir
    %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<4xf32>, max = 16>) {
      %z = stablehlo.exponential %e : tensor<4xf32>
      tarray.yield %z : tensor<4xf32>
    }
    ```
  }];
}
def TArray_ScanOp
    : TArray_LoopOp<"scan", (ins OptionalAttr<TArray_OrderAttr>:$order)> {
  let summary = "all intermediate values of a fold";
  let description = [{
    `y[i] = f(x[i], y[i - 1])`, with the initial value before the first. Of a
    Tensor the slices along its first dimension are gone through, and the result
    is one. The order is a part of the operation: `forward`, or `backward` from
    the last element to the first, with `y[i]` beside `x[i]`.

    ```mlir
    %y = tarray.scan forward (%e in %x : !tarray.array<tensor<f32>, max = 16>,
                              %a = %zero : tensor<f32>) {
      %s = stablehlo.add %a, %e : tensor<f32>
      tarray.yield %s : tensor<f32>
    }
    ```
  }];
}
def TArray_ReduceOp : TArray_LoopOp<"reduce"> {
  let summary = "all elements, put together in any order";
  let description = [{
    The body is associative, and the initial value changes nothing in it. Of a
    Tensor the slices along its first dimension are put together.

    ```mlir
    %y = tarray.reduce (%e in %x : tensor<16xf32>, %a = %zero : tensor<f32>) {
      %s = stablehlo.add %a, %e : tensor<f32>
      tarray.yield %s : tensor<f32>
    }
    ```
  }];
}
def TArray_FoldOp : TArray_LoopOp<"fold"> {
  let summary = "all elements, put together one after the other";
  let description = [{
    `a = f(x[i], a)` for each element in order, from the initial values on; the
    values may have any types. Of a Tensor the slices along its first dimension
    are gone through.
  }];
}
def TArray_FilterOp : TArray_LoopOp<"filter", (ins OptionalAttr<I64Attr>:$max)> {
  let summary = "the elements for which a condition holds";
  let description = [{
    The body gives the condition, of the type `tensor<i1>`. The result is an
    array with the elements in their order. Of a Tensor they are the slices
    along its first dimension; where its size is known at run time only,
    without a bound, `max` says how many elements there are at most, and those
    behind are left out.

    ```mlir
    %y = tarray.filter max = 64 (%e in %x : tensor<?x8xf32>) {
      …
      tarray.yield %keep : tensor<i1>
    }
    ```
  }];
}
def TArray_BroadcastOp
    : TArray_LoopOp<"broadcast", (ins OptionalAttr<DenseI64ArrayAttr>:$dims)> {
  let summary = "a smaller operand, put together with every part of a bigger";
  let description = [{
    `broadcast(f, X, Y)`: for a Tensor X every scalar of it together with the
    scalar of the Tensor Y that belongs to it. The dimensions of Y are the last
    ones of X, or those that `dims` names; of size 1 they are repeated. For a
    TensorArray X every element of it together with the whole of Y.

    ```mlir
    %z = tarray.broadcast dims = [0] (%a in %x : tensor<4x8xf32>, %b = %y : tensor<4xf32>) {
      %s = stablehlo.subtract %a, %b : tensor<f32>
      tarray.yield %s : tensor<f32>
    }
    ```
  }];
}
def TArray_ApplyAlongAxisOp
    : TArray_LoopOp<"apply_along_axis", (ins I64Attr:$dim)> {
  let summary = "a computation for every line of a tensor";
  let description = [{
    The body takes the elements along the dimension `dim` and gives as many or
    others, `tensor<m>`: `S(Y) = replace(S(X), dim, m)`.

    ```mlir
    %y = tarray.apply_along_axis dim = 1 (%line in %x : tensor<4x8xf32>) {
      %z = stablehlo.exponential %line : tensor<8xf32>
      tarray.yield %z : tensor<8xf32>
    }
    ```
  }];
}
def TArray_SortbyOp : TArray_LoopOp<"sortby"> {
  let summary = "elements in the order of a key";
  let description = [{
    The body gives the key of an element, a scalar. Elements of equal keys stay
    in their order; NaN comes last. Of a Tensor the slices along its first
    dimension are put in order.
  }];
}
def TArray_BuildOp : TArray_LoopOp<"build", (ins I64Attr:$max)> {
  let summary = "an array, made by a loop that appends to it";
  let description = [{
    The body is run with the numbers from 0 to, not including, the operand. It
    gives a condition, an element, which is appended if the condition holds and
    the array is not at its declared maximum, and the next of the values that
    are carried along.

    ```mlir
    %x, %last = tarray.build max = 16 (%i in %n : tensor<i64>, %a = %one : tensor<i64>) {
      %b = stablehlo.add %a, %a : tensor<i64>
      tarray.yield %always, %a, %b : tensor<i1>, tensor<i64>, tensor<i64>
    }
    ```
  }];
}
// Its results are those of a function, which is not known while the text is read.
def TArray_VectorizeOp : Hlo_Op<TArray_Dialect, "vectorize"> {
  let summary = "a function of elements, for all of them";
  let description = [{
    Of a function that takes elements: the function of the arrays of them, or of
    the tensors that have more dimensions in front. An operand of the very type
    that the function takes is shared by all elements, like weights.

    ```mlir
    %y = tarray.vectorize @f(%x, %w)
      : !tarray.array<tensor<4xf32>, max = 16>, tensor<4x4xf32>
      -> !tarray.array<tensor<4xf32>, max = 16>
    ```

    A function of a tensor whose first size is known at run time only,
    `tensor<?x4xf32>`, takes a list of `tensor<4xf32>` as an element as well: the
    tensor has the elements of the list as its slices. Where the result is an
    array of lists, such a tensor that the function gives is the list of its
    slices, as many as the declared maximum at most.

    ```mlir
    %y = tarray.vectorize @sentence(%x, %w)
      : !tarray.array<!tarray.array<tensor<4xf32>>>, tensor<4x4xf32>
      -> !tarray.array<!tarray.array<tensor<4xf32>>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<TArray_Value>:$xs);
  let results = (outs Variadic<TArray_Value>:$results);
  let assemblyFormat = [{
    $callee `(` $xs `)` attr-dict `:` type($xs) `->` type($results)
  }];
}

#endif // MAPWRIGHT_TARRAY_LOOPS
