//===- Base.td - the indexing dialect -------------------------------------===//

#ifndef MAPWRIGHT_INDEXING_BASE
#define MAPWRIGHT_INDEXING_BASE

include "common/Hooks.td"
include "mlir/IR/OpBase.td"

def Indexing_Dialect : Dialect {
  let name = "indexing";
  let cppNamespace = "::mapwright::indexing";
  let summary = "indexing maps, and what is made from them";
  let description = [{
    Mapwright's own dialect: indexing maps and intervals as attributes, regions
    of operations that are to run as one loop nest (`indexing.fusion`), their
    launches (`indexing.launch`), calls of their kernels between operations of
    other dialects (`indexing.call_kernel`), and the evaluation of a map on
    index values (`indexing.apply`).
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

#endif // MAPWRIGHT_INDEXING_BASE
