// Upstream's ShardingInterface on the operations of `tensor` that reshapes, slices, pads and concatenations of StableHLO become: its partitioner knows
// none of them. A dimension that is in the operand and in the result as a whole is one loop of both, and so are the first dimension of a group that is
// reshaped and the dimension that the group becomes. Others are never split.

#include "Dialects.h"

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::shard;

namespace {

// The loops of an operation: those that may be split come first, then one for each other dimension of a tensor.
struct Loops {
  int64_t split = 0;
  int64_t count = 0;
  // The loop of each dimension of the tensors among the operands and results.
  SmallVector<SmallVector<int64_t>> dims;
};

// Dimensions that are one loop: a number for each dimension of each tensor, -1 for those that are not split.
Loops numbered(SmallVector<SmallVector<int64_t>> shared, int64_t split) {
  Loops loops{split, split, std::move(shared)};
  for (SmallVector<int64_t> &dims : loops.dims)
    for (int64_t &dim : dims)
      if (dim < 0)
        dim = loops.count++;
  return loops;
}

// The first dimension of each group that is not of one element, or the first one.
Loops reshaped(ArrayRef<ReassociationIndices> groups, RankedTensorType expanded, bool expands) {
  SmallVector<int64_t> longer(expanded.getRank(), -1), shorter(groups.size(), -1);
  for (auto [number, group] : llvm::enumerate(groups)) {
    auto isLong = [&](int64_t dim) { return expanded.getDimSize(dim) != 1; };
    auto first = llvm::find_if(group, isLong);
    longer[first == group.end() ? group.front() : *first] = number;
    shorter[number] = number;
  }
  int64_t split = groups.size();
  return expands ? numbered({shorter, longer}, split) : numbered({longer, shorter}, split);
}

Loops loopsOf(tensor::CollapseShapeOp op) {
  return reshaped(op.getReassociationIndices(), op.getSrcType(), /*expands=*/false);
}

Loops loopsOf(tensor::ExpandShapeOp op) {
  return reshaped(op.getReassociationIndices(), op.getResultType(), /*expands=*/true);
}

// Whether a slice has all of each dimension.
template <typename Op> SmallVector<bool> wholeDims(Op op, RankedTensorType of) {
  SmallVector<bool> whole;
  auto slices = llvm::zip_equal(op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides(), of.getShape());
  for (auto [offset, size, stride, all] : slices)
    whole.push_back(offset == 0 && stride == 1 && size == all && !ShapedType::isDynamic(all));
  return whole;
}

// As many tensors as there are, of one rank, which share the dimensions that are whole.
Loops shared(ArrayRef<bool> whole, unsigned tensors) {
  SmallVector<int64_t> dims;
  int64_t split = 0;
  for (bool isWhole : whole)
    dims.push_back(isWhole ? split++ : -1);
  return numbered(SmallVector<SmallVector<int64_t>>(tensors, dims), split);
}

// Tensors of which one, by its number, is a part of the others. Dimensions of one element may be left out of it: none is split then.
template <typename Op> Loops sliced(Op op, RankedTensorType of, RankedTensorType part, unsigned tensors, unsigned number) {
  SmallVector<bool> whole = wholeDims(op, of);
  if (part.getRank() != of.getRank())
    whole.assign(whole.size(), false);
  Loops loops = shared(whole, tensors);
  loops.dims[number].resize(part.getRank());
  return loops;
}

Loops loopsOf(tensor::ExtractSliceOp op) { return sliced(op, op.getSourceType(), op.getResultType(), 2, 1); }

Loops loopsOf(tensor::InsertSliceOp op) { return sliced(op, op.getDestType(), op.getSourceType(), 3, 0); }

Loops loopsOf(tensor::PadOp op) {
  SmallVector<bool> whole;
  for (auto [low, high] : llvm::zip_equal(op.getStaticLow(), op.getStaticHigh()))
    whole.push_back(low == 0 && high == 0);
  return shared(whole, 2);
}

// Attributes that say sizes of a result or of a part.
void resize(tensor::CollapseShapeOp) {}
void resize(tensor::PadOp) {}
void resize(tensor::ExpandShapeOp op) { op.setStaticOutputShape(op.getResultType().getShape()); }

template <typename Op> void resizeSlice(Op op, RankedTensorType part) {
  SmallVector<int64_t> sizes(op.getStaticSizes());
  if (part.getRank() == static_cast<int64_t>(sizes.size()))
    for (auto [size, of] : llvm::zip_equal(sizes, part.getShape()))
      size = ShapedType::isDynamic(size) ? size : of;
  op.setStaticSizes(sizes);
}
void resize(tensor::ExtractSliceOp op) { resizeSlice(op, op.getResultType()); }
void resize(tensor::InsertSliceOp op) { resizeSlice(op, op.getSourceType()); }

template <typename Op> struct Model : ShardingInterface::ExternalModel<Model<Op>, Op> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return SmallVector<utils::IteratorType>(loopsOf(cast<Op>(op)).count, utils::IteratorType::parallel);
  }

  SmallVector<ReductionKind> getReductionLoopIteratorKinds(Operation *) const { return {}; }

  // A map for each operand and result: upstream passes over those that are no tensors.
  SmallVector<AffineMap> getIndexingMaps(Operation *op) const {
    Loops loops = loopsOf(cast<Op>(op));
    SmallVector<AffineMap> maps;
    auto next = loops.dims.begin();
    auto add = [&](Type type) {
      SmallVector<AffineExpr> results;
      if (isa<RankedTensorType>(type))
        for (int64_t loop : *next++)
          results.push_back(getAffineDimExpr(loop, op->getContext()));
      maps.push_back(AffineMap::get(loops.count, 0, results, op->getContext()));
    };
    llvm::for_each(op->getOperandTypes(), add);
    llvm::for_each(op->getResultTypes(), add);
    return maps;
  }

  FailureOr<ShardingOption> getShardingOption(Operation *op, ArrayRef<Sharding> operands,
                                              ArrayRef<Sharding> results) const {
    FailureOr<ShardingOption> option = shard::detail::defaultGetShardingOption(op, operands, results);
    if (failed(option) || option->empty)
      return option;
    auto &loops = option->shardingArray;
    for (size_t loop = loopsOf(cast<Op>(op)).split; loop < loops.size(); ++loop)
      loops[loop].clear();
    return option;
  }

  LogicalResult partition(Operation *op, ArrayRef<Value> partitioned, ArrayRef<Sharding> operands,
                          ArrayRef<Sharding> results, IRMapping &map, SymbolTableCollection &symbols,
                          OpBuilder &builder) const {
    Loops loops = loopsOf(cast<Op>(op));
    // What each loop is split by, which is the same for all tensors, and nothing for those that are whole.
    SmallVector<SmallVector<GridAxis>> by(loops.split);
    SmallVector<Sharding, 4> all(operands);
    all.append(results.begin(), results.end());
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    auto next = loops.dims.begin();
    bool isFirst = true;
    for (auto [type, sharding] : llvm::zip_equal(types, all)) {
      if (!isa<RankedTensorType>(type))
        continue;
      SmallVector<SmallVector<GridAxis>> own(loops.split);
      for (auto [dim, loop] : llvm::enumerate(*next++)) {
        ArrayRef<GridAxesAttr> axes = sharding ? sharding.getSplitAxes() : ArrayRef<GridAxesAttr>();
        if (dim >= axes.size() || axes[dim].empty())
          continue;
        if (loop >= loops.split)
          return op->emitOpError("has a dimension that is split, but has to be read or written whole");
        own[loop].assign(axes[dim].asArrayRef().begin(), axes[dim].asArrayRef().end());
      }
      if (!isFirst && own != by)
        return op->emitOpError("has operands and results that are split in different ways");
      by = std::move(own);
      isFirst = false;
    }
    partitionTriviallyShardableOperation(*op, partitioned, operands, results, map, symbols, builder);
    resize(cast<Op>(map.lookup(op->getResult(0)).getDefiningOp()));
    return success();
  }
};

template <typename... Ops> void attach(MLIRContext *context) {
  auto one = [&](auto *op) {
    using Op = std::remove_pointer_t<decltype(op)>;
    if (!RegisteredOperationName::lookup(TypeID::get<Op>(), context)->template hasInterface<ShardingInterface>())
      Op::template attachInterface<Model<Op>>(*context);
  };
  (one(static_cast<Ops *>(nullptr)), ...);
}

} // namespace

void mapwright::insertSharding(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *, ShardDialect *) {
    attach<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
           tensor::PadOp>(context);
  });
}
