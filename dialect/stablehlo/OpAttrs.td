//===- OpAttrs.td - attribute constraints of StableHLO operations ---------===//

#ifndef MAPWRIGHT_STABLEHLO_OPATTRS
#define MAPWRIGHT_STABLEHLO_OPATTRS

include "mlir/IR/CommonAttrConstraints.td"
include "stablehlo/Attrs.td"

def StableHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<StableHLO_PrecisionAttr, "precision of each operand">;

def StableHLO_LayoutAttr
    : ConfinedAttr<IndexElementsAttr, [Hlo_OneDimensional]>;

def StableHLO_ArrayOfLayoutAttr
    : TypedArrayAttrBase<StableHLO_LayoutAttr, "array of layouts">;

def StableHLO_ArrayOfAliasesAttr
    : TypedArrayAttrBase<StableHLO_OutputOperandAliasAttr,
                         "aliases between results and operands">;

def StableHLO_FlatSymbolRefArrayAttr
    : TypedArrayAttrBase<FlatSymbolRefAttr, "array of symbol references">;

// Groups of process ids: a table with a row a group, or mesh axes.
def StableHLO_ReplicaGroupsAttr
    : AnyAttrOf<[I64ElementsAttr, StableHLO_ReplicaGroupMeshAxesAttr],
                "replica groups">;

def StableHLO_OptionalResultAccuracyAttr
    : DefaultValuedOptionalAttr<
          StableHLO_ResultAccuracyAttr,
          "::mapwright::stablehlo::ResultAccuracyAttr::getDefault("
          "$_builder.getContext())">;

#endif // MAPWRIGHT_STABLEHLO_OPATTRS
