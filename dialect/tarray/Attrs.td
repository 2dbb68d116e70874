//===- Attrs.td - attributes of the tarray dialect ------------------------===//

#ifndef MAPWRIGHT_TARRAY_ATTRS
#define MAPWRIGHT_TARRAY_ATTRS

include "tarray/Enums.td"

#endif // MAPWRIGHT_TARRAY_ATTRS
