//===- Attrs.td - structured attributes of StableHLO ----------------------===//

#ifndef MAPWRIGHT_STABLEHLO_ATTRS
#define MAPWRIGHT_STABLEHLO_ATTRS

include "common/Parameters.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "stablehlo/Enums.td"

class StableHLO_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<StableHLO_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def StableHLO_DotAttr : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions a product contracts and batches over";
  let parameters = (ins Hlo_OptionalDims:$lhs_batching_dimensions,
                        Hlo_OptionalDims:$rhs_batching_dimensions,
                        Hlo_OptionalDims:$lhs_contracting_dimensions,
                        Hlo_OptionalDims:$rhs_contracting_dimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_DotAlgorithmAttr
    : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "the numeric algorithm of a product";
  let parameters = (ins "::mlir::Type":$lhs_precision_type,
                        "::mlir::Type":$rhs_precision_type,
                        "::mlir::Type":$accumulation_type,
                        "int64_t":$lhs_component_count,
                        "int64_t":$rhs_component_count,
                        "int64_t":$num_primitive_operations,
                        Hlo_Bool:$allow_imprecise_accumulation);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_GatherAttr : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "how the dimensions of a gather correspond";
  let parameters = (ins Hlo_OptionalDims:$offset_dims,
                        Hlo_OptionalDims:$collapsed_slice_dims,
                        Hlo_OptionalDims:$operand_batching_dims,
                        Hlo_OptionalDims:$start_indices_batching_dims,
                        Hlo_OptionalDims:$start_index_map,
                        DefaultValuedParameter<"int64_t", "0">
                            :$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ScatterAttr
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how the dimensions of a scatter correspond";
  let parameters = (ins Hlo_OptionalDims:$update_window_dims,
                        Hlo_OptionalDims:$inserted_window_dims,
                        Hlo_OptionalDims:$input_batching_dims,
                        Hlo_OptionalDims:$scatter_indices_batching_dims,
                        Hlo_OptionalDims:$scatter_dims_to_operand_dims,
                        DefaultValuedParameter<"int64_t", "0">
                            :$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ConvAttr : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "the roles of the dimensions of a convolution";
  let description = [{
    Written `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: for the
    input, the kernel and the output, in order, what each dimension is. `b` is
    the batch, `f` the feature dimension, `i` and `o` the kernel's input and
    output features; numbers are spatial dimensions.
  }];
  let parameters = (ins "int64_t":$input_batch_dimension,
                        "int64_t":$input_feature_dimension,
                        ArrayRefParameter<"int64_t">:$input_spatial_dimensions,
                        "int64_t":$kernel_input_feature_dimension,
                        "int64_t":$kernel_output_feature_dimension,
                        ArrayRefParameter<"int64_t">:$kernel_spatial_dimensions,
                        "int64_t":$output_batch_dimension,
                        "int64_t":$output_feature_dimension,
                        ArrayRefParameter<"int64_t">
                            :$output_spatial_dimensions);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The text between the angle brackets.
    static ConvDimensionNumbersAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;
  }];
}

def StableHLO_ChannelHandleAttr
    : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "the channel of a communicating operation";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result that shares the buffer of an operand";
  let parameters = (ins Hlo_Dims:$output_tuple_indices,
                        "int64_t":$operand_index,
                        Hlo_Dims:$operand_tuple_indices);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_ResultAccuracyAttr
    : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "the accuracy that a result has to have";
  let parameters = (ins Hlo_OptionalFloat:$atol, Hlo_OptionalFloat:$rtol,
                        DefaultValuedParameter<"int64_t", "0">:$ulps,
                        Hlo_FullAttr<"::mapwright::stablehlo::"
                                     "ResultAccuracyModeAttr">:$mode);
  let assemblyFormat = "`<` struct(params) `>`";
  let constBuilderCall = "$0";
  let extraClassDeclaration = [{
    /// The accuracy that an operation has when nothing else is said.
    static ResultAccuracyAttr getDefault(::mlir::MLIRContext *context);
  }];
}

def StableHLO_BoundsAttr
    : StableHLO_Attr<"TypeExtensions", "bounds",
                     [DeclareAttrInterfaceMethods<
                         VerifiableTensorEncoding>]> {
  let summary = "upper bounds of the dynamic dimensions of a tensor type";
  let description = [{
    The encoding of a bounded dynamic tensor type:
    `tensor<?x4xf32, #stablehlo.bounds<6, ?>>`. A static dimension has no bound
    and is written `?`, as is a dynamic dimension without a bound.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_MeshAxisAttr : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis of a device mesh and its size";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_MeshAttr : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "a mesh of devices";
  let parameters = (ins
      ArrayRefParameter<"::mapwright::stablehlo::MeshAxisAttr">:$axes,
      OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]`
    (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}

def StableHLO_SubAxisInfoAttr
    : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a part of a mesh axis";
  let description = [{
    `(p)s`: the part of size `s` that has `p` devices before it.
  }];
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def StableHLO_AxisRefAttr : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis or a part of one";
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<
                            "::mapwright::stablehlo::SubAxisInfoAttr">
                            :$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_ReplicaGroupMeshAxesAttr
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups along axes of a device mesh";
  let parameters = (ins Hlo_FullAttr<"::mlir::Attribute">:$mesh,
                        Hlo_FullAttr<"::mlir::ArrayAttr">:$axes);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // MAPWRIGHT_STABLEHLO_ATTRS
