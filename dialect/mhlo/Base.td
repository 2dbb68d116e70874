//===- Base.td - the MHLO dialect -----------------------------------------===//

#ifndef MAPWRIGHT_MHLO_BASE
#define MAPWRIGHT_MHLO_BASE

include "common/HloTypes.td"
include "common/Hooks.td"
include "mlir/IR/OpBase.td"

def MHLO_Dialect : Dialect {
  let name = "mhlo";
  let cppNamespace = "::mapwright::mhlo";
  let summary = "MHLO, the operation set that StableHLO grew out of";
  let description = [{
    What torch-xla and older versions of JAX and TensorFlow print. Attributes
    that are lists of numbers are written `dense<…> : tensor<Nxi64>`; arrays, as
    in StableHLO, are accepted as well. Operations mean what those of the same
    name mean in StableHLO.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttrs();
    void registerTypes();
  }];
}

class MHLO_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<MHLO_Dialect, mnemonic, traits>;

class MHLO_RegionOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<MHLO_Dialect, mnemonic, traits>;

#endif // MAPWRIGHT_MHLO_BASE
