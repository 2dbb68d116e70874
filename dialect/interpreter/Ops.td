//===- Ops.td - processes and probes --------------------------------------===//

#ifndef MAPWRIGHT_INTERPRETER_OPS
#define MAPWRIGHT_INTERPRETER_OPS

include "common/HloTypes.td"
include "common/Hooks.td"
include "interpreter/Base.td"

def Interpreter_RunParallelOp
    : Hlo_Op<Interpreter_Dialect, "run_parallel"> {
  let summary = "runs functions as processes of a grid";
  let description = [{
    `programs` is a grid of functions, a row a replica and a column a partition.
    The operands are the arguments of all processes in order, the results their
    results. `infeed` lists functions that give what the infeed delivers.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$infeed,
                       TypedArrayAttrBase<FlatSymbolRefArrayAttr,
                                          "grid of functions">:$programs);
  let results = (outs Variadic<AnyType>:$results);
}
def Interpreter_ProbeOp
    : Hlo_Op<Interpreter_Dialect, "probe", [AllTypesMatch<["operand",
                                                           "result"]>]> {
  let summary = "records the tensor under a name and passes it on";
  let description = [{
    The operand as it is; notes its value under a name.
  }];
  let arguments = (ins Hlo_Tensor:$operand, StrAttr:$probe_id);
  let results = (outs Hlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `probe_id` `=` $probe_id attr-dict `:` type($operand)
  }];
}
def Interpreter_PrintOp : Hlo_Op<Interpreter_Dialect, "print"> {
  let summary = "prints the tensor";
  let description = [{
    Shows the value to who watches the program; nothing where nobody does, as
    in compiled code.
  }];
  let arguments = (ins Hlo_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

#endif // MAPWRIGHT_INTERPRETER_OPS
