# How every library and program of the project is declared.
#
#   tessera_library(TesseraFoo A.cpp B.cpp DEPENDS TesseraBar TesseraFooIncGen LINK MLIRIR LLVMSupport)
#
# All C++ reuses one of two precompiled headers, because the MLIR and LLVM headers take half a minute
# to parse and a fraction of a second when precompiled: lib/Support/Precompiled.h, or that together with
# the tt dialect (lib/TTIR/Precompiled.h). The variable TESSERA_PRECOMPILED of a folder says which one.

set(TESSERA_WARNINGS -Wall -Wextra -Wno-unused-parameter -Werror)
set(TESSERA_FLAGS -fno-rtti -fno-exceptions ${TESSERA_WARNINGS})

function(tessera_flags target)
  target_compile_options(${target} PRIVATE ${TESSERA_FLAGS})
  # The build id is what getBuildIdentity() puts into the cache key.
  target_link_options(${target} PRIVATE -fuse-ld=lld -Wl,--gc-sections,--build-id)
endfunction()

# The library that owns a precompiled header; all others reuse it.
function(tessera_precompiled name)
  add_library(${name} STATIC ${PROJECT_SOURCE_DIR}/lib/Support/Precompiled.cpp)
  tessera_flags(${name})
  target_compile_options(${name} PUBLIC -fpch-instantiate-templates)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
tessera_precompiled(TesseraPrecompiled ${PROJECT_SOURCE_DIR}/lib/Support/Precompiled.h)
tessera_precompiled(TesseraPrecompiledTTIR ${PROJECT_SOURCE_DIR}/lib/Support/Precompiled.h
  ${PROJECT_SOURCE_DIR}/lib/TTIR/Precompiled.h)
add_dependencies(TesseraPrecompiledTTIR TesseraTTIRIncGen)
set(TESSERA_PRECOMPILED TesseraPrecompiled)

function(tessera_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tessera_flags(${name})
  target_compile_options(${name} PRIVATE -fpch-instantiate-templates)
  target_precompile_headers(${name} REUSE_FROM ${TESSERA_PRECOMPILED})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tessera_program(tessera-opt Main.cpp LINK ...): an executable under build/bin.
function(tessera_program name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tessera_flags(${name})
  # -fPIC after CMake's -fPIE: the precompiled header is position-independent code.
  target_compile_options(${name} PRIVATE -fpch-instantiate-templates -fPIC)
  target_precompile_headers(${name} REUSE_FROM ${TESSERA_PRECOMPILED})
  # MLIRIR: the precompiled header brings its debug printers into every object.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIRIR)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tessera_unittest(LayoutTest A.cpp LINK TesseraLayout): a gtest program under build/unittests.
function(tessera_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  tessera_program(${name} ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK} gtest gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  add_dependencies(tessera-unittests ${name})
endfunction()
add_custom_target(tessera-unittests)
