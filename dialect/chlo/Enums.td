//===- Enums.td - enumerations of CHLO ------------------------------------===//

#ifndef MAPWRIGHT_CHLO_ENUMS
#define MAPWRIGHT_CHLO_ENUMS

include "chlo/Base.td"
include "mlir/IR/EnumAttr.td"

class CHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mapwright::chlo";
  let genSpecializedAttr = 0;
}

// Written `#chlo<mnemonic VALUE>`.
class CHLO_EnumAttr<I32EnumAttr info, string mnemonic>
    : EnumAttr<CHLO_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def CHLO_ComparisonDirection
    : CHLO_Enum<"ComparisonDirection", "which comparison to perform", [
        I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
        I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
        I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr
    : CHLO_EnumAttr<CHLO_ComparisonDirection, "comparison_direction">;

def CHLO_ComparisonType
    : CHLO_Enum<"ComparisonType", "how elements are compared", [
        I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
        I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
        I32EnumAttrCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr
    : CHLO_EnumAttr<CHLO_ComparisonType, "comparison_type">;

def CHLO_Precision
    : CHLO_Enum<"Precision", "how exactly a product is computed", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
        I32EnumAttrCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr : CHLO_EnumAttr<CHLO_Precision, "precision">;

#endif // MAPWRIGHT_CHLO_ENUMS
