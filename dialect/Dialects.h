//===- Dialects.h - every dialect of ours -----------------------*- C++ -*-===//

#ifndef MAPWRIGHT_DIALECTS_H
#define MAPWRIGHT_DIALECTS_H

#include "check/Dialect.h"
#include "chlo/Dialect.h"
#include "indexing/Dialect.h"
#include "interpreter/Dialect.h"
#include "mhlo/Dialect.h"
#include "sdy/Dialect.h"
#include "stablehlo/Dialect.h"
#include "tarray/Dialect.h"

#endif // MAPWRIGHT_DIALECTS_H
