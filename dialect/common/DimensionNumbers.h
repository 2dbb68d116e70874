//===- DimensionNumbers.h - text of dot, gather, scatter, conv --*- C++ -*-===//
//
// The attributes that number the dimensions of products, gathers, scatters and
// convolutions have one text in all dialects; only their classes differ.
//
//===----------------------------------------------------------------------===//

#ifndef MAPWRIGHT_COMMON_DIMENSIONNUMBERS_H
#define MAPWRIGHT_COMMON_DIMENSIONNUMBERS_H

#include "common/ConvAttr.h"
#include "common/DimsFields.h"

namespace mapwright {

/// `<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>`, or
/// null after an error.
template <typename Attr> Attr parseDotAttr(mlir::AsmParser &parser) {
  DimsField fields[] = {{"lhs_batching_dimensions"},
                        {"rhs_batching_dimensions"},
                        {"lhs_contracting_dimensions"},
                        {"rhs_contracting_dimensions"}};
  if (parseDimsFields(parser, fields))
    return {};
  return Attr::get(parser.getContext(), fields[0].dims, fields[1].dims,
                   fields[2].dims, fields[3].dims);
}

template <typename Attr>
void printDotAttr(mlir::AsmPrinter &printer, Attr attr) {
  printDimsFields(
      printer,
      {{"lhs_batching_dimensions", attr.getLhsBatchingDimensions()},
       {"rhs_batching_dimensions", attr.getRhsBatchingDimensions()},
       {"lhs_contracting_dimensions", attr.getLhsContractingDimensions()},
       {"rhs_contracting_dimensions", attr.getRhsContractingDimensions()}});
}

/// `<offset_dims = [1], …, index_vector_dim = 1>`, or null after an error.
template <typename Attr> Attr parseGatherAttr(mlir::AsmParser &parser) {
  DimsField fields[] = {{"offset_dims"},
                        {"collapsed_slice_dims"},
                        {"operand_batching_dims"},
                        {"start_indices_batching_dims"},
                        {"start_index_map"},
                        {"index_vector_dim", DimsField::Number}};
  if (parseDimsFields(parser, fields))
    return {};
  return Attr::get(parser.getContext(), fields[0].dims, fields[1].dims,
                   fields[2].dims, fields[3].dims, fields[4].dims,
                   fields[5].number());
}

template <typename Attr>
void printGatherAttr(mlir::AsmPrinter &printer, Attr attr) {
  printDimsFields(
      printer,
      {{"offset_dims", attr.getOffsetDims()},
       {"collapsed_slice_dims", attr.getCollapsedSliceDims()},
       {"operand_batching_dims", attr.getOperandBatchingDims()},
       {"start_indices_batching_dims", attr.getStartIndicesBatchingDims()},
       {"start_index_map", attr.getStartIndexMap()},
       {"index_vector_dim", attr.getIndexVectorDim()}});
}

/// `<update_window_dims = [1], …, index_vector_dim = 1>`, or null after an
/// error.
template <typename Attr> Attr parseScatterAttr(mlir::AsmParser &parser) {
  DimsField fields[] = {{"update_window_dims"},
                        {"inserted_window_dims"},
                        {"input_batching_dims"},
                        {"scatter_indices_batching_dims"},
                        {"scatter_dims_to_operand_dims"},
                        {"index_vector_dim", DimsField::Number}};
  if (parseDimsFields(parser, fields))
    return {};
  return Attr::get(parser.getContext(), fields[0].dims, fields[1].dims,
                   fields[2].dims, fields[3].dims, fields[4].dims,
                   fields[5].number());
}

template <typename Attr>
void printScatterAttr(mlir::AsmPrinter &printer, Attr attr) {
  printDimsFields(
      printer,
      {{"update_window_dims", attr.getUpdateWindowDims()},
       {"inserted_window_dims", attr.getInsertedWindowDims()},
       {"input_batching_dims", attr.getInputBatchingDims()},
       {"scatter_indices_batching_dims", attr.getScatterIndicesBatchingDims()},
       {"scatter_dims_to_operand_dims", attr.getScatterDimsToOperandDims()},
       {"index_vector_dim", attr.getIndexVectorDim()}});
}

/// `<[b, 0, f]x[0, i, o]->[b, 0, f]>`, or null after an error.
template <typename Attr> Attr parseConvAttrInBrackets(mlir::AsmParser &parser) {
  if (parser.parseLess())
    return {};
  Attr attr = parseConvAttr<Attr>(parser);
  if (!attr || parser.parseGreater())
    return {};
  return attr;
}

} // namespace mapwright

#endif // MAPWRIGHT_COMMON_DIMENSIONNUMBERS_H
