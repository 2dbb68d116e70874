// The attribute `#indexing.map` in C++: upstream's AffineMap, an interval for each variable, constraints.
//
//   for (mlir::Attribute attribute : op->getAttrOfType<mlir::ArrayAttr>("indexing.output_to_input"))
//     if (auto map = llvm::dyn_cast<mapwright::MapAttr>(attribute))
//       use(map.getAffineMap(), map.getDimRanges());
//
// The symbols of affine maps and expressions are the range variables, then the runtime variables.

#ifndef MAPWRIGHT_INDEXINGMAP_H
#define MAPWRIGHT_INDEXINGMAP_H

#include "mapwright-c/maps.h"

#include "mlir/CAPI/AffineExpr.h"
#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace mapwright {

// All integers from `lower` to `upper`; none if `lower > upper`.
using Interval = MapwrightInterval;

// An expression and the values that it takes on the domain.
struct MapConstraint {
  mlir::AffineExpr expr;
  Interval interval;
};

class MapAttr : public mlir::Attribute {
public:
  using mlir::Attribute::Attribute;

  static bool classof(mlir::Attribute attribute) { return mapwrightAttributeIsAMap(wrap(attribute)); }

  // The map with the given text; null, and a diagnostic, if it is none.
  static MapAttr parse(mlir::Location location, llvm::StringRef text) {
    return MapAttr(unwrap(mapwrightMapAttrParse(wrap(location), wrap(text))).getImpl());
  }

  // The map with the results of `map`, whose first `rangeVariables` symbols are range variables and whose others are runtime variables.
  // Intervals of dimensions, then of symbols.
  static MapAttr get(mlir::Location location, mlir::AffineMap map, unsigned rangeVariables,
                     llvm::ArrayRef<Interval> intervals, llvm::ArrayRef<MapConstraint> constraints = {}) {
    llvm::SmallVector<MlirAffineExpr> exprs;
    llvm::SmallVector<Interval> allowed;
    for (const MapConstraint &constraint : constraints) {
      exprs.push_back(wrap(constraint.expr));
      allowed.push_back(constraint.interval);
    }
    MlirAttribute made = mapwrightMapAttrGet(wrap(location), wrap(map), rangeVariables, intervals.size(),
                                             intervals.data(), exprs.size(), exprs.data(), allowed.data());
    return MapAttr(unwrap(made).getImpl());
  }

  // The canonical text.
  llvm::StringRef getText() const { return unwrap(mapwrightMapAttrGetText(raw())); }

  // The results; null for a map that one affine map cannot hold.
  mlir::AffineMap getAffineMap() const { return unwrap(mapwrightMapAttrGetAffineMap(raw())); }

  // Maps with disjoint domains that are this map together, each with an affine map; none if there are no such.
  std::optional<std::vector<MapAttr>> getPieces() const;

  bool isExact() const { return mapwrightMapAttrIsExact(raw()); }
  bool isKnownEmpty() const { return mapwrightMapAttrIsKnownEmpty(raw()); }
  // Empty for a map that is known.
  llvm::StringRef getUnknownReason() const { return unwrap(mapwrightMapAttrGetUnknownReason(raw())); }

  unsigned getNumDims() const { return mapwrightMapAttrGetNumDims(raw()); }
  unsigned getNumRangeVariables() const { return mapwrightMapAttrGetNumRangeVariables(raw()); }
  unsigned getNumRuntimeVariables() const { return mapwrightMapAttrGetNumRuntimeVariables(raw()); }
  unsigned getNumSymbols() const { return getNumRangeVariables() + getNumRuntimeVariables(); }
  unsigned getNumResults() const { return mapwrightMapAttrGetNumResults(raw()); }

  // The values of the dimensions.
  llvm::SmallVector<Interval> getDimRanges() const {
    llvm::SmallVector<Interval> ranges;
    for (unsigned i = 0; i < getNumDims(); ++i)
      ranges.push_back(mapwrightMapAttrGetDimInterval(raw(), i));
    return ranges;
  }

  // The values of the symbols.
  llvm::SmallVector<Interval> getSymbolRanges() const {
    llvm::SmallVector<Interval> ranges;
    for (unsigned i = 0; i < getNumSymbols(); ++i)
      ranges.push_back(mapwrightMapAttrGetSymbolInterval(raw(), i));
    return ranges;
  }

  // Own names; empty for a variable that is printed by its position.
  llvm::StringRef getDimName(unsigned i) const { return unwrap(mapwrightMapAttrGetDimName(raw(), i)); }
  llvm::StringRef getSymbolName(unsigned i) const { return unwrap(mapwrightMapAttrGetSymbolName(raw(), i)); }

  // An expression is null if it is not affine.
  llvm::SmallVector<MapConstraint> getConstraints() const {
    llvm::SmallVector<MapConstraint> constraints;
    for (intptr_t i = 0; i < mapwrightMapAttrGetNumConstraints(raw()); ++i)
      constraints.push_back(
          {unwrap(mapwrightMapAttrGetConstraint(raw(), i)), mapwrightMapAttrGetConstraintInterval(raw(), i)});
    return constraints;
  }

  // The same map, simplified with its intervals and constraints.
  MapAttr simplify() const { return MapAttr(unwrap(mapwrightMapAttrSimplify(raw())).getImpl()); }

private:
  MlirAttribute raw() const { return wrap(mlir::Attribute(*this)); }
};

inline std::optional<std::vector<MapAttr>> MapAttr::getPieces() const {
  intptr_t count = mapwrightMapAttrGetNumPieces(raw());
  if (count < 0)
    return std::nullopt;
  std::vector<MapAttr> pieces;
  for (intptr_t i = 0; i < count; ++i)
    pieces.push_back(MapAttr(unwrap(mapwrightMapAttrGetPiece(raw(), i)).getImpl()));
  return pieces;
}

} // namespace mapwright

#endif // MAPWRIGHT_INDEXINGMAP_H
