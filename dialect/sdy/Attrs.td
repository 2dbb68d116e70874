//===- Attrs.td - meshes and shardings as texts -----------------*- tablegen -*-===//

#ifndef MAPWRIGHT_SDY_ATTRS
#define MAPWRIGHT_SDY_ATTRS

include "sdy/Base.td"
include "mlir/IR/AttrTypeBase.td"

// No `mnemonic`: the dialect takes the text from the source as it is.
class Sdy_TextAttr<string cppName, string word> : AttrDef<Sdy_Dialect, cppName> {
  let attrName = "sdy." # word;
  let parameters = (ins StringRefParameter<"from `<` to `>`">:$text);
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral getMnemonic() { return {"}] # word # [{"}; }
  }];
}

def Sdy_MeshAttr : Sdy_TextAttr<"Mesh", "mesh"> {
  let summary = "a mesh of devices";
  let description = [{ `#sdy.mesh<["x"=2, "y"=4]>`, perhaps with `device_ids`. }];
}

def Sdy_ShardingAttr : Sdy_TextAttr<"Sharding", "sharding"> {
  let summary = "the sharding of one value";
  let description = [{ `#sdy.sharding<@mesh, [{"x"}, {} ]>`. }];
}

def Sdy_ShardingPerValueAttr : Sdy_TextAttr<"ShardingPerValue", "sharding_per_value"> {
  let summary = "the shardings of the results of an operation";
  let description = [{ `#sdy.sharding_per_value<[<@mesh, [{"x"}, {} ]> ]>`. }];
}

#endif // MAPWRIGHT_SDY_ATTRS
