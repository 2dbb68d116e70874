//===- ListAttr.td - lists of integers in old and new spelling ------------===//

#ifndef MAPWRIGHT_COMMON_LISTATTR
#define MAPWRIGHT_COMMON_LISTATTR

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

class Hlo_ListAttr<string storage, string element, string summary>
    : Attr<CPred<"::llvm::isa<::mapwright::" # storage # ">($_self)">,
           summary> {
  let storageType = "::mapwright::" # storage;
  let returnType = "::llvm::ArrayRef<" # element # ">";
  let convertFromStorage = "$_self.asArrayRef()";
}

// `array<i64: 0, 1>`, in older text `dense<[0, 1]> : tensor<2xi64>`.
def Hlo_I64ListAttr
    : Hlo_ListAttr<"I64ListAttr", "int64_t", "i64 dense array attribute">;
// The same for booleans.
def Hlo_BoolListAttr
    : Hlo_ListAttr<"BoolListAttr", "bool", "i1 dense array attribute">;

#endif // MAPWRIGHT_COMMON_LISTATTR
