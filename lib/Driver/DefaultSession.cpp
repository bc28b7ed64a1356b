//===- DefaultSession.cpp - the settings of a session that nobody chose ---===//
#include "tessera/Driver/DefaultSession.h"

using namespace tessera;

std::string tessera::defaultCacheFolder(const Variables &variables) {
  struct Place {
    llvm::StringRef variable, below;
  };
  constexpr Place kPlaces[] = {{"TESSERA_CACHE_DIR", ""},
                               {"TRITON_CACHE_DIR", "/tessera"},
                               {"TRITON_HOME", "/.triton/cache/tessera"},
                               {"XDG_CACHE_HOME", "/tessera"},
                               {"HOME", "/.cache/tessera"}};
  for (const Place &place : kPlaces)
    if (std::string folder = variables.get(place.variable); !folder.empty())
      return folder + place.below.str();
  return "";
}

SessionOptions tessera::defaultSession(const Variables &variables) {
  SessionOptions options;
  options.tools = toolPaths(findTools({variables}));
  options.cacheFolder = defaultCacheFolder(variables);
  if (variables.get("TESSERA_CACHE_TRUST") == "all")
    options.cacheTrust = CacheTrust::AllUsers;
  return options;
}
