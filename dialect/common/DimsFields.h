//===- DimsFields.h - named lists of dimensions -----------------*- C++ -*-===//
//
// The text of attributes that consist of named lists of dimensions,
// `<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>`.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_DIMSFIELDS_H
#define MAPWRIGHT_COMMON_DIMSFIELDS_H

#include "mlir/IR/OpImplementation.h"

namespace mapwright {

/// A list of dimensions, or a single number, under a name.
struct DimsField {
  enum Kind { List, Number };

  DimsField(llvm::StringRef name, Kind kind = List) : name(name), kind(kind) {}
  DimsField(llvm::StringRef name, llvm::ArrayRef<int64_t> dims)
      : name(name), kind(List), dims(dims) {}
  DimsField(llvm::StringRef name, int64_t value)
      : name(name), kind(Number), dims({value}) {}

  /// The value of a single number; 0 where it is left out.
  int64_t number() const { return dims.empty() ? 0 : dims.front(); }

  llvm::StringRef name;
  Kind kind;
  llvm::SmallVector<int64_t> dims;
};

/// Fields in any order, each at most once; those left out stay empty. A comma
/// may follow the last one.
mlir::ParseResult parseDimsFields(mlir::AsmParser &parser,
                                  llvm::MutableArrayRef<DimsField> fields);

/// Fields in the given order without those that are empty (or 0).
void printDimsFields(mlir::AsmPrinter &printer,
                     llvm::ArrayRef<DimsField> fields);

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_DIMSFIELDS_H
