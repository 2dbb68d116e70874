# Makes packages of what cargo has built:  cmake -DPROGRAMS=target/release -DOUT=target/package -DKIND=deb -P cmake/package.cmake
#
# KIND is `tarball` (a tree that works wherever it is unpacked) or `deb` (for /usr). LLVM and MLIR are not in it: the programs find
# them where they were built with them. The same programs give the same bytes.

cmake_minimum_required(VERSION 3.20)

foreach(variable PROGRAMS OUT KIND)
  if(NOT ${variable})
    message(FATAL_ERROR "-D${variable}= is missing")
  endif()
endforeach()
cmake_path(ABSOLUTE_PATH PROGRAMS)
cmake_path(ABSOLUTE_PATH OUT)
set(SOURCE ${CMAKE_CURRENT_LIST_DIR}/..)
file(STRINGS ${SOURCE}/Cargo.toml VERSION REGEX "^version = ")
list(GET VERSION 0 VERSION)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" VERSION ${VERSION})
cmake_host_system_information(RESULT MACHINE QUERY OS_PLATFORM)

set(STAGE ${OUT}/stage)
file(REMOVE_RECURSE ${STAGE})
if(KIND STREQUAL tarball)
  set(NAME mapwright-${VERSION}-linux-${MACHINE})
  set(PREFIX /${NAME})
elseif(KIND STREQUAL deb)
  set(PREFIX /usr)
else()
  message(FATAL_ERROR "-DKIND=${KIND}: tarball or deb")
endif()
set(ENV{DESTDIR} ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} -DPREFIX=${PREFIX} -DPROGRAMS=${PROGRAMS} -P ${CMAKE_CURRENT_LIST_DIR}/install.cmake
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(ENV{SOURCE_DATE_EPOCH} 0)
endif()
if(KIND STREQUAL tarball)
  set(FILE ${OUT}/${NAME}.tar.gz)
  execute_process(
    COMMAND tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$ENV{SOURCE_DATE_EPOCH} -C ${STAGE} -cf - ${NAME}
    COMMAND gzip -n
    OUTPUT_FILE ${FILE} COMMAND_ERROR_IS_FATAL ANY)
else()
  execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE ARCHITECTURE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${STAGE}/DEBIAN/control "Package: mapwright
Version: ${VERSION}
Architecture: ${ARCHITECTURE}
Maintainer: The Mapwright authors <mapwright@localhost>
Depends: libc6, libgcc-s1, libstdc++6, libmlir-22, libllvm22
Recommends: lld-22
Section: devel
Priority: optional
Description: compiler of StableHLO programs by their indexing maps
 Compiles StableHLO, the programs of JAX, PyTorch and TensorFlow, to native
 code, and says which elements of its operands each operation reads.
")
  # Debian has licences under another name.
  file(RENAME ${STAGE}/usr/share/doc/mapwright/LICENSE ${STAGE}/usr/share/doc/mapwright/copyright)
  set(FILE ${OUT}/mapwright_${VERSION}_${ARCHITECTURE}.deb)
  execute_process(COMMAND dpkg-deb --root-owner-group -Zzstd --build ${STAGE} ${FILE} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
file(REMOVE_RECURSE ${STAGE})
message(STATUS ${FILE})
