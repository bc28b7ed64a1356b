# Cuts the functions of Math.def out of libclc, and removes all else: 8 MB become 120 KB.
#
#   cmake -DTABLE=Math.def -DLIBRARY=amdgcn-amd-amdhsa.bc -DOPT=opt -DOUTPUT=math.bc -P EmbedMath.cmake
#
# libclc mangles names as C++ does: sin(float) is _Z3sinf. Without the library the output is empty.
if(NOT EXISTS "${LIBRARY}")
  file(WRITE ${OUTPUT} "")
  return()
endif()
file(STRINGS ${TABLE} rows REGEX "^MATH\\(")
set(symbols "")
foreach(row ${rows})
  string(REGEX MATCH "^MATH\\(([a-z0-9]+), \"([fi]+)\"\\)" matched "${row}")
  string(LENGTH ${CMAKE_MATCH_1} length)
  foreach(type f d)
    string(REPLACE f ${type} arguments ${CMAKE_MATCH_2})
    list(APPEND symbols _Z${length}${CMAKE_MATCH_1}${arguments})
  endforeach()
endforeach()
list(JOIN symbols "," symbols)
execute_process(COMMAND ${OPT} -passes=internalize,globaldce,strip-dead-prototypes,strip
  -internalize-public-api-list=${symbols} ${LIBRARY} -o ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
