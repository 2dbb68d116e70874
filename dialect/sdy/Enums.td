//===- Enums.td - enumerations of Shardy ----------------------------------===//

#ifndef MAPWRIGHT_SDY_ENUMS
#define MAPWRIGHT_SDY_ENUMS

include "mlir/IR/EnumAttr.td"
include "sdy/Base.td"

def Sdy_PropagationDirection
    : I32EnumAttr<"PropagationDirection", "where shardings may propagate", [
        I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
        I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::mapwright::sdy";
}

def Sdy_ReductionOp
    : I32EnumAttr<"ReductionOp", "how shards of unreduced axes are combined", [
        I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
        I32EnumAttrCase<"MIN", 2, "min">]> {
  let cppNamespace = "::mapwright::sdy";
}

#endif // MAPWRIGHT_SDY_ENUMS
