//===- Binary.cpp - from PTX to a cubin -----------------------------------===//
// See Binary.h. ptxas is run without a shell; it has no way to read from or
// write to a pipe, so it is given files in memory (ScratchFile).
//
// A failure that ptxas explains is one of the PTX: ours, or that of inline
// assembly. One that it does not explain, or that keeps it from being run, is
// the machine's, and told as such: exit status 3.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Binary.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Subprocess.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <csignal>

using namespace llvm;
using namespace tessera;
using namespace tessera::nvidia;

/// The number in front of `unit`: 26 in "Used 26 registers, used 0 barriers".
static int numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return -1;
  StringRef before = line.take_front(end).rtrim();
  StringRef digits = before.take_back(before.size() - (before.find_last_not_of("0123456789") + 1));
  int value;
  return digits.getAsInteger(10, value) ? -1 : value;
}

/// The words of a line of advice on wgmma and setmaxnreg, which have codes from C7508 to C7519
/// and C7602; empty for other lines. C7519 says that ptxas added a fence, which costs nothing.
///   ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are ...
static std::string adviceIn(StringRef line) {
  auto [before, rest] = line.split("(C7");
  auto [digits, words] = rest.split(')');
  unsigned code = 0;
  if (rest.empty() || digits.getAsInteger(10, code) || code == 519 ||
      !((code >= 508 && code < 519) || code == 602))
    return "";
  words = words.trim();
  words.consume_front("Potential Performance Loss:");
  return ("C7" + digits + ": " + words.trim()).str();
}

AssemblerReport nvidia::parseAssemblerReport(StringRef text) {
  AssemblerReport report;
  for (StringRef line : split(text, '\n')) {
    if (std::string advice = adviceIn(line);
        !advice.empty() && report.advice.find(advice) == std::string::npos)
      report.advice += (report.advice.empty() ? "" : "; ") + advice;
    if (line.contains("Compiling entry function '"))
      report.kernelName = line.split('\'').second.split('\'').first.str();
    else if (line.contains(" registers"))
      report.registers = numberBefore(line, " registers");
    else if (line.contains(" bytes spill stores")) {
      int stores = numberBefore(line, " bytes spill stores");
      int loads = numberBefore(line, " bytes spill loads");
      report.spillBytes = stores < 0 || loads < 0 ? -1 : stores + loads;
    }
  }
  return report;
}

/// Makes an error about this machine and not about the kernel: it lacks memory, processes or a
/// folder to write to.
static Error notOurs(Error error) {
  return makeUnsupported("running the assembler here: " + toString(std::move(error)));
}

std::string nvidia::describeAssembler(const Toolkit &tools) {
  Expected<ProgramResult> result = runProgram(
      {.program = tools.ptxas, .arguments = {"--version"}, .environment = tools.environment.get()});
  if (!result) {
    consumeError(result.takeError());
    return "ptxas";
  }
  // "Cuda compilation tools, release 13.0, V13.0.88"
  StringRef version = StringRef(result->out).split("release ").second.split(',').first;
  return version.empty() ? "ptxas" : ("ptxas " + version).str();
}

/// The words of a directive that is on a line of PTX: `.loc 1 74 0` -> {1, 74, 0}.
static SmallVector<StringRef> directive(StringRef line, StringRef name) {
  SmallVector<StringRef> words;
  line = line.trim();
  if (line.consume_front(name))
    SplitString(line, words, " \t");
  return words;
}

/// "add.py:7" for a line of PTX (counted from 1): the `.loc` before it names a line of a
/// `.file`. Empty without line info.
static std::string pythonLine(ArrayRef<StringRef> ptx, size_t number) {
  SmallVector<StringRef> place;
  for (StringRef line : reverse(ptx.take_front(number)))
    if (place = directive(line, ".loc"); place.size() >= 2)
      break;
  if (place.size() < 2)
    return "";
  for (StringRef line : ptx) {
    SmallVector<StringRef> file = directive(line, ".file");
    if (file.size() >= 2 && file[0] == place[0])
      return (line.split('"').second.rsplit('"').first + ":" + place[1]).str();
  }
  return "";
}

