//===- Describe.cpp - tessera_describe ------------------------------------===//
#include "tessera/Driver/Describe.h"
#include "Strings.h"
#include "tessera.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Subprocess.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

tessera_status tessera_describe(const char *target, const char *package_folders, char **description,
                                char **message) {
  if (!description) {
    setString(message, "tessera_describe: a null argument");
    return TESSERA_USAGE_ERROR;
  }
  *description = nullptr;
  if (!target) {
    ToolPlaces places{Variables(currentEnvironment())};
    for (llvm::StringRef folder : llvm::split(package_folders ? package_folders : "", ':'))
      if (!folder.empty())
        places.packageFolders.push_back(folder.str());
    setString(description, describeLibrary(places));
    return TESSERA_DONE;
  }
  llvm::Expected<std::string> text = describeTarget(target);
  if (text) {
    setString(description, *text);
    return TESSERA_DONE;
  }
  llvm::Error error = text.takeError();
  tessera_status status = isUnsupported(error) ? TESSERA_UNSUPPORTED : TESSERA_USAGE_ERROR;
  setString(message, llvm::toString(std::move(error)));
  return status;
}
