//===- Suggest.cpp - the name that somebody probably meant ----------------===//
// See Suggest.h.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Suggest.h"

namespace tessera {

std::string closestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef best;
  unsigned limit = unsigned(name.size() + 2) / 3 + 1;
  for (llvm::StringRef each : known)
    if (unsigned distance = name.edit_distance(each, /*AllowReplacements=*/true, limit);
        distance < limit && distance < each.size())
      best = each, limit = distance;
  return best.str();
}

std::string suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  std::string best = closestName(name, known);
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

} // namespace tessera
