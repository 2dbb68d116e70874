//===- Enums.td - enumerations of MHLO ------------------------------------===//

#ifndef MAPWRIGHT_MHLO_ENUMS
#define MAPWRIGHT_MHLO_ENUMS

include "mlir/IR/EnumAttr.td"
include "mhlo/Base.td"

class MHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mapwright::mhlo";
  let genSpecializedAttr = 0;
}

// Written `#mhlo<mnemonic VALUE>`; those that derive from EnumAttr directly are
// written `#mhlo.mnemonic<VALUE>`.
class MHLO_EnumAttr<I32EnumAttr info, string mnemonic>
    : EnumAttr<MHLO_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def MHLO_ComparisonDirection
    : MHLO_Enum<"ComparisonDirection", "which comparison to perform", [
        I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
        I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
        I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def MHLO_ComparisonDirectionAttr
    : MHLO_EnumAttr<MHLO_ComparisonDirection, "comparison_direction">;

def MHLO_ComparisonType
    : MHLO_Enum<"ComparisonType", "how elements are compared", [
        I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
        I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
        I32EnumAttrCase<"UNSIGNED", 4>]>;
def MHLO_ComparisonTypeAttr
    : MHLO_EnumAttr<MHLO_ComparisonType, "comparison_type">;

def MHLO_Precision
    : MHLO_Enum<"Precision", "how exactly a product is computed", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
        I32EnumAttrCase<"HIGHEST", 2>]>;
def MHLO_PrecisionAttr
    : MHLO_EnumAttr<MHLO_Precision, "precision">;

def MHLO_FftType
    : MHLO_Enum<"FftType", "which Fourier transform to perform", [
        I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
        I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def MHLO_FftTypeAttr : MHLO_EnumAttr<MHLO_FftType, "fft_type">;

def MHLO_Transpose
    : MHLO_Enum<"Transpose", "what is done to the matrix first", [
        I32EnumAttrCase<"TRANSPOSE_INVALID", 0>,
        I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
        I32EnumAttrCase<"ADJOINT", 3>]>;
def MHLO_TransposeAttr
    : MHLO_EnumAttr<MHLO_Transpose, "transpose">;

def MHLO_RngDistribution
    : MHLO_Enum<"RngDistribution", "distribution of random numbers", [
        I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def MHLO_RngDistributionAttr
    : EnumAttr<MHLO_Dialect, MHLO_RngDistribution, "rng_distribution"> {
  let assemblyFormat = "`<` $value `>`";
}

def MHLO_RngAlgorithm
    : MHLO_Enum<"RngAlgorithm", "generator of random bits", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
        I32EnumAttrCase<"PHILOX", 2>]>;
def MHLO_RngAlgorithmAttr
    : EnumAttr<MHLO_Dialect, MHLO_RngAlgorithm, "rng_algorithm"> {
  let assemblyFormat = "`<` $value `>`";
}

def MHLO_ResultAccuracyMode
    : MHLO_Enum<"ResultAccuracyMode", "how accurate a result has to be", [
        I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
        I32EnumAttrCase<"TOLERANCE", 2>]>;
def MHLO_ResultAccuracyModeAttr
    : EnumAttr<MHLO_Dialect, MHLO_ResultAccuracyMode,
               "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

// A plain integer attribute: `api_version = 4 : i32`.
def MHLO_CustomCallApiVersionAttr
    : I32EnumAttr<"CustomCallApiVersion", "calling convention of a custom call",
                  [I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
                   I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
                   I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
                   I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
                   I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::mapwright::mhlo";
}

def MHLO_FusionKind
    : MHLO_Enum<"FusionKind", "the loop structure of a fusion", [
        I32EnumAttrCase<"kLoop", 0>, I32EnumAttrCase<"kInput", 1>,
        I32EnumAttrCase<"kOutput", 2>, I32EnumAttrCase<"kCustom", 3>]>;
def MHLO_FusionKindAttr : MHLO_EnumAttr<MHLO_FusionKind, "fusion_kind">;

def MHLO_DomainKind
    : MHLO_Enum<"DomainKind", "the kind of a domain",
                [I32EnumAttrCase<"sharding", 0>]>;
def MHLO_DomainKindAttr : MHLO_EnumAttr<MHLO_DomainKind, "kind">;

def MHLO_CustomCallSchedule
    : MHLO_Enum<"CustomCallSchedule", "when a custom call is scheduled", [
        I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"LATEST", 1>,
        I32EnumAttrCase<"EARLIEST", 2>]>;
def MHLO_CustomCallScheduleAttr
    : MHLO_EnumAttr<MHLO_CustomCallSchedule, "custom_call_schedule">;

#endif // MAPWRIGHT_MHLO_ENUMS
