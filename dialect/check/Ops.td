//===- Ops.td - expectations ----------------------------------------------===//

#ifndef MAPWRIGHT_CHECK_OPS
#define MAPWRIGHT_CHECK_OPS

include "check/Base.td"
include "common/HloTypes.td"
include "common/Hooks.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

// Numbers that are not negative: signless in older programs, unsigned since.
def Check_CountAttr
    : Attr<CPred<"::mapwright::check::isCount($_self, 64)">,
           "64-bit signless or unsigned integer attribute"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "uint64_t";
  let convertFromStorage = "$_self.getValue().getZExtValue()";
}
def Check_IterationAttr
    : Attr<CPred<"::mapwright::check::isCount($_self, 32)">,
           "32-bit signless or unsigned integer attribute"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "uint64_t";
  let convertFromStorage = "$_self.getValue().getZExtValue()";
}

// Not free of side effects: a failed expectation ends the program.
class Check_Op<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<Check_Dialect, mnemonic, traits>;

def Check_ExpectEqOp : Check_Op<"expect_eq", [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "both tensors are equal, element by element";
  let description = [{
    Fails where two tensors are not equal; two NaNs are.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}
def Check_ExpectEqConstOp
    : Check_Op<"expect_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let summary = "the tensor equals the constant";
  let description = [{
    Fails where a tensor is not equal to a constant; two NaNs are equal.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` custom<Elements>($value) attr-dict";
}
def Check_ExpectAlmostEqOp
    : Check_Op<"expect_almost_eq", [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "both tensors differ by no more than a tolerance";
  let description = [{
    Fails where two tensors differ by more than the tolerance.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, Hlo_Tensor:$rhs,
                       OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)
  }];
}
def Check_ExpectAlmostEqConstOp
    : Check_Op<"expect_almost_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let summary = "the tensor differs from the constant by a tolerance at most";
  let description = [{
    Fails where a tensor differs from a constant by more than the tolerance.
  }];
  let arguments = (ins Hlo_Tensor:$lhs, ElementsAttr:$value,
                       OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = [{
    $lhs `,` $value (`,` `tolerance` `=` $tolerance^)? attr-dict
  }];
}
def Check_ExpectCloseOp : Check_Op<"expect_close"> {
  let summary = "elements are no more than some ULP apart";
  let description = [{
    Fails where two tensors differ by more units in the last place than
    allowed.

    ```mlir
    check.expect_close %actual, %expected, max_ulp_difference = 3
      : tensor<f16>, tensor<f16>
    ```
  }];
  let arguments = (ins Hlo_FpOrComplexTensor:$actual,
                       Hlo_FpOrComplexTensor:$expected,
                       OptionalAttr<Check_CountAttr>:$min_ulp_difference,
                       OptionalAttr<Check_CountAttr>:$max_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected ``
    custom<UlpDifferences>($max_ulp_difference, $min_ulp_difference) attr-dict `:`
    type($actual) `,` type($expected)
  }];
}
def Check_ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let summary = "the tensor equals the one that a probe recorded";
  let description = [{
    Fails where a tensor is not equal to what a probe has written down under
    the name.
  }];
  let arguments = (ins Hlo_Tensor:$expected, StrAttr:$probe_id,
                       OptionalAttr<Check_IterationAttr>:$iteration);
  let assemblyFormat = [{
    $expected `,` `probe_id` `=` $probe_id `` custom<Iteration>($iteration)
    attr-dict `:` type($expected)
  }];
}

#endif // MAPWRIGHT_CHECK_OPS
