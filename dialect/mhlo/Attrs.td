//===- Attrs.td - structured attributes of MHLO ---------------------------===//

#ifndef MAPWRIGHT_MHLO_ATTRS
#define MAPWRIGHT_MHLO_ATTRS

include "common/Parameters.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mhlo/Enums.td"

class MHLO_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<MHLO_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def MHLO_DotAttr : MHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions a product contracts and batches over";
  let parameters = (ins Hlo_OptionalDims:$lhs_batching_dimensions,
                        Hlo_OptionalDims:$rhs_batching_dimensions,
                        Hlo_OptionalDims:$lhs_contracting_dimensions,
                        Hlo_OptionalDims:$rhs_contracting_dimensions);
  let hasCustomAssemblyFormat = 1;
}

def MHLO_DotAlgorithmAttr
    : MHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
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

def MHLO_GatherAttr : MHLO_Attr<"GatherDimensionNumbers", "gather"> {
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

def MHLO_ScatterAttr
    : MHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
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

def MHLO_ConvAttr : MHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "the roles of the dimensions of a convolution";
  let description = [{
    Written `#mhlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: for the
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

def MHLO_ChannelHandleAttr
    : MHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "the channel of a communicating operation";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MHLO_OutputOperandAliasAttr
    : MHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result that shares the buffer of an operand";
  let parameters = (ins Hlo_Dims:$output_tuple_indices,
                        "int64_t":$operand_index,
                        Hlo_Dims:$operand_tuple_indices);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MHLO_ResultAccuracyAttr
    : MHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "the accuracy that a result has to have";
  let parameters = (ins Hlo_OptionalFloat:$atol, Hlo_OptionalFloat:$rtol,
                        DefaultValuedParameter<"int64_t", "0">:$ulps,
                        Hlo_FullAttr<"::mapwright::mhlo::"
                                     "ResultAccuracyModeAttr">:$mode);
  let assemblyFormat = "`<` struct(params) `>`";
  let constBuilderCall = "$0";
  let extraClassDeclaration = [{
    /// The accuracy that an operation has when nothing else is said.
    static ResultAccuracyAttr getDefault(::mlir::MLIRContext *context);
  }];
}

def MHLO_TypeExtensionsAttr
    : MHLO_Attr<"TypeExtensions", "type_extensions",
                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of the dynamic dimensions of a tensor type";
  let description = [{
    The encoding of a bounded dynamic tensor type:
    `tensor<?x4xf32, #mhlo.type_extensions<bounds = [6, ?]>>`. A dimension
    without a bound is written `?`; older text has `-1`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def MHLO_RaggedDotAttr
    : MHLO_Attr<"RaggedDotDimensionNumbers", "ragged_dot"> {
  let summary = "the dimensions of a ragged product";
  let parameters = (ins Hlo_FullAttr<"::mapwright::mhlo::"
                                     "DotDimensionNumbersAttr">
                            :$dot_dimension_numbers,
                        Hlo_OptionalDims:$lhs_ragged_dimensions,
                        Hlo_OptionalDims:$rhs_group_dimensions);
  let assemblyFormat = "`<` struct(params) `>`";
}

// What XLA notes for itself. It is read, kept and printed.
class MHLO_NoteAttr<string name, string mnemonic, string what>
    : MHLO_Attr<name, mnemonic> {
  let summary = what;
  let parameters = (ins StringRefParameter<>:$text);
  let assemblyFormat = "`<` custom<Note>($text)";
}
def MHLO_OriginalValueAttr
    : MHLO_NoteAttr<"OriginalValue", "original_value",
                    "where a value comes from in the program as it was">;
def MHLO_OriginalArrayAttr
    : MHLO_NoteAttr<"OriginalArray", "original_array",
                    "an array of the program as it was">;
def MHLO_ArgResultAliasAttr
    : MHLO_NoteAttr<"ArgResultAlias", "result_alias",
                    "the result that an argument of a function may share "
                    "its buffer with">;
def MHLO_CrossProgramPrefetchAttr
    : MHLO_NoteAttr<"CrossProgramPrefetch", "cross_program_prefetch",
                    "an argument that another program fetches">;
def MHLO_MeshAxisAttr
    : MHLO_NoteAttr<"MeshAxis", "mesh_axis",
                    "a named axis of a device mesh and its size">;
def MHLO_MeshAttr : MHLO_NoteAttr<"Mesh", "mesh", "a mesh of devices">;
def MHLO_AxisRefAttr
    : MHLO_NoteAttr<"AxisRef", "axis_ref", "a mesh axis or a part of one">;
def MHLO_ReplicaGroupMeshAxesAttr
    : MHLO_NoteAttr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes",
                    "replica groups along axes of a device mesh">;

#endif // MAPWRIGHT_MHLO_ATTRS
