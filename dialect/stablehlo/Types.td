//===- Types.td - StableHLO's own types -----------------------------------===//

#ifndef MAPWRIGHT_STABLEHLO_TYPES
#define MAPWRIGHT_STABLEHLO_TYPES

include "mlir/IR/AttrTypeBase.td"
include "stablehlo/Base.td"

class StableHLO_Type<string name, string typeMnemonic>
    : TypeDef<StableHLO_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def StableHLO_Token : StableHLO_Type<"Token", "token"> {
  let summary = "an ordering token";
  let description = [{
    Values of this type carry no data. They order operations with side effects.
    Written `!stablehlo.token`.
  }];
}

def StableHLO_Future : StableHLO_Type<"Future", "future"> {
  let summary = "the results of an asynchronous operation";
  let description = [{
    What `async_start` returns and `async_done` waits for. Written
    `!stablehlo.future<tensor<4xf32>, tensor<i32>>`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// What tuples and control flow may hold.
def StableHLO_TensorOrToken : AnyTypeOf<[Hlo_Tensor, StableHLO_Token]>;
// Lists and shapes go through control flow as tensors do.
def StableHLO_TArrayValue
    : Type<CPred<"$_self.getDialect().getNamespace() == \"tarray\"">,
           "a list or shape of the tarray dialect">;
def StableHLO_TensorOrTArray
    : AnyTypeOf<[Hlo_Tensor, StableHLO_TArrayValue]>;
def StableHLO_Value
    : AnyTypeOf<[Hlo_Tensor, Hlo_Buffer, StableHLO_Token, StableHLO_Future,
                 AnyTuple, StableHLO_TArrayValue]>;
// What the backend knows may take tensors of unknown rank.
def StableHLO_CustomCallValue
    : AnyTypeOf<[StableHLO_Value, UnrankedTensorOf<[AnyType]>]>;
def StableHLO_Tuple : NestedTupleOf<[Hlo_Tensor, StableHLO_Token,
                                     StableHLO_Future]>;
def StableHLO_TensorOrTokenOrTuple
    : AnyTypeOf<[Hlo_Tensor, StableHLO_Token, AnyTuple]>;

#endif // MAPWRIGHT_STABLEHLO_TYPES
