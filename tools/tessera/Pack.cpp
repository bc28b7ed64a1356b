//===- Pack.cpp - tessera pack: looking at packs, and joining them --------===//
// `tessera pack MANIFEST` is in PackBuild.cpp. Names in a pack may come from anybody, so
// what is printed has no control characters.
//===----------------------------------------------------------------------===//
#include "Pack.h"
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Build/Pack.h"
#include "tessera/Driver/PackSearch.h"
#include "tessera/Launch/CodeFit.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <sys/random.h>

using namespace tessera;
using namespace tessera::cli;

static std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text)
    safe += llvm::isPrint(c) ? c : '?';
  return safe;
}

static std::string hex(const uint8_t *bytes) {
  return llvm::toHex(llvm::ArrayRef(bytes, 32), /*LowerCase=*/true);
}

/// Opens a pack with the key that --key names.
static llvm::Expected<std::shared_ptr<const PackFile>> openPack(const Arguments &arguments,
                                                                const std::string &path) {
  std::optional<Ed25519Key> trusted;
  if (arguments.has("key")) {
    llvm::Expected<Ed25519Key> key = readPublicKey(arguments.get("key"));
    if (!key)
      return key.takeError();
    trusted = *key;
  }
  return PackFile::open(path, trusted);
}

static uint64_t bytesOf(const PackView &view, const PackEntry &entry) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < entry.artifactCount; ++i)
    bytes += view.artifact(entry.firstArtifact + i).bytes.size();
  return bytes;
}

static std::string artifactNames(const PackView &view, const PackEntry &entry) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < entry.artifactCount; ++i)
    names.push_back(shown(view.artifact(entry.firstArtifact + i).name));
  llvm::erase(names, kPackRecord);
  return llvm::join(names, "+");
}

//===----------------------------------------------------------------------===//
// ls
//===----------------------------------------------------------------------===//

/// "scale  cuda:90  *fp32:16,i32  num-warps=8  ptx+cubin  12 KiB"
static std::string lineOf(const PackView &view, const PackEntry &entry) {
  std::string rest = entry.options.empty() ? "" : "  " + shown(entry.options);
  if (entry.flags & kPackTuned)
    rest += "  tuned";
  return llvm::formatv("{0}  {1}  {2}{3}  {4}  {5}", shown(entry.name), shown(entry.target),
                       shown(entry.signature), rest, artifactNames(view, entry),
                       formatBytes(bytesOf(view, entry)));
}

/// The entries that devices of a target take: of those that differ in the target alone, the one
/// that runs best there. The lines say in which form.
static std::vector<std::string> linesFor(const PackView &view, llvm::StringRef target) {
  struct Taken {
    uint32_t number;
    CodeFit fit;
  };
  std::map<std::string, Taken> best;
  for (uint32_t i = 0; i < view.size(); ++i) {
    PackEntry entry = view.entry(i);
    CodeFit fit = entry.kind == PackEntryKind::Kernel ? fitOfEntry(view, entry, target) : CodeFit();
    if (!fit)
      continue;
    std::string kernel = hex(entry.source) + shown(entry.name) + "\n" + shown(entry.signature) +
                         "\n" + shown(entry.options);
    auto [place, isNew] = best.try_emplace(kernel, Taken{i, fit});
    if (!isNew && place->second.fit.rank < fit.rank)
      place->second = {i, fit};
  }
  std::vector<std::string> lines;
  for (const auto &[kernel, taken] : best) {
    PackEntry entry = view.entry(taken.number);
    CodeForms forms = codeFormsOf(entry.target);
    lines.push_back(lineOf(view, entry) + "  as " +
                    std::string(taken.fit.isText ? forms.text : forms.binary));
  }
  llvm::sort(lines);
  return lines;
}

