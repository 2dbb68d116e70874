// A host's own definition of (a piece of) StableHLO, with other constraints and no pretty form.
irdl.dialect @stablehlo {
  irdl.operation @transpose {
    // One constraint each: the same one twice would mean equal types.
    %operand = irdl.any
    %result = irdl.any
    %permutation = irdl.any
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
    irdl.attributes {"permutation" = %permutation}
  }
}
