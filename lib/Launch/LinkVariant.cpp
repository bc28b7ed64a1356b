//===- LinkVariant.cpp - what a header says about a compiled kernel -------===//
#include "LinkVariant.h"
#include "AotLaunchers.h"
#include "AotNames.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace tessera;
using namespace tessera::aot;

using Hints = std::map<std::string, unsigned>;

size_t LinkVariant::hintCount() const {
  return llvm::count_if(parameters, [](const LinkParameter &each) { return each.hint != 0; });
}

unsigned LinkVariant::chip() const {
  const LibraryDriver *driver = findLibraryDriver(target);
  return driver ? driver->readChip(llvm::StringRef(target).split(':').second).number : 0;
}

std::string aot::linkerLine(const LinkVariant &variant) {
  std::vector<std::string> hints, parameters;
  for (const LinkParameter &each : variant.parameters) {
    parameters.push_back(each.type + " " + each.name);
    if (each.hint)
      hints.push_back(each.name + "=" + std::to_string(each.hint));
  }
  std::string algo = variant.algo; // a word
  std::replace(algo.begin(), algo.end(), ' ', '_');
  return "// tessera-variant: " + variant.function + " " + variant.kernel + " " + variant.target +
         " " + algo + " : " + llvm::join(hints, " ") + " : " + llvm::join(parameters, ", ") + "\n";
}

/// The rest of a comment line that begins with a word.
static bool consumeDirective(llvm::StringRef &line, llvm::StringRef word) {
  llvm::StringRef rest = line.trim();
  if (!rest.consume_front("//"))
    return false;
  rest = rest.ltrim();
  if (!rest.consume_front(word))
    return false;
  line = rest.trim();
  return true;
}

static llvm::Expected<std::vector<LinkParameter>>
readParameters(llvm::StringRef text, llvm::StringRef function, llvm::StringRef path) {
  std::vector<LinkParameter> parameters;
  for (llvm::StringRef part : llvm::split(text, ',')) {
    part = part.trim();
    if (part.empty())
      continue;
    llvm::StringRef type =
        part.rtrim("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    llvm::StringRef name = part.drop_front(type.size());
    type = type.rtrim();
    auto isOfType = [](char c) { return llvm::isAlnum(c) || c == '_' || c == ' ' || c == '*'; };
    if (type.empty() || !isIdentifier(name) || !llvm::all_of(type, isOfType))
      return makeError(path + ": '" + part + "' in the signature of " + function +
                       " is not a type and a name");
    parameters.push_back({type.str(), name.str(), 0});
  }
  return parameters;
}

/// "x=16 n=1".
static Hints readHints(llvm::StringRef text) {
  Hints hints;
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    auto [name, value] = word.split('=');
    unsigned hint = 0;
    if (!value.getAsInteger(10, hint) && (hint == 1 || hint == 16))
      hints[name.str()] = hint;
  }
  return hints;
}

/// Reads "0d1c2", the hints of a header that has only Triton's line. The suffix counts constants,
/// too, but does not say which parameters they are; like Triton, this assumes that they come after
/// all other parameters.
static llvm::Expected<Hints> hintsOfSuffix(llvm::StringRef suffix,
                                           llvm::ArrayRef<LinkParameter> parameters,
                                           llvm::StringRef function, llvm::StringRef path) {
  Hints hints;
  llvm::StringRef rest = suffix;
  size_t index = 0;
  for (; !rest.empty(); ++index) {
    if (!rest.consume_front(std::to_string(index)))
      return makeError(path + ": the suffix '" + suffix + "' of " + function +
                       " does not count its parameters");
    bool isOne = rest.consume_front("c");
    if (!isOne && !rest.consume_front("d"))
      continue;
    if (index >= parameters.size())
      return makeError(path + ": " + function + " has a hint for parameter " + llvm::Twine(index) +
                       " of " + llvm::Twine(parameters.size()));
    hints[parameters[index].name] = isOne ? 1 : 16;
  }
  if (index < parameters.size())
    return makeError(path + ": the suffix '" + suffix + "' of " + function + " counts " +
                     llvm::Twine(index) + " parameters of " + llvm::Twine(parameters.size()));
  return hints;
}

