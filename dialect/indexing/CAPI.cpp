//===- CAPI.cpp - the attributes of the indexing dialect in C -------------===//

#include "indexing/Dialect.h"

#include "mapwright-mlir/Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace mapwright::indexing;

extern "C" bool mapwrightAttributeIsIndexingMap(MlirAttribute attr) {
  return isa_and_nonnull<MapAttr>(unwrap(attr));
}

extern "C" MlirStringRef mapwrightIndexingMapGetText(MlirAttribute attr) {
  auto map = dyn_cast_or_null<MapAttr>(unwrap(attr));
  return wrap(map ? map.getText() : StringRef());
}

extern "C" MlirAttribute mapwrightIndexingMapGet(MlirLocation location,
                                                 MlirStringRef text) {
  Location at = unwrap(location);
  at->getContext()->getOrLoadDialect<IndexingDialect>();
  auto error = [&](intptr_t column, StringRef message) {
    emitError(at) << "column " << column + 1 << ": " << message;
  };
  return wrap(Attribute(MapAttr::parseText(at->getContext(), unwrap(text),
                                           error)));
}

extern "C" bool mapwrightAttributeIsIndexingInterval(MlirAttribute attr) {
  return isa_and_nonnull<IntervalAttr>(unwrap(attr));
}

extern "C" MlirAttribute mapwrightIndexingIntervalGet(MlirContext context,
                                                      int64_t lo, int64_t hi) {
  unwrap(context)->getOrLoadDialect<IndexingDialect>();
  return wrap(Attribute(IntervalAttr::get(unwrap(context), lo, hi)));
}

extern "C" int64_t mapwrightIndexingIntervalGetLo(MlirAttribute attr) {
  auto interval = dyn_cast_or_null<IntervalAttr>(unwrap(attr));
  return interval ? interval.getLo() : 0;
}

extern "C" int64_t mapwrightIndexingIntervalGetHi(MlirAttribute attr) {
  auto interval = dyn_cast_or_null<IntervalAttr>(unwrap(attr));
  return interval ? interval.getHi() : -1;
}
