//===- Types.td - MHLO's own types ----------------------------------------===//

#ifndef MAPWRIGHT_MHLO_TYPES
#define MAPWRIGHT_MHLO_TYPES

include "mhlo/Base.td"
include "mlir/IR/AttrTypeBase.td"

def MHLO_Token : TypeDef<MHLO_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "an ordering token";
}

def MHLO_AsyncBundle : TypeDef<MHLO_Dialect, "AsyncBundle"> {
  let mnemonic = "async_bundle";
  let summary = "the state of an asynchronous operation";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

def MHLO_TensorOrToken : AnyTypeOf<[Hlo_Tensor, MHLO_Token]>;
def MHLO_Value
    : AnyTypeOf<[Hlo_Tensor, Hlo_Buffer, MHLO_Token, AnyTuple,
                 MHLO_AsyncBundle]>;
// What the backend knows may take tensors of unknown rank.
def MHLO_CustomCallValue
    : AnyTypeOf<[MHLO_Value, UnrankedTensorOf<[AnyType]>]>;

#endif // MAPWRIGHT_MHLO_TYPES
