//===- Base.td - the interpreter dialect ----------------------------------===//

#ifndef MAPWRIGHT_INTERPRETER_BASE
#define MAPWRIGHT_INTERPRETER_BASE

include "mlir/IR/OpBase.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::mapwright::interpreter";
  let summary = "several processes, and looking inside, in executable tests";
  let dependentDialects = ["::mapwright::stablehlo::StableHLODialect"];
}

#endif // MAPWRIGHT_INTERPRETER_BASE
