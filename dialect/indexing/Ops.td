//===- Ops.td - operations of the indexing dialect ------------------------===//

#ifndef MAPWRIGHT_INDEXING_OPS
#define MAPWRIGHT_INDEXING_OPS

include "indexing/Attrs.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Indexing_FusionOp
    : Hlo_Op<Indexing_Dialect, "fusion", [
          IsolatedFromAbove, RecursiveMemoryEffects,
          SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "operations that run as one loop nest";
  let description = [{
    A region of tensor operations that the code generator lowers as one. The
    region sees nothing but its arguments, which are the operands in order.

    ```mlir
    %r = indexing.fusion(%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>)
        attributes {kind = "streaming"} -> tensor<8xf32> {
      %0 = stablehlo.add %a, %b : tensor<8xf32>
      indexing.yield %0 : tensor<8xf32>
    }
    ```
    `kind` names the shape of the loop nest, `name` the kernel, and `reasons`
    says in words why the members are together. `maps` has for each result, for
    each operand, the maps from an index of the result to the elements of the
    operand that it is made of: composed over all members and simplified.
    Several maps are a union; one that is not known is a string that says why.
    `schedule` says how the region runs; without it the code generator chooses.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       OptionalAttr<StrAttr>:$kind, OptionalAttr<StrAttr>:$name,
                       OptionalAttr<StrArrayAttr>:$reasons,
                       OptionalAttr<ArrayAttr>:$maps,
                       OptionalAttr<Indexing_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Indexing_YieldOp
    : Hlo_Op<Indexing_Dialect, "yield", [Pure, Terminator,
                                         HasParent<"FusionOp">]> {
  let summary = "the results of a fusion";
  let description = [{
    Ends a region and gives its results.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Indexing_LaunchOp
    : Hlo_Op<Indexing_Dialect, "launch",
             [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel over a range of tiles";
  let description = [{
    Calls the function `kernel` so that together the calls cover the tiles
    `[0, tiles)`; the calls may run in parallel and in any order. The first
    arguments of the function are `args`.

    ```mlir
    indexing.launch @kernel_0(%a, %b : memref<8xf32>, memref<8xf32>) tiles(%n)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyTypeOf<[AnyMemRef, UnrankedMemRefOf<[AnyType]>,
                                           Index, AnyInteger, AnyFloat]>>:$args,
                       Index:$tiles);
  let assemblyFormat = [{
    $kernel `(` ($args^ `:` type($args))? `)` `tiles` `(` $tiles `)` attr-dict
  }];
}

def Indexing_CallKernelOp
    : Hlo_Op<Indexing_Dialect, "call_kernel", [
          AttrSizedOperandSegments, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<ConditionallySpeculatable>,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
          DeclareOpInterfaceMethods<BufferizableOpInterface, [
              "bufferize", "bufferizesToElementwiseAccess",
              "bufferizesToMemoryRead", "bufferizesToMemoryWrite",
              "getAliasingValues", "resolveConflicts"]>,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel in destination-passing style, on tensors";
  let description = [{
    Stands for a call of the function `kernel`, whose arguments are buffers:
    those of the inputs, then those of the initial values, each contiguous and
    of the shape of its tensor. What the function leaves in the buffer of an
    initial value is the result of that number.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %r = indexing.call_kernel @f_region_0 ins(%a, %b : tensor<8xf32>, tensor<8xf32>)
      outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ```
    The kernel writes every element of an initial value and does not read it,
    unless `updates` says so for its number: then it changes a part of it. Where
    that must not happen in place, the kernel of the same place in `copied_by`,
    if there is one, fills the buffer that is changed instead. The pairs in `elementwise` (of an initial value and an input) say that the
    kernel reads an element of the input before it writes the element of that
    place and not later, so that the two may be one buffer. With `impure` the
    kernel does something besides (it checks or prints, or gives other results
    each time): such a call is neither moved nor removed nor made one with
    another. Otherwise it has none on tensors.

    Upstream's one-shot bufferization makes a `func.call` of it. A buffer that
    is not contiguous (a view of a part of another one) is copied before the
    call, or after it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$inits,
                       OptionalAttr<DenseI64ArrayAttr>:$updates,
                       OptionalAttr<ArrayAttr>:$copied_by,
                       OptionalAttr<DenseI64ArrayAttr>:$elementwise,
                       UnitAttr:$impure);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $inits^ `:` type($inits) `)`)? (`updates` $updates^)?
    (`copied_by` $copied_by^)? (`elementwise` $elementwise^)? (`impure` $impure^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitsMutable();
    }
  }];
}

def Indexing_ApplyOp : Hlo_Op<Indexing_Dialect, "apply", [Pure]> {
  let summary = "an indexing map evaluated on index values";
  let description = [{
    The operands are the dimension, range and runtime variables of the map in
    order. Outside of the map's domain the results are unspecified.

    ```mlir
    %0:2 = indexing.apply #indexing.map<(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 31]>(%i)
      : index, index
    ```
  }];
  let arguments = (ins Indexing_MapAttr:$map, Variadic<Index>:$variables);
  let results = (outs Variadic<Index>:$results);
  let assemblyFormat = [{
    $map `(` $variables `)` attr-dict (`:` type($results)^)?
  }];
}

#endif // MAPWRIGHT_INDEXING_OPS
