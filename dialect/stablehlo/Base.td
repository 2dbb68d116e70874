//===- Base.td - the StableHLO dialect ------------------------------------===//

#ifndef MAPWRIGHT_STABLEHLO_BASE
#define MAPWRIGHT_STABLEHLO_BASE

include "common/HloTypes.td"
include "common/Hooks.td"
include "common/ListAttr.td"
include "mlir/IR/OpBase.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mapwright::stablehlo";
  let summary = "StableHLO, the portable high-level operation set";
  let description = [{
    The operation set that JAX, torch-xla and TensorFlow emit, as the public
    specification (openxla/stablehlo, docs/spec.md) defines it. Each operation's
    documentation here says what it computes and how its text looks; the rules
    that a verifier enforces carry the labels of the specification.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    void registerAttrs();
    void registerTypes();
  }];
}

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<StableHLO_Dialect, mnemonic, traits>;

class StableHLO_RegionOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<StableHLO_Dialect, mnemonic, traits>;

// Operations whose result types follow from operands and attributes.
class StableHLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<StableHLO_Dialect, mnemonic, traits # [InferTypeOpInterface]> {
  let extraClassDeclaration = Hlo_InferDeclaration;
}

class StableHLO_InferredRegionOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<StableHLO_Dialect, mnemonic,
                   traits # [InferTypeOpInterface]> {
  let extraClassDeclaration = Hlo_InferDeclaration;
}

#endif // MAPWRIGHT_STABLEHLO_BASE
