# embed_texts(RESULT MACRO FOLDER FILES...): sets RESULT to one line of C++ for each file, MACRO("name", text).
#
# The text is a raw string. A string literal may have 64 KiB in some compilers; each file is far smaller.
function(embed_texts result macro folder)
  set(texts "")
  foreach(name IN LISTS ARGN)
    file(READ ${folder}/${name} text)
    if(text MATCHES "\\)TESSERA\"")
      message(FATAL_ERROR "${name}: contains the end of a C++ raw string")
    endif()
    string(APPEND texts "${macro}(\"${name}\", R\"TESSERA(${text})TESSERA\")\n")
  endforeach()
  set(${result} "${texts}" PARENT_SCOPE)
endfunction()
