//===- HloTypes.td - element and tensor types of the HLO dialects ---------===//
//
// The type constraints that StableHLO, CHLO and MHLO share. They follow the
// table of element types of the StableHLO specification ("Types"). What cannot
// be said about one value alone (equal shapes, related element types) is
// checked by the verification hook.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_HLO_TYPES
#define MAPWRIGHT_COMMON_HLO_TYPES

include "mlir/IR/OpBase.td"

def Hlo_Pred : TypeAlias<I1, "boolean">;
def Hlo_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def Hlo_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def Hlo_Int : AnyTypeOf<[Hlo_SInt, Hlo_UInt], "2/4/8/16/32/64-bit integer">;
def Hlo_PredOrInt : AnyTypeOf<[Hlo_Pred, Hlo_Int], "boolean or integer">;

def Hlo_Float : AnyTypeOf<
    [F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ,
     F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16, BF16, F32, F64],
    "4/6/8/16/32/64-bit float">;

def Hlo_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>],
                            "complex type of 32/64-bit floats">;

// What is stored has a sign where the quantized type says so, not by a type of
// its own. Unsigned numbers may have one.
defvar Hlo_PlainStorage =
    CPred<"!::llvm::cast<::mlir::quant::QuantizedType>($_self)"
          ".getStorageType().isSignedInteger()">;

def Hlo_Quantized : Type<
    And<[CPred<"::llvm::isa<::mlir::quant::UniformQuantizedType, "
               "::mlir::quant::UniformQuantizedPerAxisType>($_self)">,
         Hlo_PlainStorage]>,
    "uniform quantized type">;

def Hlo_PerTensorQuantized : Type<
    And<[CPred<"::llvm::isa<::mlir::quant::UniformQuantizedType>($_self)">,
         Hlo_PlainStorage]>,
    "per-tensor uniform quantized type">;

defvar Hlo_FloatLike = [Hlo_Float, Hlo_Complex, Hlo_Quantized];
defvar Hlo_Numeric = [Hlo_Int, Hlo_Float, Hlo_Complex, Hlo_Quantized];
defvar Hlo_Any = [Hlo_Pred, Hlo_Int, Hlo_Float, Hlo_Complex, Hlo_Quantized];

def Hlo_Tensor : RankedTensorOf<Hlo_Any>;
// What custom calls make and take, and what carries it to them.
def Hlo_Buffer : MemRefOf<Hlo_Any>;
def Hlo_NumericTensor : RankedTensorOf<Hlo_Numeric>;
def Hlo_PredTensor : RankedTensorOf<[Hlo_Pred]>;
def Hlo_IntTensor : RankedTensorOf<[Hlo_Int]>;
// Other frameworks write signs where StableHLO's own signless integers have one.
def Hlo_ScatterIndexTensor
    : RankedTensorOf<[Index, Hlo_Int, SignedIntOfWidths<[2, 4, 8, 16, 32, 64]>]>;
def Hlo_PredOrIntTensor : RankedTensorOf<[Hlo_Pred, Hlo_Int]>;
def Hlo_FpTensor : RankedTensorOf<[Hlo_Float]>;
def Hlo_ComplexTensor : RankedTensorOf<[Hlo_Complex]>;
def Hlo_FpOrComplexTensor : RankedTensorOf<[Hlo_Float, Hlo_Complex]>;
def Hlo_FpOrQuantTensor : RankedTensorOf<[Hlo_Float, Hlo_Quantized]>;
def Hlo_FloatLikeTensor : RankedTensorOf<Hlo_FloatLike>;
def Hlo_IntFpOrComplexTensor
    : RankedTensorOf<[Hlo_Int, Hlo_Float, Hlo_Complex, Hlo_Quantized]>;
def Hlo_SignedTensor
    : RankedTensorOf<[Hlo_SInt, Hlo_Float, Hlo_Complex, Hlo_Quantized]>;
def Hlo_QuantTensor : RankedTensorOf<[Hlo_Quantized]>;
def Hlo_FpTensorF32F64 : RankedTensorOf<[F32, F64]>;
def Hlo_ComplexPartTensor : RankedTensorOf<[Hlo_Float, Hlo_Complex]>;

// Zero-dimensional and one-dimensional tensors: sizes, indices, shapes.
def Hlo_ScalarTensor : 0DTensorOf<Hlo_Any>;
def Hlo_ScalarIntTensor : 0DTensorOf<[Hlo_Int]>;
def Hlo_ScalarPredTensor : 0DTensorOf<[Hlo_Pred]>;
def Hlo_ScalarSI32Tensor : 0DTensorOf<[I32]>;
def Hlo_DimensionTensor : 1DTensorOf<[Index, Hlo_Int]>;

def Hlo_SizeTensor : 0DTensorOf<[Index, Hlo_Int]>;

#endif // MAPWRIGHT_COMMON_HLO_TYPES
