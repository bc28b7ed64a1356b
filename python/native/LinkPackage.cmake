# cmake -DFROM=python/tessera -DTO=build/python/tessera -P LinkPackage.cmake
# Links each entry of FROM into TO, and removes links to what is gone. Everything else in TO, such
# as the extension, stays.
file(MAKE_DIRECTORY ${TO})
file(GLOB here LIST_DIRECTORIES true ${TO}/*)
foreach(entry ${here})
  if(IS_SYMLINK ${entry} AND NOT EXISTS ${entry})
    file(REMOVE ${entry})
  endif()
endforeach()
file(GLOB entries LIST_DIRECTORIES true RELATIVE ${FROM} ${FROM}/*)
list(REMOVE_ITEM entries __pycache__)
foreach(entry ${entries})
  if(NOT IS_SYMLINK ${TO}/${entry})
    file(CREATE_LINK ${FROM}/${entry} ${TO}/${entry} SYMBOLIC)
  endif()
endforeach()