/// Returns the assembler's messages without the output of -v. A message about a line of PTX
/// (`ptxas FILE, line 12; error : ...`) is prefixed by the line of Python.
static Error explainFailure(const ProgramResult &result, StringRef ptx, StringRef input) {
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  std::string words;
  for (const std::string &stream : {result.err, result.out})
    for (StringRef line : split(stream, '\n')) {
      if (line.trim().empty() || line.starts_with("ptxas info"))
        continue;
      StringRef said = line;
      size_t number = 0;
      if (said.consume_front("ptxas ") && said.consume_front(input) &&
          said.consume_front(", line ") && !said.consumeInteger(10, number) && number > 0 &&
          number <= lines.size())
        words += "\n" + pythonLine(lines, number) + ": " + said.ltrim("; ").str() + "\n    " +
                 lines[number - 1].trim().str();
      else
        words += ("\n" + line).str();
    }
  return makeError("ptxas ended with " + result.describe() + words);
}

/// An assembler from before this chip, or before this version of PTX, has not looked at the kernel.
static bool isTooOld(const ProgramResult &result) {
  StringRef words = result.err;
  return words.contains("Unsupported .version") ||
         words.contains("is not defined for option 'gpu-name'");
}

/// The release of CUDA that brought a version of PTX (PTX ISA, "Release Notes"): 81 -> "12.1".
static std::string firstRelease(unsigned ptx) {
  if (ptx < 80)
    return "11." + std::to_string(ptx - 70);
  if (ptx <= 85)
    return "12." + std::to_string(ptx - 80);
  return ptx < 90 ? "12." + std::to_string(ptx - 79) : "13." + std::to_string(ptx - 90);
}

/// Returns the version that the text states: 86 for `.version 8.6`.
static unsigned versionOf(StringRef ptx, unsigned otherwise) {
  auto [major, minor] =
      ptx.split(".version ").second.take_until([](char c) { return c == '\n'; }).split('.');
  unsigned whole = 0, part = 0;
  if (major.trim().getAsInteger(10, whole) || minor.trim().getAsInteger(10, part))
    return otherwise;
  return whole * 10 + part;
}

static Error explainAge(const Toolkit &tools, const NvidiaSpec &spec, unsigned ptx) {
  return makeUnsupported(
      "making a cubin for " + spec.chip + " with " + describeAssembler(tools) + " ('" +
      tools.ptxas + "'), which is too old: it takes the one of CUDA " + firstRelease(ptx) +
      " or later (--ptxas PATH, in Python TRITON_PTXAS_PATH); or use --emit ptx, which the "
      "driver compiles when it is loaded");
}

/// Returns whether ptxas reported an error in the PTX, or crashed on it. Output without ptxas's
/// prefix comes from another program; ptxas did not finish if it was killed (SIGKILL: no memory was
/// left; SIGXCPU, SIGXFSZ: a limit was reached).
static bool saysWhy(const ProgramResult &result) {
  if (result.timedOut || result.signal == SIGKILL || result.signal == SIGXCPU ||
      result.signal == SIGXFSZ)
    return false;
  return result.signal != 0 || StringRef(result.err).contains("ptxas ") ||
         StringRef(result.out).contains("ptxas ");
}

/// No cubin, and no reason.
static Error explainSilence(const ProgramResult &result, const Toolkit &tools) {
  StringRef words = StringRef(result.err.empty() ? result.out : result.err).take_front(500).trim();
  return makeUnsupported("making a cubin with '" + tools.ptxas + "': it ended with " +
                         result.describe() + " and wrote " +
                         (words.empty() ? Twine("nothing") : "'" + words + "'") +
                         "; is it ptxas, and is there memory enough?");
}

