//===- LaunchOp.cpp - structure of launches -------------------------------===//

#include "indexing/Dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mapwright::indexing;

LogicalResult
LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  Operation *target =
      symbolTable.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!target)
    return emitOpError("refers to a kernel that does not exist: ")
           << getKernelAttr();
  auto kernel = dyn_cast<FunctionOpInterface>(target);
  if (!kernel)
    return emitOpError("refers to something that is not a function: ")
           << getKernelAttr();
  ArrayRef<Type> inputs = kernel.getArgumentTypes();
  if (inputs.size() < getArgs().size())
    return emitOpError("passes ") << getArgs().size() << " arguments to "
                                  << getKernelAttr() << ", which takes "
                                  << inputs.size();
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(getArgs().getTypes(), inputs))) {
    auto [given, wanted] = pair;
    if (given != wanted)
      return emitOpError("passes argument #")
             << index << " of type " << given << " to " << getKernelAttr()
             << ", which takes " << wanted;
  }
  return success();
}
