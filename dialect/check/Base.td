//===- Base.td - the check dialect ----------------------------------------===//

#ifndef MAPWRIGHT_CHECK_BASE
#define MAPWRIGHT_CHECK_BASE

include "mlir/IR/OpBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::mapwright::check";
  let summary = "expectations in executable tests";
  let description = [{
    Operations that compare tensors while a program runs. A test is one file
    that holds inputs, program and expectation.
  }];
}

#endif // MAPWRIGHT_CHECK_BASE
