//===- Types.td - tensor arrays and shapes --------------------------------===//

#ifndef MAPWRIGHT_TARRAY_TYPES
#define MAPWRIGHT_TARRAY_TYPES

include "mlir/IR/AttrTypeBase.td"
include "tarray/Base.td"

def TArray_Array : TypeDef<TArray_Dialect, "Array"> {
  let mnemonic = "array";
  let summary = "a list of tensors, or of lists";
  let description = [{
    Elements of one type and a length that is known at run time only.
    `!tarray.array<tensor<4x8xf32>, max = 16>` holds at most 16 tensors,
    `!tarray.array<!tarray.array<tensor<f32>, max = 128>, max = 8>` at most 8
    lists of at most 128 numbers each. A maximum is a bound that is checked,
    and costs nothing; without it (`!tarray.array<tensor<4xf32>>`) there may
    be any number of elements.
  }];
  let parameters = (ins "::mlir::Type":$element,
      DefaultValuedParameter<"int64_t", "std::numeric_limits<int64_t>::max()">:$max);
  let assemblyFormat = "`<` $element (`,` `max` `=` $max^)? `>`";
  let genVerifyDecl = 1;
}

def TArray_Shape : TypeDef<TArray_Dialect, "Shape"> {
  let mnemonic = "shape";
  let summary = "a tuple of sizes";
  let description = [{
    As many non-negative integers as `rank` says, written `!tarray.shape<2>`.
  }];
  let parameters = (ins "int64_t":$rank);
  let assemblyFormat = "`<` $rank `>`";
  let genVerifyDecl = 1;
}

// Which of the kinds an operation takes is said by the verifier, in the words
// of the language.
def TArray_Value : AnyTypeOf<[Hlo_Tensor, TArray_Array, TArray_Shape],
                             "Tensor, TensorArray or TensorShape">;
def TArray_Number : 0DTensorOf<[I64]>;

#endif // MAPWRIGHT_TARRAY_TYPES
