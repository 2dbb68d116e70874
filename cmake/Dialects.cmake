# Generated code and the library of all dialects.

find_program(MAPWRIGHT_TBLGEN mlir-tblgen
             HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)

# Runs mlir-tblgen: `output` (below the directory of generated files) from `td`
# (below dialect/) with the given options. Appends to MAPWRIGHT_GENERATED.
function(mapwright_tablegen output td)
  set(out ${MAPWRIGHT_GENERATED_DIR}/${output})
  get_filename_component(dir ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${MAPWRIGHT_TBLGEN} ${ARGN} ${MAPWRIGHT_DIALECT_DIR}/${td}
            -I ${MAPWRIGHT_DIALECT_DIR} -I ${MLIR_INCLUDE_DIRS}
            --write-if-changed -o ${out} -d ${out}.d
    DEPENDS ${MAPWRIGHT_DIALECT_DIR}/${td} ${MAPWRIGHT_TBLGEN}
    DEPFILE ${out}.d
    COMMENT "Generating ${output}"
    VERBATIM)
  set(MAPWRIGHT_GENERATED ${MAPWRIGHT_GENERATED} ${out} PARENT_SCOPE)
endfunction()

# The code of one dialect in dialect/<name>: Base.td, and Types.td, Enums.td and
# Attrs.td when they exist, and Ops.td. SHARDS > 0 splits the operations into
# that many files, so that several cores can compile them.
function(mapwright_dialect name)
  cmake_parse_arguments(ARG "" "SHARDS" "" ${ARGN})
  set(dialect --dialect=${name})
  mapwright_tablegen(${name}/Dialect.h.inc ${name}/Base.td -gen-dialect-decls ${dialect})
  mapwright_tablegen(${name}/Dialect.cpp.inc ${name}/Base.td -gen-dialect-defs ${dialect})
  if(EXISTS ${MAPWRIGHT_DIALECT_DIR}/${name}/Types.td)
    mapwright_tablegen(${name}/Types.h.inc ${name}/Types.td
                       -gen-typedef-decls --typedefs-dialect=${name})
    mapwright_tablegen(${name}/Types.cpp.inc ${name}/Types.td
                       -gen-typedef-defs --typedefs-dialect=${name})
  endif()
  if(EXISTS ${MAPWRIGHT_DIALECT_DIR}/${name}/Enums.td)
    mapwright_tablegen(${name}/Enums.h.inc ${name}/Enums.td -gen-enum-decls)
    mapwright_tablegen(${name}/Enums.cpp.inc ${name}/Enums.td -gen-enum-defs)
  endif()
  if(EXISTS ${MAPWRIGHT_DIALECT_DIR}/${name}/Attrs.td)
    mapwright_tablegen(${name}/Attrs.h.inc ${name}/Attrs.td
                       -gen-attrdef-decls --attrdefs-dialect=${name})
    mapwright_tablegen(${name}/Attrs.cpp.inc ${name}/Attrs.td
                       -gen-attrdef-defs --attrdefs-dialect=${name})
  endif()
  if(EXISTS ${MAPWRIGHT_DIALECT_DIR}/${name}/Ops.td)
    if(ARG_SHARDS)
      mapwright_tablegen(${name}/Ops.h.inc ${name}/Ops.td
                         -gen-op-decls -op-shard-count=${ARG_SHARDS})
      mapwright_tablegen(${name}/Ops.cpp.inc ${name}/Ops.td
                         -gen-op-defs -op-shard-count=${ARG_SHARDS})
      math(EXPR last "${ARG_SHARDS} - 1")
      foreach(shard RANGE ${last})
        set(source ${MAPWRIGHT_GENERATED_DIR}/${name}/Ops.${shard}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"${name}/Dialect.h\"

#define GET_OP_DEFS_${shard}
#include \"${name}/Ops.cpp.inc\"
")
        list(APPEND sources ${source})
      endforeach()
    else()
      mapwright_tablegen(${name}/Ops.h.inc ${name}/Ops.td -gen-op-decls)
      mapwright_tablegen(${name}/Ops.cpp.inc ${name}/Ops.td -gen-op-defs)
    endif()
  endif()
  file(GLOB own CONFIGURE_DEPENDS ${MAPWRIGHT_DIALECT_DIR}/${name}/*.cpp)
  set(MAPWRIGHT_GENERATED ${MAPWRIGHT_GENERATED} PARENT_SCOPE)
  set(MAPWRIGHT_SOURCES ${MAPWRIGHT_SOURCES} ${own} ${sources} PARENT_SCOPE)
endfunction()

file(GLOB MAPWRIGHT_SOURCES CONFIGURE_DEPENDS
     ${MAPWRIGHT_DIALECT_DIR}/*.cpp ${MAPWRIGHT_DIALECT_DIR}/common/*.cpp)
mapwright_dialect(check)
mapwright_dialect(chlo SHARDS 2)
mapwright_dialect(indexing)
mapwright_dialect(interpreter)
mapwright_dialect(mhlo SHARDS 6)
mapwright_dialect(sdy)
mapwright_dialect(stablehlo SHARDS 6)
mapwright_dialect(tarray SHARDS 2)

add_custom_target(MapwrightGenerated DEPENDS ${MAPWRIGHT_GENERATED})

add_library(MapwrightDialects STATIC ${MAPWRIGHT_SOURCES})
add_dependencies(MapwrightDialects MapwrightGenerated)
target_include_directories(MapwrightDialects
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include
  PRIVATE ${MAPWRIGHT_DIALECT_DIR} ${MAPWRIGHT_GENERATED_DIR})
target_include_directories(MapwrightDialects SYSTEM PUBLIC
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(MapwrightDialects PRIVATE
  __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)

# As MLIR itself was built: no exceptions, run-time type information as it has.
target_compile_options(MapwrightDialects PRIVATE
  # Parsing and printing gain nothing from more than -O1, the build time does.
  $<$<CONFIG:Release>:-O1>
  -fno-exceptions -fvisibility-inlines-hidden -ffunction-sections -fdata-sections
  $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>
  -Wall -Wextra -Wno-unused-parameter -Wno-comment)
if(MAPWRIGHT_PRECOMPILE)
  target_precompile_headers(MapwrightDialects PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/Precompiled.h)
else()
  # Generated code includes nothing by itself.
  target_compile_options(MapwrightDialects PRIVATE
    "SHELL:-include ${CMAKE_CURRENT_SOURCE_DIR}/Precompiled.h")
endif()
