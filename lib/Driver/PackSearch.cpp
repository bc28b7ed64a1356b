//===- PackSearch.cpp - the kernel of a pack that runs on a chip ----------===//
#include "tessera/Driver/PackSearch.h"
#include "tessera/Launch/CodeFit.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;

static std::string_view viewOf(llvm::StringRef text) { return {text.data(), text.size()}; }

CodeFit tessera::fitOfEntry(const PackView &pack, const PackEntry &entry, llvm::StringRef target) {
  CodeForms forms = codeFormsOf(entry.target);
  PackArtifact binary, text;
  ChipCode code{.target = entry.target, .hasBinary = pack.find(entry, forms.binary, binary)};
  if (!forms.text.empty() && pack.find(entry, forms.text, text))
    code.text = text.bytes;
  return fitCode(viewOf(target), code);
}

/// Returns whether each resource of a processor has room for a CTA of the kernel.
static bool fitsOn(const Target *chip, const KernelRecord &record) {
  std::optional<MachineFacts> facts = chip ? chip->machineFacts(record) : std::nullopt;
  return !facts ||
         llvm::none_of(facts->limits, [](const auto &limit) { return limit.second == 0; });
}

std::optional<PackHit> tessera::findInPack(const PackFile &pack, const PackHash &key,
                                           llvm::StringRef target, const Target *chip,
                                           PackKeysFor keysFor, std::string &problem,
                                           bool isForLaunch) {
  struct Candidate {
    uint32_t number;
    CodeFit fit;
    std::string target;
  };
  std::vector<Candidate> candidates;
  if (std::optional<uint32_t> number = pack.find(key))
    candidates.push_back({*number, {kFitsExactly, false}, target.str()});
  auto addOthers = [&] {
    for (const std::string &other : pack.targets()) {
      if (other == target || llvm::StringRef(other).split(':').first != target.split(':').first)
        continue;
      llvm::Expected<PackKeys> keys = keysFor(other);
      std::optional<uint32_t> number = keys ? pack.find(keys->key) : std::nullopt;
      if (!keys)
        llvm::consumeError(keys.takeError());
      if (!number)
        continue;
      if (CodeFit fit = fitOfEntry(pack.view(), pack.view().entry(*number), target))
        candidates.push_back({*number, fit, other});
    }
    llvm::sort(candidates,
               [](const Candidate &a, const Candidate &b) { return a.fit.rank > b.fit.rank; });
  };
  if (candidates.empty())
    addOthers();
  for (const Candidate &candidate : candidates) {
    bool isOwn = candidate.target == target;
    std::string_view binary = codeFormsOf(candidate.target).binary;
    llvm::Expected<CompiledKernel> kernel = pack.load(
        candidate.number, isOwn && isForLaunch ? llvm::StringRef(binary) : llvm::StringRef());
    if (!kernel) {
      problem = llvm::toString(kernel.takeError());
      continue;
    }
    if (isOwn)
      return PackHit{std::move(*kernel), ""};
    if (!fitsOn(chip, kernel->record))
      continue;
    CodeForms forms = codeFormsOf(candidate.target);
    std::string form(candidate.fit.isText ? forms.text : forms.binary);
    if (candidate.fit.isText) {
      kernel->artifacts.erase(std::string(forms.binary));
      kernel->pack = nullptr;
    }
    return PackHit{std::move(*kernel), form + " for " + candidate.target};
  }
  return std::nullopt;
}