static void printJson(const PackFile &pack) {
  const PackView &view = pack.view();
  llvm::json::Array entries;
  for (uint32_t i = 0; i < view.size(); ++i) {
    PackEntry entry = view.entry(i);
    llvm::json::Array artifacts;
    for (uint32_t k = 0; k < entry.artifactCount; ++k) {
      PackArtifact artifact = view.artifact(entry.firstArtifact + k);
      artifacts.push_back(llvm::json::Object{{"name", shown(artifact.name)},
                                             {"bytes", int64_t(artifact.bytes.size())},
                                             {"blake3", hex(artifact.hash)}});
    }
    static constexpr llvm::StringLiteral kKinds[] = {"kernel", "choices"};
    entries.push_back(llvm::json::Object{{"key", hex(entry.key)},
                                         {"source", hex(entry.source)},
                                         {"kind", kKinds[uint32_t(entry.kind) - 1]},
                                         {"name", shown(entry.name)},
                                         {"signature", shown(entry.signature)},
                                         {"target", shown(entry.target)},
                                         {"options", shown(entry.options)},
                                         {"origin", shown(entry.origin)},
                                         {"launched", bool(entry.flags & kPackLaunched)},
                                         {"tuned", bool(entry.flags & kPackTuned)},
                                         {"artifacts", std::move(artifacts)}});
  }
  llvm::json::Object root{{"pack", pack.path()},
                          {"version", int64_t(kPackVersion)},
                          {"digest", hex(view.digest())},
                          {"signed_by", view.isSigned() ? llvm::json::Value(hex(view.publicKey()))
                                                        : llvm::json::Value(nullptr)},
                          {"entries", std::move(entries)}};
  llvm::outs() << llvm::formatv("{0:1}", llvm::json::Value(std::move(root))) << "\n";
}

static int runList(const Arguments &arguments) {
  if (arguments.positional.size() != 1)
    return usageError("pack ls needs one PACK");
  llvm::Expected<std::shared_ptr<const PackFile>> pack =
      openPack(arguments, arguments.positional[0]);
  if (!pack)
    return failure(pack.takeError(), kProgramError);
  if (arguments.has("json")) {
    printJson(**pack);
    return kDone;
  }
  const PackView &view = (*pack)->view();
  std::vector<std::string> lines;
  if (arguments.has("targets")) {
    lines = linesFor(view, arguments.get("targets"));
    for (const std::string &line : lines)
      llvm::outs() << line << "\n";
    llvm::outs() << llvm::formatv("{0} variant{1} for {2}\n", lines.size(),
                                  lines.size() == 1 ? "" : "s", arguments.get("targets"));
    return lines.empty() ? kProgramError : kDone;
  }
  size_t kernels = 0;
  for (uint32_t i = 0; i < view.size(); ++i) {
    PackEntry entry = view.entry(i);
    bool isKernel = entry.kind == PackEntryKind::Kernel;
    kernels += isKernel;
    lines.push_back(isKernel ? lineOf(view, entry)
                             : shown(entry.name) + "  " + artifactNames(view, entry) + "  " +
                                   formatBytes(bytesOf(view, entry)));
  }
  llvm::sort(lines);
  for (const std::string &line : lines)
    llvm::outs() << line << "\n";
  llvm::outs() << llvm::formatv("{0} variant{1}, {2}\n", kernels, kernels == 1 ? "" : "s",
                                view.isSigned() ? "signed by " + hex(view.publicKey())
                                                : std::string("not signed"));
  return kDone;
}

//===----------------------------------------------------------------------===//
// verify, diff
//===----------------------------------------------------------------------===//

static int runVerify(const Arguments &arguments) {
  if (arguments.positional.size() != 1)
    return usageError("pack verify needs one PACK");
  llvm::Expected<std::shared_ptr<const PackFile>> pack =
      openPack(arguments, arguments.positional[0]);
  if (!pack)
    return failure(pack.takeError(), kProgramError);
  const PackView &view = (*pack)->view();
  size_t damaged = 0;
  for (uint32_t i = 0; i < view.size(); ++i)
    if (llvm::Expected<CompiledKernel> kernel = (*pack)->load(i); !kernel) {
      ++damaged;
      failure(kernel.takeError(), kProgramError);
    }
  if (view.isSigned() && !view.isSignedBy(view.publicKey()))
    return failure(makeError("the signature of '" + (*pack)->path() + "' is wrong"), kProgramError);
  if (damaged)
    return kProgramError;
  llvm::outs() << (*pack)->path() << ": " << view.size() << " entries are intact, "
               << (view.isSigned() ? "signed by " + hex(view.publicKey())
                                   : std::string("not signed"))
               << "\n";
  return kDone;
}

