//===- Base.td - the tarray dialect ---------------------------------------===//

#ifndef MAPWRIGHT_TARRAY_BASE
#define MAPWRIGHT_TARRAY_BASE

include "common/HloTypes.td"
include "common/Hooks.td"
include "mlir/IR/OpBase.td"

def TArray_Dialect : Dialect {
  let name = "tarray";
  let cppNamespace = "::mapwright::tarray";
  let summary = "tensor arrays, tensor shapes and parallel patterns";
  let description = [{
    A *TensorShape* (`!tarray.shape<3>`) is a tuple of sizes. A *Tensor* is a
    dense tensor, and holds scalars. A *TensorArray*
    (`!tarray.array<tensor<4xf32>, max = 16>`) is a list of elements of one
    type, tensors or tensor arrays, whose length is known at run time and at
    most `max`; all leaves of a nest have one shape and element type.

    Sizes of Tensors, and of the leaves of arrays, are known when the program
    is compiled, or when it runs (`tensor<?x8xf32>`, also with a bound). What
    does not fit the sizes that there turn out to be, like a range behind the
    end or a dimension that is not cut into equal parts, is an error of the
    call. In the body of a loop a size has no bound.

    The operations compute new values and change none. Every one of them is
    defined for some of the three kinds of operands only; others are an error.
    Numbers (lengths, indices) are values of the type `tensor<i64>`. An index
    beyond the end means the last element, one below zero the first, as in
    StableHLO; an element of an empty array is zero.

    `indexing-legalize-tarray` turns the operations into StableHLO: an array
    becomes one buffer of leaves and a vector of offsets for each level.
  }];
  let dependentDialects = ["::mapwright::stablehlo::StableHLODialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttrs();
    void registerTypes();
  }];
}

// Operations whose result types follow from operands, attributes and bodies:
// all of them but the end of a body.
class TArray_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<TArray_Dialect, mnemonic, traits # [InferTypeOpInterface]> {
  let extraClassDeclaration = Hlo_InferDeclaration;
}

#endif // MAPWRIGHT_TARRAY_BASE
