//===- Main.cpp - the tessera command -------------------------------------===//
// Chooses the subcommand and sees to it that nothing gets out but a message and
// an exit status: 0 done, 1 the program is wrong, 2 wrong usage, 3 the target
// cannot do it, 70 our own bug.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <new>
#include <unistd.h>

using namespace tessera;
using namespace tessera::cli;

namespace {
struct Subcommand {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  int (*run)(llvm::ArrayRef<const char *>);
};
} // namespace

static constexpr Subcommand kSubcommands[] = {
    {"compile", "compile a kernel ahead of time: TTIR, TTGIR, LLVM IR, PTX, CUBIN, C", runCompile},
    {"build", "make a C library of many kernels for many chips, from a manifest", runBuild},
    {"pack", "compile a manifest's kernels into one file for programs to launch", runPack},
    {"link", "write C functions that choose among kernels that 'compile' wrote", runLink},
    {"run", "compile a kernel and run it on a GPU or the CPU", runRun},
    {"record", "run a program and write a manifest of the kernels that it launches", runRecord},
    {"tune", "tune a manifest's autotuned kernels ahead of time, on all GPUs", runTune},
    {"explain", "show what every pass does to a kernel, and why", runExplain},
    {"lab", "check, measure and compare versions of an operator against torch", runLab},
    {"parse", "check a Python file's syntax, or print its tree", runParse},
    {"targets", "what can be compiled for, and what is here to run on", runTargets},
    {"cache", "stat, clear, prune or verify: the compiled kernels on disk", runCache},
    {"version", "which Tessera this is; --json for programs", runVersion},
};

static std::string overview() {
  std::string text = "usage: tessera COMMAND [options]\n\n"
                     "A compiler and runtime for Triton kernels.\n\ncommands:\n";
  for (const Subcommand &command : kSubcommands)
    text += llvm::formatv("  {0,-10} {1}\n", command.name, command.summary);
  text += "\n'tessera COMMAND --help' tells more. Try:\n"
          "  tessera run examples/add.py -s \"*fp32,*fp32,*fp32,i32,1024\" --grid 96 \\\n"
          "      --arg x_ptr=randn:98304 --arg y_ptr=randn:98304 \\\n"
          "      --arg output_ptr=zeros:98304 --arg n_elements=98304 --time 100\n";
  return text;
}

static int dispatch(llvm::ArrayRef<const char *> arguments) {
  if (arguments.empty()) {
    std::fputs(overview().c_str(), stderr);
    return kUsageError;
  }
  llvm::StringRef name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(overview().c_str(), stdout);
    return kDone;
  }
  if (name == "--version")
    return runVersion({});
  for (const Subcommand &command : kSubcommands)
    if (command.name == name)
      return command.run(arguments.drop_front());
  llvm::SmallVector<llvm::StringRef> known;
  for (const Subcommand &command : kSubcommands)
    known.push_back(command.name);
  std::string hint = suggest(name, known);
  return usageError("unknown command '" + name + "'" +
                    (hint.empty() ? "; tessera --help lists them" : hint));
}

/// The output must be written; a full disk or a closed pipe is not success.
static int finishOutput(int status) {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) || out.has_error();
  out.clear_error(); // else LLVM ends the process when the stream is destroyed
  if (!failed || status != kDone)
    return status;
  return failure(makeError("cannot write to standard output"), kProgramError);
}

/// The command as the user could type it again.
static std::string shellText(llvm::ArrayRef<const char *> arguments) {
  std::string text = "tessera";
  for (llvm::StringRef argument : arguments) {
    bool isPlain = !argument.empty() && llvm::all_of(argument, [](char c) {
      return llvm::isAlnum(c) || llvm::StringRef("-_=./,:+").contains(c);
    });
    text += isPlain ? " " + argument.str() : " '" + argument.str() + "'";
  }
  return text;
}

/// Running out of memory ends the process, and is no internal error.
[[noreturn]] static void endWithoutMemory() {
  constexpr llvm::StringLiteral text = "tessera: unsupported: there is not enough memory\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kUnsupported);
}

static void watchMemory() {
  std::set_new_handler(endWithoutMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); },
                                        nullptr);
}

extern "C" __attribute__((visibility("default"))) int tessera_main(int argc, const char **argv) {
  llvm::ArrayRef<const char *> arguments(argv + 1, argc > 0 ? argc - 1 : 0);
  int status = kInternalError;
  watchMemory();
  // A crash inside becomes a message: nothing a user writes may abort.
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafely([&] { status = dispatch(arguments); })) {
    // LLVM ends the process over IR that it parses and cannot compile. Then the file is wrong.
    const char *const *file =
        llvm::find_if(arguments, [](llvm::StringRef each) { return each.ends_with(".llir"); });
    if (file != arguments.end())
      return failure(
          makeError("LLVM cannot compile '" + llvm::Twine(*file) + "'; what it says is above"),
          kProgramError);
    std::fprintf(
        stderr,
        "tessera: internal error: the compiler crashed. This is a bug in Tessera, not in your "
        "program; it happens again with\n  %s\n",
        shellText(arguments).c_str());
    status = kInternalError;
  }
  return finishOutput(status);
}
