// Registries of dialects: ours, and those upstream ones that our passes create operations of.

#include "Dialects.h"
#include "Shim.h"

#include "mapwright-mlir/Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;

namespace {

struct Named {
  StringLiteral name;
  void (*insert)(DialectRegistry &);
};

template <typename Dialect> void insertUpstream(DialectRegistry &registry) { registry.insert<Dialect>(); }

const Named upstream[] = {
    {"affine", insertUpstream<affine::AffineDialect>},
    {"arith", insertUpstream<arith::ArithDialect>},
    {"bufferization", insertUpstream<bufferization::BufferizationDialect>},
    {"cf", insertUpstream<cf::ControlFlowDialect>},
    {"complex", insertUpstream<complex::ComplexDialect>},
    {"func", insertUpstream<func::FuncDialect>},
    {"linalg", insertUpstream<linalg::LinalgDialect>},
    {"llvm", insertUpstream<LLVM::LLVMDialect>},
    {"math", insertUpstream<math::MathDialect>},
    {"memref", insertUpstream<memref::MemRefDialect>},
    {"quant", insertUpstream<quant::QuantDialect>},
    {"scf", insertUpstream<scf::SCFDialect>},
    {"shape", insertUpstream<shape::ShapeDialect>},
    {"shard", insertUpstream<shard::ShardDialect>},
    {"sparse_tensor", insertUpstream<sparse_tensor::SparseTensorDialect>},
    {"tensor", insertUpstream<tensor::TensorDialect>},
    {"ub", insertUpstream<ub::UBDialect>},
    {"vector", insertUpstream<vector::VectorDialect>},
};

// Two dialects of one name in a registry end the process; whoever was there first stays.
bool isNew(StringRef name, const DialectRegistry &registry) { return !registry.getDialectAllocator(name); }

llvm::ArrayRef<const char *> ourNames() {
  const char *const *names = nullptr;
  size_t count = mapwrightDialectNames(&names);
  return {names, count};
}

void insertOurs(const char *name, DialectRegistry &registry) { mapwrightRegisterDialects(wrap(&registry), &name, 1); }

} // namespace

void mapwright::insertDialect(StringRef name, DialectRegistry &registry) {
  if (!isNew(name, registry))
    return;
  for (const char *ours : ourNames())
    if (ours == name)
      return insertOurs(ours, registry);
  for (const Named &dialect : upstream)
    if (dialect.name == name)
      return dialect.insert(registry);
}

void mapwrightDialectsInsert(MlirDialectRegistry wrapped) {
  DialectRegistry &registry = *unwrap(wrapped);
  for (const char *name : ourNames())
    if (isNew(name, registry))
      insertOurs(name, registry);
  mapwright::insertTiling(registry);
  mapwright::insertSharding(registry);
}

void mapwrightDialectsInsertAll(MlirDialectRegistry wrapped) {
  DialectRegistry &registry = *unwrap(wrapped);
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  mapwrightDialectsInsert(wrapped);
}

void mapwrightDialectsLoad(MlirContext wrapped) {
  MLIRContext *context = unwrap(wrapped);
  for (const Named &dialect : upstream)
    context->getOrLoadDialect(dialect.name);
  for (const char *name : ourNames())
    context->getOrLoadDialect(name);
}
