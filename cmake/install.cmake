# Installs what cargo has built:  cmake -DPREFIX=/usr/local -DPROGRAMS=target/release -P cmake/install.cmake
#
#   bin/mapwright, bin/mapwright-opt, bin/mapwright-lsp-server
#   lib/libmapwright.so, lib/libmapwright_runtime.so, lib/libmapwright_runtime.a, lib/cmake/Mapwright/*,
#   lib/pkgconfig/mapwright-runtime.pc
#   include/mapwright-c/*.h, include/mapwright/*.h
#   share/doc/mapwright/LICENSE, NOTICES.md, README.md, *.md
#   share/man/man1/mapwright*.1, and completions of bash, zsh and fish
#
# Symbols that only a debugger reads are left out, a few times what is left, but with -DSTRIP=OFF. The environment variable DESTDIR is a folder in front of
# all of it, as packagers want: the tree below it is for PREFIX.

cmake_minimum_required(VERSION 3.20)

foreach(variable PREFIX PROGRAMS)
  if(NOT ${variable})
    message(FATAL_ERROR "-D${variable}= is missing")
  endif()
endforeach()
cmake_path(ABSOLUTE_PATH PREFIX)
cmake_path(ABSOLUTE_PATH PROGRAMS)
set(SOURCE ${CMAKE_CURRENT_LIST_DIR}/..)

set(LLVM_PREFIX $ENV{MLIR_SYS_220_PREFIX})
if(NOT LLVM_PREFIX)
  set(LLVM_PREFIX /usr/lib/llvm-22)
endif()
execute_process(COMMAND ${LLVM_PREFIX}/bin/llvm-config --version
  OUTPUT_VARIABLE LLVM_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" LLVM_RELEASE ${LLVM_VERSION})
file(STRINGS ${SOURCE}/Cargo.toml VERSION REGEX "^version = ")
list(GET VERSION 0 VERSION)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" VERSION ${VERSION})

# A test may run before `cargo build` has put the library beside the programs; then it is one folder down.
set(BUILT_LIBRARY ${PROGRAMS}/deps/libmapwright.so)
if(NOT EXISTS ${BUILT_LIBRARY})
  set(BUILT_LIBRARY ${PROGRAMS}/libmapwright.so)
endif()
file(INSTALL ${BUILT_LIBRARY} DESTINATION ${PREFIX}/lib USE_SOURCE_PERMISSIONS)
# What shared libraries and objects that `mapwright compile` makes are linked with, and what `indexing-lower-in-place` calls.
file(INSTALL ${PROGRAMS}/libmapwright_runtime.a DESTINATION ${PREFIX}/lib)
set(BUILT_RUNTIME ${PROGRAMS}/deps/libmapwright_runtime.so)
if(NOT EXISTS ${BUILT_RUNTIME})
  set(BUILT_RUNTIME ${PROGRAMS}/libmapwright_runtime.so)
endif()
file(INSTALL ${BUILT_RUNTIME} DESTINATION ${PREFIX}/lib USE_SOURCE_PERMISSIONS)
foreach(program mapwright mapwright-opt mapwright-lsp-server)
  file(INSTALL ${PROGRAMS}/${program} DESTINATION ${PREFIX}/bin USE_SOURCE_PERMISSIONS)
endforeach()
file(INSTALL ${SOURCE}/include/ DESTINATION ${PREFIX}/include)

file(INSTALL ${SOURCE}/LICENSE ${SOURCE}/NOTICES.md ${SOURCE}/README.md DESTINATION ${PREFIX}/share/doc/mapwright)
file(INSTALL ${SOURCE}/docs/ DESTINATION ${PREFIX}/share/doc/mapwright)

# file(INSTALL) puts DESTDIR in front by itself.
set(STAGED $ENV{DESTDIR}${PREFIX})

# The program knows its own command line.
execute_process(COMMAND ${PROGRAMS}/mapwright manual ${STAGED}/share/man/man1 COMMAND_ERROR_IS_FATAL ANY)
foreach(completion bash=bash-completion/completions/mapwright zsh=zsh/site-functions/_mapwright fish=fish/vendor_completions.d/mapwright.fish)
  string(REPLACE "=" ";" completion ${completion})
  list(GET completion 0 shell)
  list(GET completion 1 file)
  execute_process(COMMAND ${PROGRAMS}/mapwright completions ${shell} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${STAGED}/share/${file} "${text}")
endforeach()

if(NOT DEFINED STRIP OR STRIP)
  find_program(STRIP_PROGRAM NAMES llvm-strip strip HINTS ${LLVM_PREFIX}/bin REQUIRED)
  file(GLOB SHARED ${STAGED}/bin/mapwright ${STAGED}/bin/mapwright-* ${STAGED}/lib/libmapwright.so ${STAGED}/lib/libmapwright_runtime.so)
  execute_process(COMMAND ${STRIP_PROGRAM} --strip-unneeded ${SHARED} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${STRIP_PROGRAM} --strip-debug ${STAGED}/lib/libmapwright_runtime.a COMMAND_ERROR_IS_FATAL ANY)
endif()

configure_file(${CMAKE_CURRENT_LIST_DIR}/mapwright-runtime.pc.in ${STAGED}/lib/pkgconfig/mapwright-runtime.pc @ONLY)

include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_PREFIX ${PREFIX})
set(LIBRARY lib/libmapwright.so)
set(RUNTIME lib/libmapwright_runtime.so)
set(RUNTIME_ARCHIVE lib/libmapwright_runtime.a)
set(INCLUDE include)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/MapwrightConfig.cmake.in
  ${STAGED}/lib/cmake/Mapwright/MapwrightConfig.cmake
  INSTALL_DESTINATION lib/cmake/Mapwright
  PATH_VARS LIBRARY RUNTIME RUNTIME_ARCHIVE INCLUDE)
write_basic_package_version_file(${STAGED}/lib/cmake/Mapwright/MapwrightConfigVersion.cmake
  VERSION ${VERSION} COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