static void setHints(LinkVariant &variant, const Hints &hints) {
  for (LinkParameter &parameter : variant.parameters)
    if (auto found = hints.find(parameter.name); found != hints.end())
      parameter.hint = found->second;
}

/// Triton's line. The function's name is KERNEL_HASH_SUFFIX.
static llvm::Expected<LinkVariant> readTritonLine(llvm::StringRef line, const Hints *hints,
                                                  llvm::StringRef path) {
  LinkVariant variant;
  auto [function, rest] = line.split(':');
  auto [signature, algo] = rest.rsplit(':');
  auto [front, suffix] = function.trim().rsplit('_');
  auto [kernel, hash] = front.rsplit('_');
  auto isHex = [](char c) { return llvm::isHexDigit(c); };
  bool isName = isIdentifier(function) && !kernel.empty() && hash.size() >= 8 &&
                llvm::all_of(hash.take_back(8), isHex) && line.count(':') >= 2;
  if (!isName)
    return makeError(path + ": '" + function + "' is not the name of a compiled kernel");
  variant.kernel = kernel.str();
  variant.function = function.str();
  variant.algo = algo.trim().str();
  llvm::Expected<std::vector<LinkParameter>> parameters = readParameters(signature, function, path);
  if (!parameters)
    return parameters.takeError();
  variant.parameters = std::move(*parameters);
  if (hints) {
    setHints(variant, *hints);
    return variant;
  }
  llvm::Expected<Hints> fromName = hintsOfSuffix(suffix, variant.parameters, function, path);
  if (!fromName)
    return fromName.takeError();
  setHints(variant, *fromName);
  return variant;
}

/// Our own line, which says everything.
static llvm::Expected<LinkVariant> readOwnLine(llvm::StringRef line, llvm::StringRef path) {
  auto [names, rest] = line.split(" : ");
  auto [hints, signature] = rest.split(":");
  llvm::SmallVector<llvm::StringRef> words;
  names.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() != 4 || !isIdentifier(words[0]) || !isIdentifier(words[1]))
    return makeError(path + ": '" + line + "' does not describe a compiled kernel");
  LinkVariant variant{words[1].str(), words[0].str(), words[3].str(), words[2].str(), {}};
  llvm::Expected<std::vector<LinkParameter>> parameters = readParameters(signature, words[0], path);
  if (!parameters)
    return parameters.takeError();
  variant.parameters = std::move(*parameters);
  setHints(variant, readHints(hints));
  return variant;
}

llvm::Expected<std::vector<LinkVariant>> aot::readLinkHeader(const LinkHeader &header) {
  std::map<std::string, Hints> hints; // by function
  std::vector<LinkVariant> variants;
  for (llvm::StringRef line : llvm::split(header.text, '\n')) {
    if (consumeDirective(line, "tessera-linker:"))
      hints[line.split(':').first.str()] = readHints(line.split(':').second);
    else if (consumeDirective(line, "tessera-variant:")) {
      llvm::Expected<LinkVariant> variant = readOwnLine(line, header.path);
      if (!variant)
        return variant.takeError();
      variants.push_back(std::move(*variant));
    }
  }
  auto isKnown = [&](llvm::StringRef function) {
    return llvm::any_of(variants,
                        [&](const LinkVariant &each) { return each.function == function; });
  };
  for (llvm::StringRef line : llvm::split(header.text, '\n')) {
    if (!consumeDirective(line, "tt-linker:") || isKnown(line.split(':').first))
      continue;
    auto found = hints.find(line.split(':').first.str());
    llvm::Expected<LinkVariant> variant =
        readTritonLine(line, found == hints.end() ? nullptr : &found->second, header.path);
    if (!variant)
      return variant.takeError();
    variants.push_back(std::move(*variant));
  }
  return variants;
}