Expected<std::string> nvidia::disassembleCubin(StringRef cubin, const Toolkit &tools) {
  Expected<ScratchFile> input = ScratchFile::create("kernel.cubin", tools.temporaryFolder);
  if (!input)
    return input.takeError();
  if (Error error = input->write(cubin))
    return std::move(error);
  StringRef name = sys::path::filename(tools.disassembler);
  bool isDump = name.starts_with("cuobjdump");
  // cuobjdump does not print the lines of the source; nvdisasm does.
  std::vector<std::string> arguments = {isDump ? "--dump-sass" : "--print-code", input->path()};
  if (!isDump)
    arguments.insert(arguments.begin(), "--print-line-info");
  Expected<ProgramResult> result = runProgram({.program = tools.disassembler,
                                               .arguments = std::move(arguments),
                                               .environment = tools.environment.get()});
  if (!result)
    return result.takeError();
  if (!result->succeeded())
    return makeError(name + " ended with " + result->describe() + "\n" + result->err);
  return std::move(result->out);
}

/// `Input file '/proc/1234/fd/3' could not be opened`: an assembler in another container, or of
/// another user, does not see the files of this process.
static bool seesNoFile(const ProgramResult &result) {
  return !result.succeeded() && StringRef(result.err).contains("could not be opened");
}

/// "ptxas, on matmul_kernel (1.2 MiB of PTX)"
static std::string describeWork(StringRef ptx) {
  StringRef name = ptx.split(".entry ").second.split('(').first.trim();
  return ("ptxas, on " + (name.empty() ? StringRef("a kernel") : name) + " (" +
          formatBytes(ptx.size()) + " of PTX)")
      .str();
}

static Expected<AssembledKernel> assembleThrough(ScratchFile::Place place, StringRef ptx,
                                                 const NvidiaSpec &spec,
                                                 const CompileOptions &options,
                                                 const Toolkit &tools, unsigned minBlocks) {
  Expected<ScratchFile> input = ScratchFile::create("kernel.ptx", tools.temporaryFolder, place);
  if (!input)
    return notOurs(input.takeError());
  Expected<ScratchFile> output = ScratchFile::create("kernel.cubin", tools.temporaryFolder, place);
  if (!output)
    return notOurs(output.takeError());
  if (Error error = input->write(ptx))
    return notOurs(std::move(error));

  ProgramCall call{
      .program = tools.ptxas,
      .arguments = {"-v", "--gpu-name=" + spec.chip.str(), input->path(), "-o", output->path()},
      .environment = tools.environment.get()};
  if (tools.watch)
    call.watch = [&tools, work = describeWork(ptx)](double seconds) {
      return tools.watch(work, seconds);
    };
  if (options.lineInfo)
    call.arguments.push_back("-lineinfo");
  if (!options.fpFusion)
    call.arguments.push_back("--fmad=false");
  if (minBlocks != 0)
    call.arguments.push_back("--minnctapersm=" + std::to_string(minBlocks));
  SmallVector<StringRef> words;
  SplitString(options.assemblerOptions, words);
  for (StringRef word : words)
    call.arguments.push_back(word.str());
  Expected<ProgramResult> result = runProgram(call);
  if (!result)
    return notOurs(result.takeError());
  if (result->wasStopped)
    return makeUnsupported("assembling: ptxas was ended by " + result->describe());
  if (place == ScratchFile::Place::Memory && seesNoFile(*result))
    return assembleThrough(ScratchFile::Place::Folder, ptx, spec, options, tools, minBlocks);
  if (!result->succeeded() && isTooOld(*result))
    return explainAge(tools, spec, versionOf(ptx, spec.ptxVersion));
  if (!result->succeeded() && !saysWhy(*result))
    return explainSilence(*result, tools);
  if (!result->succeeded())
    return explainFailure(*result, ptx, input->path());
  Expected<std::string> cubin = readFile(output->path());
  if (!cubin)
    return notOurs(cubin.takeError());
  if (!StringRef(*cubin).starts_with("\x7f"
                                     "ELF"))
    return explainSilence(*result, tools);
  return AssembledKernel{std::move(*cubin), parseAssemblerReport(result->err + result->out)};
}

Expected<AssembledKernel> nvidia::assemblePTX(StringRef ptx, const NvidiaSpec &spec,
                                              const CompileOptions &options, const Toolkit &tools,
                                              unsigned minBlocks) {
  return assembleThrough(ScratchFile::Place::Memory, ptx, spec, options, tools, minBlocks);
}
