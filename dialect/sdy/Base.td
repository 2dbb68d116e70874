//===- Base.td - Shardy's dialect, as far as it is read ---------*- tablegen -*-===//

#ifndef MAPWRIGHT_SDY_BASE
#define MAPWRIGHT_SDY_BASE

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mapwright::sdy";
  let summary = "Shardy's meshes and shardings";
  let description = [{
    What programs with Shardy's annotations need to be read and printed: meshes,
    shardings of values, constraints. The text of a sharding is kept as it is;
    the passes that convert shardings read it. In a host that has Shardy itself
    this dialect stays away.
  }];
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    void registerAttrs();
  }];
}

#endif // MAPWRIGHT_SDY_BASE
