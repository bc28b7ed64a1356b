# find_package(Tessera): the compiler, its library, and libraries of kernels.
#
#   Tessera::compiler        the program bin/tessera
#   Tessera::tessera         libtessera.so with tessera.h
#   Tessera::pack            libtessera_pack.so with tessera_pack.h, which launches kernels of packs
#   tessera_add_kernels()    a static library of kernels from a manifest
#   tessera_add_pack()       a pack and its header from a manifest
#
# The paths follow from where this file is, so that the archive may be unpacked anywhere.

include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(Tessera_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET Tessera::compiler)
  add_executable(Tessera::compiler IMPORTED)
  set_target_properties(Tessera::compiler PROPERTIES IMPORTED_LOCATION "${Tessera_PREFIX}/bin/tessera")
  add_library(Tessera::tessera SHARED IMPORTED)
  set_target_properties(Tessera::tessera PROPERTIES
    IMPORTED_LOCATION "${Tessera_PREFIX}/lib/libtessera.so"
    IMPORTED_SONAME libtessera.so
    INTERFACE_INCLUDE_DIRECTORIES "${Tessera_PREFIX}/include")
  add_library(Tessera::pack SHARED IMPORTED)
  set_target_properties(Tessera::pack PROPERTIES
    IMPORTED_LOCATION "${Tessera_PREFIX}/lib/libtessera_pack.so"
    IMPORTED_SONAME libtessera_pack.so
    INTERFACE_INCLUDE_DIRECTORIES "${Tessera_PREFIX}/include")
endif()

# Checks the arguments of the functions below, and sets `manifest` to the manifest's path.
macro(_tessera_find_manifest function target)
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_MANIFEST)
    message(FATAL_ERROR "${function}(${target}): write MANIFEST and the path of a manifest")
  endif()
  get_filename_component(manifest "${ARG_MANIFEST}" ABSOLUTE)
  if(NOT EXISTS "${manifest}")
    message(FATAL_ERROR "${function}(${target}): there is no manifest '${manifest}'")
  endif()
endmacro()

# tessera_add_kernels(TARGET MANIFEST kernels.toml
#                     [TARGETS cuda:90 cpu] [OUTPUT_DIRECTORY DIR] [OPTIONS --cflags=-g ...])
#
# Adds the library TARGET with the kernels of the manifest: `target_link_libraries(program PRIVATE TARGET)`,
# `#include "TARGET.h"`. It is built again if the manifest, a Python file that a kernel uses, or Tessera changes.
# TARGETS replaces the targets of the manifest; OPTIONS are more options of `tessera build`.
function(tessera_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MANIFEST;OUTPUT_DIRECTORY" "TARGETS;OPTIONS")
  _tessera_find_manifest(tessera_add_kernels ${target})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  if(ARG_OUTPUT_DIRECTORY)
    get_filename_component(folder "${ARG_OUTPUT_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(options ${ARG_OPTIONS})
  if(ARG_TARGETS)
    string(REPLACE ";" "," targets "${ARG_TARGETS}")
    list(APPEND options --target ${targets})
  endif()
  if(CMAKE_C_COMPILER)
    list(APPEND options --cc ${CMAKE_C_COMPILER})
  endif()

  get_target_property(compiler Tessera::compiler IMPORTED_LOCATION)
  get_target_property(library Tessera::tessera IMPORTED_LOCATION)
  set(archive "${folder}/lib${target}.a")
  file(MAKE_DIRECTORY "${folder}") # an include folder exists when CMake runs
  if(POLICY CMP0116)
    cmake_policy(SET CMP0116 NEW)
  endif()
  add_custom_command(OUTPUT "${archive}"
    BYPRODUCTS "${folder}/${target}.h" "${folder}/${target}.c" "${folder}/${target}.json"
    COMMAND "${compiler}" build "${manifest}" -o "${folder}" --name ${target} --quiet ${options}
    DEPENDS "${manifest}" "${compiler}" "${library}"
    DEPFILE "${folder}/${target}.d"
    COMMENT "Building the kernels of ${ARG_MANIFEST}"
    VERBATIM)
  add_custom_target(${target}_kernels DEPENDS "${archive}")
  add_library(${target} STATIC IMPORTED GLOBAL)
  add_dependencies(${target} ${target}_kernels)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${archive}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}"
    INTERFACE_LINK_LIBRARIES "m;${CMAKE_DL_LIBS};Threads::Threads")
endfunction()

# tessera_add_pack(TARGET MANIFEST kernels.toml [TARGETS cuda:80 cpu] [OUTPUT FILE] [SIGN KEY])
#
# Adds the pack FILE (TARGET.tpack in the build folder) with the kernels of the manifest, and its header FILE.h:
# `target_link_libraries(program PRIVATE TARGET)`, `#include "TARGET.tpack.h"`. The target's property TESSERA_PACK is the path of
# FILE. It is built again if the manifest or Tessera changes, and what it needs of the earlier pack is taken from there; after a
# change of a Python file that the manifest names, touch the manifest.
function(tessera_add_pack target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MANIFEST;OUTPUT;SIGN" "TARGETS")
  _tessera_find_manifest(tessera_add_pack ${target})
  set(pack "${CMAKE_CURRENT_BINARY_DIR}/${target}.tpack")
  if(ARG_OUTPUT)
    get_filename_component(pack "${ARG_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(folder "${pack}" DIRECTORY)
  set(options)
  if(ARG_TARGETS)
    string(REPLACE ";" "," targets "${ARG_TARGETS}")
    list(APPEND options --targets ${targets})
  endif()
  if(ARG_SIGN)
    get_filename_component(key "${ARG_SIGN}" ABSOLUTE)
    list(APPEND options --sign "${key}")
  endif()
  get_target_property(compiler Tessera::compiler IMPORTED_LOCATION)
  get_target_property(library Tessera::tessera IMPORTED_LOCATION)
  add_custom_command(OUTPUT "${pack}" "${pack}.h"
    COMMAND "${compiler}" pack "${manifest}" -o "${pack}" --quiet ${options}
    COMMAND "${compiler}" pack header "${pack}" -o "${pack}.h"
    DEPENDS "${manifest}" "${compiler}" "${library}"
    COMMENT "Building the pack of ${ARG_MANIFEST}"
    VERBATIM)
  add_custom_target(${target}_pack DEPENDS "${pack}" "${pack}.h")
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_pack)
  target_include_directories(${target} INTERFACE "${folder}")
  target_link_libraries(${target} INTERFACE Tessera::pack Threads::Threads ${CMAKE_DL_LIBS} m)
  set_target_properties(${target} PROPERTIES TESSERA_PACK "${pack}")
endfunction()
