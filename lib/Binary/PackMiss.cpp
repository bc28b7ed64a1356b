//===- PackMiss.cpp - why a pack does not have a kernel -------------------===//
// Compares what a key is made of, from the most to the least that two kernels can have in
// common: name, source, target, options, signature. The first that nothing in the pack
// shares is the reason.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/PackMiss.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace tessera;

static std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 300))
    safe += llvm::isPrint(c) ? c : '?';
  return safe;
}

/// The different texts of the entries, at most three.
static std::string list(llvm::ArrayRef<PackEntry> entries, std::string_view PackEntry::*field,
                        llvm::StringRef empty) {
  std::vector<std::string> texts;
  for (const PackEntry &entry : entries) {
    std::string text = (entry.*field).empty() ? empty.str() : shown(entry.*field);
    if (!llvm::is_contained(texts, text))
      texts.push_back(text);
  }
  size_t more = texts.size() > 3 ? texts.size() - 3 : 0;
  texts.resize(texts.size() - more);
  return llvm::join(texts, "; ") + (more ? "; and " + std::to_string(more) + " more" : "");
}

/// The number of entries in which two signatures differ.
static size_t differences(llvm::StringRef left, llvm::StringRef right) {
  size_t count = 0;
  while (!left.empty() || !right.empty()) {
    auto [one, restOfLeft] = left.split(',');
    auto [other, restOfRight] = right.split(',');
    count += one != other;
    left = restOfLeft, right = restOfRight;
  }
  return count;
}

std::string tessera::explainMiss(const PackView &pack, const PackKeys &keys,
                                 llvm::StringRef target) {
  std::vector<PackEntry> near;
  for (uint32_t i = 0; i < pack.size(); ++i) {
    PackEntry entry = pack.entry(i);
    if (entry.kind == PackEntryKind::Kernel && entry.name == keys.kernelName)
      near.push_back(entry);
  }
  if (near.empty())
    return "it has no kernel of this name";
  auto narrow = [&](auto isAlike) {
    std::vector<PackEntry> found;
    llvm::copy_if(near, std::back_inserter(found), isAlike);
    if (found.empty())
      return false;
    near = std::move(found);
    return true;
  };
  if (!narrow([&](const PackEntry &entry) {
        return std::memcmp(entry.source, keys.source.data(), keys.source.size()) == 0;
      }))
    return "it has the kernel with another source (a function or a global that it reads has "
           "changed since it was recorded at " +
           shown(near[0].origin) + ")";
  std::string_view wanted(target.data(), target.size());
  if (!narrow([&](const PackEntry &entry) { return entry.target == wanted; }))
    return "it has the kernel for other targets: " + list(near, &PackEntry::target, "");
  if (!narrow([&](const PackEntry &entry) { return entry.options == keys.options; }))
    return "it has the kernel with other options: " + list(near, &PackEntry::options, "none");
  auto distance = [&](const PackEntry &entry) {
    return std::pair(differences(entry.signature, keys.signature), entry.signature);
  };
  llvm::sort(near, [&](const PackEntry &left, const PackEntry &right) {
    return distance(left) < distance(right);
  });
  return "it has the kernel for other signatures: " + list(near, &PackEntry::signature, "none");
}
