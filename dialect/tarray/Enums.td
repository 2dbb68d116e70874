//===- Enums.td - enumerations of the tarray dialect ----------------------===//

#ifndef MAPWRIGHT_TARRAY_ENUMS
#define MAPWRIGHT_TARRAY_ENUMS

include "mlir/IR/EnumAttr.td"
include "tarray/Base.td"

class TArray_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mapwright::tarray";
  let genSpecializedAttr = 0;
}

// Written `#tarray<mnemonic value>`, and by its value alone in operations.
class TArray_EnumAttr<I32EnumAttr info, string mnemonic>
    : EnumAttr<TArray_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def TArray_Update
    : TArray_Enum<"Update", "what an element that is changed becomes", [
        I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>,
        I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"mul", 3>,
        I32EnumAttrCase<"set", 4>]>;
def TArray_UpdateAttr : TArray_EnumAttr<TArray_Update, "update">;

def TArray_Pool
    : TArray_Enum<"Pool", "what several elements are put together to", [
        I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"min", 1>,
        I32EnumAttrCase<"mean", 2>, I32EnumAttrCase<"sum", 3>]>;
def TArray_PoolAttr : TArray_EnumAttr<TArray_Pool, "pool">;

def TArray_Order
    : TArray_Enum<"Order", "the order in which elements are gone through", [
        I32EnumAttrCase<"forward", 0>, I32EnumAttrCase<"backward", 1>]>;
def TArray_OrderAttr : TArray_EnumAttr<TArray_Order, "order">;

def TArray_GridOrder
    : TArray_Enum<"GridOrder", "the order of the dimensions of a grid", [
        I32EnumAttrCase<"xy", 0>, I32EnumAttrCase<"ij", 1>]>;
def TArray_GridOrderAttr : TArray_EnumAttr<TArray_GridOrder, "grid_order">;

#endif // MAPWRIGHT_TARRAY_ENUMS
