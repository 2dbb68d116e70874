//===- Ops.td - meshes and constraints --------------------------*- tablegen -*-===//

#ifndef MAPWRIGHT_SDY_OPS
#define MAPWRIGHT_SDY_OPS

include "sdy/Attrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "a named mesh of devices";
  let description = [{ `sdy.mesh @mesh = <["x"=2, "y"=4]>` }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` custom<MeshText>($mesh) attr-dict";
}

def Sdy_ShardingConstraintOp
    : Sdy_Op<"sharding_constraint", [Pure, SameOperandsAndResultType]> {
  let summary = "the operand with the given sharding";
  let description = [{ `%1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {} ]> : tensor<8x8xf32>` }];
  let arguments = (ins AnyRankedTensor:$input, Sdy_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input custom<ShardingText>($sharding) attr-dict `:` type($result)";
}

#endif // MAPWRIGHT_SDY_OPS
