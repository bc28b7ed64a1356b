//===- StoreSettings.cpp - where a session keeps and finds kernels ------===//
#include "tessera/Binary/PackKey.h"
#include "tessera/Driver/DefaultSession.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

bool tessera::isStoreOption(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kNames[] = {
      "pack",         "pack-key",    "on-compile",       "cache-timeout",
      "cache-remote", "cache-limit", "cache-credentials"};
  return llvm::is_contained(kNames, name);
}

llvm::Error tessera::setCacheOptions(SessionOptions &options, const Variables &variables) {
  std::string key = variables.get("AWS_ACCESS_KEY_ID"), region = variables.get("AWS_REGION");
  if (region.empty())
    region = variables.get("AWS_DEFAULT_REGION");
  if (!key.empty())
    options.cacheCredentials = (region.empty() ? "us-east-1" : region) + " " + key + " " +
                               variables.get("AWS_SECRET_ACCESS_KEY") + " " +
                               variables.get("AWS_SESSION_TOKEN");
  // The timeout first: it counts for a server that is named after it.
  for (auto [name, variable] : {std::pair("cache-timeout", "TESSERA_CACHE_TIMEOUT"),
                                {"cache-remote", "TESSERA_CACHE_REMOTE"},
                                {"cache-limit", "TESSERA_CACHE_LIMIT"}})
    if (std::string value = variables.get(variable); !value.empty())
      if (llvm::Error error = setStoreOption(options, name, value))
        return makeError(llvm::Twine(variable) + ": " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Expected<uint64_t> tessera::parseByteCount(llvm::StringRef text) {
  llvm::StringRef digits = text.trim();
  unsigned shift = 0;
  for (auto [suffix, bits] : {std::pair("K", 10u), {"M", 20u}, {"G", 30u}, {"T", 40u}})
    if (digits.consume_back_insensitive(suffix))
      shift = bits;
  uint64_t number;
  if (digits.getAsInteger(10, number) || number > (~uint64_t(0) >> shift))
    return makeError("a size is a number of bytes, or as in 500M and 10G, not '" + text + "'");
  return number << shift;
}

static llvm::Error setCacheOption(SessionOptions &options, llvm::StringRef name,
                                  llvm::StringRef value) {
  if (name == "cache-timeout") {
    if (value.getAsInteger(10, options.cacheTimeout) || options.cacheTimeout == 0)
      return makeError("cache-timeout is a number of milliseconds, not '" + value + "'");
    return llvm::Error::success();
  }
  if (name == "cache-limit") {
    llvm::Expected<uint64_t> bytes = parseByteCount(value);
    if (!bytes)
      return bytes.takeError();
    options.cacheLimit = *bytes;
    return llvm::Error::success();
  }
  if (name == "cache-credentials") {
    options.cacheCredentials = value.str();
    return llvm::Error::success();
  }
  llvm::Expected<std::shared_ptr<RemoteStore>> server =
      RemoteStore::open(value, options.cacheTimeout, options.cacheCredentials);
  if (!server)
    return server.takeError();
  options.cacheServer = std::move(*server);
  return llvm::Error::success();
}

static llvm::Error setOnCompile(SessionOptions &options, llvm::StringRef value) {
  std::optional<OnCompile> chosen = llvm::StringSwitch<std::optional<OnCompile>>(value)
                                        .Case("", OnCompile::Allow)
                                        .Case("allow", OnCompile::Allow)
                                        .Case("warn", OnCompile::Warn)
                                        .Case("error", OnCompile::Error)
                                        .Default(std::nullopt);
  if (!chosen)
    return makeError("on-compile is error, warn or allow, not '" + value + "'");
  options.onCompile = *chosen;
  return llvm::Error::success();
}

llvm::Error tessera::setStoreOption(SessionOptions &options, llvm::StringRef name,
                                    llvm::StringRef value) {
  if (name == "on-compile")
    return setOnCompile(options, value);
  if (name.starts_with("cache-"))
    return setCacheOption(options, name, value);
  if (name == "pack-key") {
    llvm::Expected<Ed25519Key> key = readPublicKey(value);
    if (!key)
      return key.takeError();
    options.packKey = *key;
    return llvm::Error::success();
  }
  for (llvm::StringRef path : llvm::split(value, ':')) {
    if (path.empty())
      continue;
    llvm::Expected<std::shared_ptr<const PackFile>> pack = PackFile::open(path, options.packKey);
    if (!pack)
      return pack.takeError();
    options.packs.push_back(std::move(*pack));
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> tessera::packedChoices(const SessionOptions &options,
                                                   llvm::StringRef kernel) {
  llvm::json::Array all;
  for (const std::shared_ptr<const PackFile> &pack : options.packs) {
    std::optional<uint32_t> number = pack->find(choicesKey(kernel));
    if (!number)
      continue;
    llvm::Expected<std::string> text = pack->loadArtifact(*number, kPackChoices);
    llvm::Expected<llvm::json::Value> parsed = text ? parseJson(*text) : text.takeError();
    if (!parsed)
      return parsed.takeError();
    if (const llvm::json::Array *array = parsed->getAsArray())
      for (const llvm::json::Value &choice : *array)
        all.push_back(choice);
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(all))).str();
}