/// Returns whether two entries have the same binaries. Records may differ in the version of
/// Tessera.
static bool haveSameCode(const PackView &left, const PackEntry &a, const PackView &right,
                         const PackEntry &b) {
  for (uint32_t i = 0; i < a.artifactCount; ++i) {
    PackArtifact own = left.artifact(a.firstArtifact + i), other;
    bool isThere = right.find(b, own.name, other);
    bool isSame = isThere && std::memcmp(own.hash, other.hash, 32) == 0;
    if (!isSame && own.name != std::string_view(kPackRecord))
      return false;
  }
  return a.artifactCount == b.artifactCount;
}

static int runDiff(const Arguments &arguments) {
  if (arguments.positional.size() != 2)
    return usageError("pack diff needs two PACKs");
  std::shared_ptr<const PackFile> packs[2];
  for (size_t i = 0; i < 2; ++i) {
    llvm::Expected<std::shared_ptr<const PackFile>> pack =
        openPack(arguments, arguments.positional[i]);
    if (!pack)
      return failure(pack.takeError(), kUsageError);
    packs[i] = *pack;
  }
  const PackView &left = packs[0]->view(), &right = packs[1]->view();
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < left.size(); ++i) {
    PackEntry entry = left.entry(i);
    uint32_t other = right.find(entry.key);
    if (other == right.size())
      lines.push_back("- " + lineOf(left, entry));
    else if (!haveSameCode(left, entry, right, right.entry(other)))
      lines.push_back("~ " + lineOf(left, entry));
  }
  for (uint32_t i = 0; i < right.size(); ++i)
    if (left.find(right.entry(i).key) == left.size())
      lines.push_back("+ " + lineOf(right, right.entry(i)));
  llvm::sort(lines, [](llvm::StringRef a, llvm::StringRef b) {
    return std::pair(a.drop_front(2), a) < std::pair(b.drop_front(2), b);
  });
  for (const std::string &line : lines)
    llvm::outs() << line << "\n";
  if (lines.empty())
    llvm::outs() << "no difference\n";
  return lines.empty() ? kDone : kProgramError;
}

//===----------------------------------------------------------------------===//
// merge, explain-miss, keygen
//===----------------------------------------------------------------------===//

static int runMerge(const Arguments &arguments) {
  if (arguments.positional.empty() || !arguments.has("out-path"))
    return usageError("pack merge needs -o FILE and PACKs");
  std::vector<std::shared_ptr<const PackFile>> packs;
  for (const std::string &path : arguments.positional) {
    llvm::Expected<std::shared_ptr<const PackFile>> pack = openPack(arguments, path);
    if (!pack)
      return failure(pack.takeError(), kProgramError);
    packs.push_back(*pack);
  }
  std::optional<Ed25519KeyPair> keys;
  if (arguments.has("sign")) {
    llvm::Expected<Ed25519KeyPair> read = readSecretKey(arguments.get("sign"));
    if (!read)
      return usageError(read.takeError());
    keys = *read;
  }
  PackWriter writer;
  if (llvm::Error error = mergePacks(packs, writer))
    return failure(std::move(error), kProgramError);
  if (llvm::Error error = writer.write(arguments.get("out-path"), keys))
    return failure(std::move(error), kProgramError);
  llvm::outs() << arguments.get("out-path") << ": " << writer.size() << " entries of "
               << packs.size() << " packs\n";
  return kDone;
}

static int runExplainMiss(const Arguments &arguments) {
  if (arguments.positional.size() != 2)
    return usageError("pack explain-miss needs a PACK, and a manifest or a .program file");
  llvm::Expected<std::shared_ptr<const PackFile>> pack =
      openPack(arguments, arguments.positional[0]);
  if (!pack)
    return failure(pack.takeError(), kProgramError);
  std::vector<std::string> targets = splitList(arguments.get("targets"));
  if (targets.empty() && llvm::StringRef(arguments.positional[1]).ends_with(".program"))
    return usageError("pack explain-miss: a .program needs --targets, as in --targets cpu");
  DiagnosticEngine diagnostics;
  std::optional<std::vector<PackMiss>> found =
      findMisses(**pack, arguments.positional[1], targets, ToolPaths(), diagnostics);
  printDiagnostics(diagnostics);
  if (!found)
    return exitStatus(diagnostics);
  size_t misses = 0;
  std::map<std::string, size_t> rows; // variants may differ in what a row does not show
  for (const PackMiss &each : *found) {
    if (each.reason.empty() && each.substitute.empty())
      continue;
    misses += !each.reason.empty();
    std::string row = shown(each.kernel) + "  " + shown(each.target) + "  " + shown(each.signature);
    row += (each.options.empty() ? "" : "  ") + shown(each.options) + "\n  ";
    ++rows[row + (each.reason.empty() ? "it runs the " + each.substitute : each.reason)];
  }
  for (const auto &[row, count] : rows)
    llvm::outs() << row << (count > 1 ? llvm::formatv(" ({0} variants)", count).str() : "") << "\n";
  llvm::outs() << llvm::formatv("{0} of {1} variants are not in {2}\n", misses, found->size(),
                                (*pack)->path());
  return misses ? kProgramError : kDone;
}

