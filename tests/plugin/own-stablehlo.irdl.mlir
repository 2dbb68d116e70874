// A host's own definition of (a piece of) StableHLO, with other constraints and no pretty form.
irdl.dialect @stablehlo {
  irdl.operation @transpose {
    %any = irdl.any
    irdl.operands(operand: %any)
    irdl.results(result: %any)
    irdl.attributes {"permutation" = %any}
  }
}
