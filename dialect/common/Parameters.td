//===- Parameters.td - parameters of attributes and types -----------------===//
//
// Attribute parameters with the textual forms that the HLO dialects use inside
// `#dialect.attribute<name = value, …>`.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_PARAMETERS
#define MAPWRIGHT_COMMON_PARAMETERS

include "mlir/IR/AttrTypeBase.td"

// Of the values of a `dense<…>`: a list, and not a table.
def Hlo_OneDimensional
    : AttrConstraint<CPred<"::llvm::cast<::mlir::DenseIntElementsAttr>($_self)"
                           ".getType().getRank() == 1">,
                     "one-dimensional">;

// A list of integers, `[0, 1]`, left out when it is empty.
def Hlo_OptionalDims : OptionalArrayRefParameter<"int64_t"> {
  let parser = "::mapwright::parseDims($_parser)";
  let printer = "::mapwright::printDims($_printer, $_self)";
}

// A list of integers, `[0, 1]`, always written.
def Hlo_Dims : ArrayRefParameter<"int64_t"> {
  let parser = "::mapwright::parseDims($_parser)";
  let printer = "::mapwright::printDims($_printer, $_self)";
}

// `true` or `false`.
def Hlo_Bool : AttrOrTypeParameter<"bool", "boolean"> {
  let parser = "::mapwright::parseBool($_parser)";
  let printer = "$_printer << ($_self ? \"true\" : \"false\")";
}

// A float, left out when it is zero.
def Hlo_OptionalFloat : DefaultValuedParameter<"::llvm::APFloat",
                                               "::llvm::APFloat(0.0)"> {
  let parser = "::mapwright::parseFloat($_parser)";
  let printer = "$_printer.printFloat($_self)";
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
}

// An attribute in its full form, `#dialect.name<…>`.
class Hlo_FullAttr<string cppType> : AttrParameter<cppType, ""> {
  let parser = "::mlir::FieldParser<" # cppType # ">::parse($_parser)";
  let printer = "$_printer.printAttribute($_self)";
}

class Hlo_OptionalFullAttr<string cppType> : OptionalParameter<cppType> {
  let parser = "::mlir::FieldParser<" # cppType # ">::parse($_parser)";
  let printer = "$_printer.printAttribute($_self)";
}

#endif // MAPWRIGHT_COMMON_PARAMETERS
