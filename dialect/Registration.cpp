//===- Registration.cpp - all dialects into a registry --------------------===//

#include "Dialects.h"

#include "mapwright-mlir/Dialects.h"
#include "mlir/CAPI/IR.h"

using namespace mlir;

namespace {
struct Entry {
  const char *name;
  void (*insert)(DialectRegistry &);
};

template <typename DialectTy> void insertInto(DialectRegistry &registry) {
  registry.insert<DialectTy>();
}

/// Every dialect of ours, in alphabetical order.
constexpr Entry entries[] = {
    {"check", insertInto<mapwright::check::CheckDialect>},
    {"chlo", insertInto<mapwright::chlo::CHLODialect>},
    {"indexing", insertInto<mapwright::indexing::IndexingDialect>},
    {"interpreter", insertInto<mapwright::interpreter::InterpreterDialect>},
    {"mhlo", insertInto<mapwright::mhlo::MHLODialect>},
    {"sdy", insertInto<mapwright::sdy::SdyDialect>},
    {"stablehlo", insertInto<mapwright::stablehlo::StableHLODialect>},
    {"tarray", insertInto<mapwright::tarray::TArrayDialect>},
};
constexpr size_t nEntries = std::size(entries);
} // namespace

extern "C" void mapwrightRegisterDialects(MlirDialectRegistry registry,
                                          const char *const *only, size_t n) {
  for (const Entry &entry : entries) {
    bool wanted = !only || llvm::any_of(llvm::ArrayRef(only, n),
                                        [&](const char *name) {
                                          return llvm::StringRef(name) ==
                                                 entry.name;
                                        });
    if (wanted)
      entry.insert(*unwrap(registry));
  }
}

extern "C" size_t mapwrightDialectNames(const char *const **names) {
  static const char *all[nEntries];
  for (size_t i = 0; i < nEntries; ++i)
    all[i] = entries[i].name;
  *names = all;
  return nEntries;
}
