//===- Session.h - compiling, from a file to any of its forms -------------===//
// The one loop that runs a target's stages, for the command line, the C API,
// tests and reports. A session holds what compilations share (tools, cache,
// debug options) and no mutable state: two sessions, or two threads of one,
// never meet.
//
//   Session session({.tools = tools, .cacheFolder = folder});
//   DiagnosticEngine diagnostics;
//   auto result = session.compile({.path = "add.py", .kernelName = "add_kernel",
//                                  .signature = "*fp32,*fp32,*fp32,i32,64"}, diagnostics);
//
// FILE may be any stage's: .py, .ttir, .ttgir, .llir, .ptx; or a .program
// (docs/program.md), whose open questions come back beside the diagnostics.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CacheStore.h"
#include "tessera/Binary/CompiledKernel.h"
#include "tessera/Binary/PackFile.h"
#include "tessera/Driver/ContextPool.h"
#include "tessera/Driver/PassControl.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Support/Options.h"
#include "tessera/Target/Target.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct PassTrace;

struct CompileRequest {
  std::string path;
  /// The file's contents, when the caller has them; read from `path` otherwise.
  std::optional<std::string> text = {};
  std::string kernelName = {}; // may be empty when the file has one kernel
  std::string signature = {};  // ignored for IR files, which carry their types
  std::string target = defaultTarget();
  CompileOptions options = {};
  /// The extensions wanted, e.g. {"ptx", "json"}; the loop stops after the last
  /// stage that is. Empty means up to the binary.
  std::vector<std::string> outputs = {};
};

/// One line of `--time-stages`.
struct StageReport {
  std::string name;      // "make_ttgir"; "frontend" for reading the source
  std::string extension; // "ttgir"
  uint64_t bytes = 0;    // of the artifact
  double seconds = 0;
};

struct CompileResult {
  CompiledKernel kernel;
  std::vector<StageReport> stages; // empty on a cache hit
  bool fromCache = false;
  std::string key = {}; // 64 hex digits; also the name of the entry in the cache folder
  /// The files of the modules that the kernel's file imports, as far as they were read.
  std::vector<std::string> importedFiles = {};
};

/// The reaction if neither a pack nor the cache has a kernel.
enum class OnCompile { Allow, Warn, Error };

struct SessionOptions {
  ToolPaths tools = {};
  /// The packs in which programs (docs/program.md) are looked up first.
  std::vector<std::shared_ptr<const PackFile>> packs = {};
  std::optional<Ed25519Key> packKey = {}; // with which packs must be signed
  OnCompile onCompile = OnCompile::Allow;
  std::string cacheFolder = {}; // empty: no cache
  CacheTrust cacheTrust = CacheTrust::ThisUser;
  std::shared_ptr<RemoteStore> cacheServer = {}; // behind the folder; null: none
  unsigned cacheTimeout = kRemoteTimeout;        // of a call to it, in milliseconds
  std::string cacheCredentials = {};             // of the next server (RemoteStore::open)
  uint64_t cacheLimit = 0;                       // of the folder, in bytes; 0: none
  DebugOptions debug = {};
  /// Compile what the cache folder has, too, and replace it there.
  bool alwaysCompile = false;
  /// The folder for the reproducer of an internal error; empty for a new folder among the system's
  /// temporary files.
  std::string reproducerFolder = {};
  /// The passes that run, if not all of them do. Such compilations must not use the cache.
  PassControl passes = {};
};

class Session {
public:
  explicit Session(SessionOptions options,
                   std::shared_ptr<ContextPool> contexts = std::make_shared<ContextPool>())
      : options(std::move(options)), contexts(std::move(contexts)) {}

  /// Nothing on failure; `diagnostics` then has the reason, and exitStatus tells its kind.
  /// If there are `questions`, they are the reason: one JSON object each.
  std::optional<CompileResult> compile(const CompileRequest &request, DiagnosticEngine &diagnostics,
                                       std::vector<std::string> *questions = nullptr) const;

  /// Compiles and records what every pass does. The cache is neither read nor written. On failure
  /// the trace ends with the pass or the stage that failed.
  std::optional<CompileResult> explain(const CompileRequest &request, DiagnosticEngine &diagnostics,
                                       PassTrace &trace,
                                       std::vector<std::string> *questions = nullptr) const;

  /// The key that compile() would give the result; nothing is compiled.
  std::optional<std::string> keyOf(const CompileRequest &request,
                                   DiagnosticEngine &diagnostics) const;

  const SessionOptions &settings() const { return options; }
  /// To change them before the session compiles.
  SessionOptions &settings() { return options; }

private:
  void reportMiss(const struct CompileInput &input, const CompileRequest &request,
                  DiagnosticEngine &diagnostics) const;
  bool asksQuestions(struct CompileInput &input, const CompileRequest &request) const;
  std::optional<CompileResult> run(const CompileRequest &request, DiagnosticEngine &diagnostics,
                                   PassTrace *trace, std::vector<std::string> *questions) const;

  SessionOptions options;
  std::shared_ptr<ContextPool> contexts; // shared by copies of the session
};

/// The cache that a session's settings describe.
CacheStore cacheOf(const SessionOptions &options);

/// The free names that a function's text reads: what a host looks up to write a program
/// (docs/program.md). `path` and `line` serve messages.
llvm::Expected<std::vector<std::string>> readReferences(llvm::StringRef text,
                                                        const std::string &path, unsigned line);

/// The contract of the command line and the C API (DESIGN.md 5).
enum ExitStatus : int {
  kDone = 0,
  kProgramError = 1, // the user's program is wrong
  kUsageError = 2,
  kUnsupported = 3,   // the target cannot do it
  kInternalError = 70 // our own bug
};

/// The gravest kind among the diagnostics.
ExitStatus exitStatus(const DiagnosticEngine &diagnostics);

} // namespace tessera
