//===- GatherAttrs.cpp - text of `#stablehlo.gather` and `#stablehlo.scatter` ---===//

#include "common/DimsFields.h"
#include "stablehlo/Dialect.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::stablehlo;

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  DimsField fields[] = {{"offset_dims"},
                        {"collapsed_slice_dims"},
                        {"operand_batching_dims"},
                        {"start_indices_batching_dims"},
                        {"start_index_map"},
                        {"index_vector_dim", DimsField::Number}};
  if (parseDimsFields(parser, fields))
    return {};
  return get(parser.getContext(), fields[0].dims, fields[1].dims,
             fields[2].dims, fields[3].dims, fields[4].dims,
             fields[5].number());
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDimsFields(
      printer,
      {{"offset_dims", getOffsetDims()},
       {"collapsed_slice_dims", getCollapsedSliceDims()},
       {"operand_batching_dims", getOperandBatchingDims()},
       {"start_indices_batching_dims", getStartIndicesBatchingDims()},
       {"start_index_map", getStartIndexMap()},
       {"index_vector_dim", getIndexVectorDim()}});
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  DimsField fields[] = {{"update_window_dims"},
                        {"inserted_window_dims"},
                        {"input_batching_dims"},
                        {"scatter_indices_batching_dims"},
                        {"scatter_dims_to_operand_dims"},
                        {"index_vector_dim", DimsField::Number}};
  if (parseDimsFields(parser, fields))
    return {};
  return get(parser.getContext(), fields[0].dims, fields[1].dims,
             fields[2].dims, fields[3].dims, fields[4].dims,
             fields[5].number());
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDimsFields(
      printer,
      {{"update_window_dims", getUpdateWindowDims()},
       {"inserted_window_dims", getInsertedWindowDims()},
       {"input_batching_dims", getInputBatchingDims()},
       {"scatter_indices_batching_dims", getScatterIndicesBatchingDims()},
       {"scatter_dims_to_operand_dims", getScatterDimsToOperandDims()},
       {"index_vector_dim", getIndexVectorDim()}});
}
