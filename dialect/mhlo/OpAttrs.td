//===- OpAttrs.td - attribute constraints of MHLO operations --------------===//

#ifndef MAPWRIGHT_MHLO_OPATTRS
#define MAPWRIGHT_MHLO_OPATTRS

include "mhlo/Attrs.td"
include "mlir/IR/CommonAttrConstraints.td"

// A list of numbers: `dense<[0, 1]> : tensor<2xi64>`, or an array.
def MHLO_DimsAttr
    : AnyAttrOf<[ConfinedAttr<I64ElementsAttr, [Hlo_OneDimensional]>,
                 DenseI64ArrayAttr],
                "list of 64-bit integers">;
def MHLO_OptionalDimsAttr : OptionalAttr<MHLO_DimsAttr>;

// A list of truth values: `dense<[true, false]> : tensor<2xi1>`, or an array.
def MHLO_OptionalBoolsAttr
    : OptionalAttr<
          AnyAttrOf<[ConfinedAttr<IntElementsAttrOf<1>, [Hlo_OneDimensional]>,
                     DenseBoolArrayAttr],
                    "list of booleans">>;

def MHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<MHLO_PrecisionAttr, "precision of each operand">;

def MHLO_LayoutAttr
    : ConfinedAttr<IndexElementsAttr, [Hlo_OneDimensional]>;
def MHLO_ArrayOfLayoutAttr
    : TypedArrayAttrBase<MHLO_LayoutAttr, "array of layouts">;
def MHLO_ArrayOfAliasesAttr
    : TypedArrayAttrBase<MHLO_OutputOperandAliasAttr,
                         "aliases between results and operands">;
def MHLO_FlatSymbolRefArrayAttr
    : TypedArrayAttrBase<FlatSymbolRefAttr, "array of symbol references">;

// Groups of process ids: a table with a row a group, or mesh axes.
def MHLO_ReplicaGroupsAttr
    : AnyAttrOf<[I64ElementsAttr, MHLO_ReplicaGroupMeshAxesAttr],
                "replica groups">;

def MHLO_OptionalResultAccuracyAttr
    : DefaultValuedOptionalAttr<
          MHLO_ResultAccuracyAttr,
          "::mapwright::mhlo::ResultAccuracyAttr::getDefault("
          "$_builder.getContext())">;

#endif // MAPWRIGHT_MHLO_OPATTRS