static int runKeygen(const Arguments &arguments) {
  if (arguments.positional.size() != 1)
    return usageError("pack keygen needs the name of a FILE");
  const std::string &path = arguments.positional[0];
  if (llvm::sys::fs::exists(path))
    return usageError("'" + path + "' exists; a key is never replaced");
  Ed25519Seed seed;
  if (::getrandom(seed.data(), seed.size(), 0) != ssize_t(seed.size()))
    return failure(makeError("the system has no random bytes"), kUnsupported);
  Ed25519KeyPair keys = keyPairFromSeed(seed);
  if (llvm::Error error = writeFile(path, writeSecretKey(keys)))
    return failure(std::move(error), kProgramError);
  if (std::error_code problem = llvm::sys::fs::setPermissions(
          path, llvm::sys::fs::owner_read | llvm::sys::fs::owner_write)) {
    (void)llvm::sys::fs::remove(path);
    return failure(makeError("'" + path + "' cannot be kept from others: " + problem.message()),
                   kProgramError);
  }
  if (llvm::Error error = writeFile(path + ".pub", writePublicKey(keys.publicKey)))
    return failure(std::move(error), kProgramError);
  llvm::outs() << path << " signs packs; " << path << ".pub verifies them\n";
  return kDone;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

int cli::runPack(llvm::ArrayRef<const char *> argv) {
  struct Action {
    llvm::StringLiteral name, usage, help;
    int (*run)(const Arguments &);
  };
  static constexpr Action kActions[] = {
      {"ls", "pack ls PACK [--json] [--targets TARGET]",
       "Lists the variants of a pack, or those that devices of a target take, and in which form.",
       runList},
      {"verify", "pack verify PACK [--key FILE]",
       "Checks every byte of a pack, and with --key its signature.", runVerify},
      {"diff", "pack diff A B",
       "Lists variants that only A (-) or only B (+) has, or whose code differs (~). The status is "
       "1 if there are any.",
       runDiff},
      {"merge", "pack merge -o FILE PACK... [--sign FILE]",
       "Joins packs; of variants with the same key the first stays.", runMerge},
      {"explain-miss", "pack explain-miss PACK MANIFEST",
       "Lists the variants of a manifest, or of a recorded .program, that the pack does not have, "
       "and says why. The status is 1 if there are any.",
       runExplainMiss},
      {"header", "pack header PACK [-o FILE]",
       "Writes a C header with a typed function for each kernel, for tessera_pack.h.",
       runPackHeader},
      {"keygen", "pack keygen FILE", "Makes a secret key, FILE, and its public key, FILE.pub.",
       runKeygen}};
  const Action *action = argv.empty() ? nullptr : llvm::find_if(kActions, [&](const Action &each) {
    return each.name == argv[0];
  });
  if (!action || action == std::end(kActions))
    return runPackBuild(argv);
  std::vector<Option> options = {
      {"key", "", "FILE", "a pack must be signed with this key (public or secret)"},
      {"out-path", "o", "FILE", "merge: the new pack; header: the header"},
      {"sign", "", "FILE", "merge: sign the pack with this secret key"},
      {"targets", "t", "LIST",
       "explain-miss: targets instead of the manifest's; ls: the target of a device"},
      {"json", "", "", "ls: as JSON"}};
  llvm::Expected<Arguments> arguments = parseArguments(argv.drop_front(), options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(helpText(action->usage, action->help, options).c_str(), stdout);
    return kDone;
  }
  return action->run(*arguments);
}
