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
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttrs();
    void registerTypes();
  }];
}

// What the operation does: most do what those of the same name do elsewhere.
class MHLO_Description<string mnemonic> {
  string text = !cond(
    !eq(mnemonic, "acos") : "What `chlo.acos` computes; the description there holds here too.",
    !eq(mnemonic, "acosh") : "What `chlo.acosh` computes; the description there holds here too.",
    !eq(mnemonic, "asin") : "What `chlo.asin` computes; the description there holds here too.",
    !eq(mnemonic, "asinh") : "What `chlo.asinh` computes; the description there holds here too.",
    !eq(mnemonic, "atanh") : "What `chlo.atanh` computes; the description there holds here too.",
    !eq(mnemonic, "cosh") : "What `chlo.cosh` computes; the description there holds here too.",
    !eq(mnemonic, "sinh") : "What `chlo.sinh` computes; the description there holds here too.",
    !eq(mnemonic, "erf") : "What `chlo.erf` computes; the description there holds here too.",
    !eq(mnemonic, "ragged_dot") : "What `chlo.ragged_dot` computes; the description there holds here too.",
    !eq(mnemonic, "add_dependency") :
      "The operand as it is, once the token is there.",
    !eq(mnemonic, "async_update") :
      "A step of an asynchronous computation between `async_start` and `async_done`.",
    !eq(mnemonic, "bitcast") :
      "The bytes of the operand as a tensor of another shape, element type or layout.",
    !eq(mnemonic, "copy") :
      "The operand as it is, in memory of its own.",
    !eq(mnemonic, "domain") :
      "The operand as it is; marks where a region of other metadata, such as another sharding, begins.",
    !eq(mnemonic, "fusion") :
      "What its region computes, marked as one kernel; `fusion_kind` says how it was formed.",
    !eq(mnemonic, "minimum_broadcast_shapes") :
      "The shapes of the operands with neighbouring dimensions merged that are broadcast in the same way.",
    !eq(mnemonic, "stochastic_convert") :
      "As `stablehlo.convert`, rounded up or down at random, with a probability that the random bits decide.",
    !eq(mnemonic, "topk") :
      "The `k` largest (or smallest) elements of every row in the last dimension, and their indices.",
    !eq(mnemonic, "trace") :
      "Reports the value under a name while the program runs.",
    !eq(mnemonic, "xla.rng_get_and_update_state") :
      "The state of the backend's random generator, which moves on by `delta`.",
    true : "What `stablehlo." # mnemonic # "` computes; description and constraints "
           "there hold here too.");
}

class MHLO_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<MHLO_Dialect, mnemonic, traits> {
  let description = MHLO_Description<mnemonic>.text;
}

class MHLO_RegionOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<MHLO_Dialect, mnemonic, traits> {
  let description = MHLO_Description<mnemonic>.text;
}

#endif // MAPWRIGHT_MHLO_BASE
