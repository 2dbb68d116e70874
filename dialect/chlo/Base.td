//===- Base.td - the CHLO dialect -----------------------------------------===//

#ifndef MAPWRIGHT_CHLO_BASE
#define MAPWRIGHT_CHLO_BASE

include "common/HloTypes.td"
include "common/Hooks.td"
include "mlir/IR/OpBase.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::mapwright::chlo";
  let summary = "client operations that decompose into StableHLO";
  let description = [{
    Operations that frontends find convenient: operations with implicit
    broadcasting, special functions, sorting helpers. Every one of them can be
    written with StableHLO operations.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = "void registerAttrs();";
}

// What is computed element by element may be a tensor whose rank is not known yet: `indexing-normalize`
// and everything that reads a program for its meaning take it from the cast that it comes from.
def CHLO_Tensor : TensorOf<Hlo_Any>;
def CHLO_NumericTensor : TensorOf<Hlo_Numeric>;
def CHLO_PredTensor : TensorOf<[Hlo_Pred]>;
def CHLO_IntTensor : TensorOf<[Hlo_Int]>;
def CHLO_PredOrIntTensor : TensorOf<[Hlo_Pred, Hlo_Int]>;
def CHLO_FpTensor : TensorOf<[Hlo_Float]>;
def CHLO_ComplexTensor : TensorOf<[Hlo_Complex]>;
def CHLO_FpOrComplexTensor : TensorOf<[Hlo_Float, Hlo_Complex]>;

class CHLO_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<CHLO_Dialect, mnemonic, traits>;

class CHLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<CHLO_Dialect, mnemonic, traits # [InferTypeOpInterface]> {
  let extraClassDeclaration = Hlo_InferDeclaration;
}

#endif // MAPWRIGHT_CHLO_BASE
