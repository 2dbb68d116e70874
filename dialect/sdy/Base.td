//===- Base.td - the Shardy dialect ---------------------------------------===//

#ifndef MAPWRIGHT_SDY_BASE
#define MAPWRIGHT_SDY_BASE

include "common/Hooks.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mapwright::sdy";
  let summary = "shardings of tensors over meshes of devices";
  let description = [{
    Meshes, shardings and manual computations as JAX prints them. They are read,
    kept and printed; what a sharding means is the sharding part's business.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = "void registerAttrs();";
}

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<Sdy_Dialect, mnemonic, traits>;

#endif // MAPWRIGHT_SDY_BASE
