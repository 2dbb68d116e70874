//===- DimsFields.cpp - named lists of dimensions -------------------------===//

#include "common/DimsFields.h"

#include "common/DimsParameter.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mapwright;

ParseResult mapwright::parseDimsFields(AsmParser &parser,
                                       MutableArrayRef<DimsField> fields) {
  if (parser.parseLess())
    return failure();
  llvm::SmallSet<StringRef, 6> seen;
  while (failed(parser.parseOptionalGreater())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    auto *field = llvm::find_if(
        fields, [&](const DimsField &field) { return field.name == name; });
    if (field == fields.end())
      return parser.emitError(loc) << "unknown field '" << name << "'";
    if (!seen.insert(name).second)
      return parser.emitError(loc) << "duplicate field '" << name << "'";
    if (field->kind == DimsField::Number) {
      if (parser.parseInteger(field->dims.emplace_back()))
        return failure();
    } else {
      FailureOr<SmallVector<int64_t>> dims = parseDims(parser);
      if (failed(dims))
        return failure();
      field->dims = *dims;
    }
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

void mapwright::printDimsFields(AsmPrinter &printer,
                                ArrayRef<DimsField> fields) {
  printer << '<';
  bool first = true;
  for (const DimsField &field : fields) {
    bool isNumber = field.kind == DimsField::Number;
    if (isNumber ? field.number() == 0 : field.dims.empty())
      continue;
    printer << (first ? "" : ", ") << field.name << " = ";
    first = false;
    if (isNumber)
      printer << field.number();
    else
      printDims(printer, field.dims);
  }
  printer << '>';
}
