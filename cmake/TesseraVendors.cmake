# Files that list the targets, so that code outside of lib/Target/X names none of them:
#
#   tessera/Config/Targets.def        TESSERA_TARGET(X) for each
#   tessera/Config/TargetOptions.def  the table of options of each that has one
#
# They are written again only where they change.
set(vendors "// Written by CMake from TESSERA_VENDORS.\n")
set(options "${vendors}")
foreach(vendor ${TESSERA_VENDORS})
  string(APPEND vendors "TESSERA_TARGET(${vendor})\n")
  if(EXISTS ${PROJECT_SOURCE_DIR}/include/tessera/Target/${vendor}/Options.def)
    string(APPEND options "#include \"tessera/Target/${vendor}/Options.def\"\n")
  endif()
endforeach()
string(APPEND vendors "#undef TESSERA_TARGET\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/tessera/Config/Targets.def CONTENT "${vendors}" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/tessera/Config/TargetOptions.def CONTENT "${options}" @ONLY)
