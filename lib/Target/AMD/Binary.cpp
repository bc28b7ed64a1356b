//===- Binary.cpp - from AMDGCN assembly to a code object -----------------===//
// See Binary.h. What the assembler refuses is the user's if the text is a file or has
// inline assembly, and a bug of ours otherwise.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Binary.h"
#include "tessera/Support/Remarks.h"
#include "tessera/Target/AMD/Assembler.h"
#include "tessera/Target/AMD/Linker.h"
#include "tessera/Target/AMD/Notes.h"
#include "tessera/Target/StageErrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// Begins an error about the assembly, at a line of it if it is a file.
static InFlightDiagnostic beginError(StageState &state, unsigned line = 0, unsigned column = 0) {
  bool isFile = !state.assemblyPath.empty();
  Location loc = isFile ? FileLineColLoc::get(&state.context, state.assemblyPath, line, column)
                        : locationOf(state);
  InFlightDiagnostic error =
      isFile || state.hasInlineAssembly ? emitProgramError(loc) : emitError(loc);
  setCode(error, "assembler");
  return error;
}

/// Reports the first problems; wrong text leads to many.
static LogicalResult reportProblems(StageState &state, llvm::ArrayRef<AssemblyProblem> problems) {
  constexpr size_t maxReported = 5;
  for (const AssemblyProblem &problem : problems.take_front(maxReported)) {
    InFlightDiagnostic error = beginError(state, problem.line, problem.column);
    if (!state.assemblyPath.empty()) {
      error << problem.message;
      continue;
    }
    error << "cannot assemble kernel '" << state.record.kernelName << "': " << problem.message;
    if (problem.line != 0)
      error << ", in line " << problem.line << " of its amdgcn: '" << problem.text << "'";
  }
  return failure();
}

/// Returns the note of the kernel. A file of assembly may have several, of which one is chosen.
static FailureOr<KernelNote> findNote(StageState &state, llvm::ArrayRef<KernelNote> notes) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const KernelNote &note : notes) {
    if (note.name == state.record.kernelName ||
        (state.record.kernelName.empty() && notes.size() == 1))
      return note;
    names.push_back(note.name);
  }
  std::string known = names.empty() ? "it describes none (.amdgpu_metadata)"
                                    : "it describes " + llvm::join(names, ", ");
  InFlightDiagnostic error = beginError(state);
  if (state.record.kernelName.empty() && !names.empty())
    return error << "the assembly has several kernels, choose one with --kernel-name: "
                 << llvm::join(names, ", ");
  return error << "the assembly has no kernel '" << state.record.kernelName << "'; " << known;
}

static void fillRecord(KernelRecord &record, const KernelNote &note) {
  record.kernelName = note.name;
  record.registers = note.vectorRegisters;
  record.accumulatorRegisters = note.accumulatorRegisters;
  record.scalarRegisters = note.scalarRegisters;
  record.stackBytes = note.scratchBytes;
  constexpr int registerBytes = 4;
  record.spillBytes =
      note.spilledVectorRegisters < 0 ? -1 : note.spilledVectorRegisters * registerBytes;
  record.sharedBytes = std::max(note.sharedBytes, 0);
  record.sharedIsStatic = true;
  record.assembler = "LLVM " LLVM_VERSION_STRING;
  if (record.numWarps == 0 && note.threadsPerWarp > 0 && note.maxThreads > 0) {
    record.threadsPerWarp = note.threadsPerWarp;
    record.numWarps = llvm::divideCeil(note.maxThreads, note.threadsPerWarp);
  }
}

LogicalResult amd::makeHSACO(StageState &state, const AmdSpec &spec) {
  llvm::SmallVector<AssemblyProblem> problems;
  std::optional<std::string> object = assembleObject(state.assembly, spec, problems);
  if (!object)
    return reportProblems(state, problems);
  llvm::Expected<std::string> linked = linkCodeObject(*object);
  if (!linked)
    return beginError(state) << "cannot link kernel '" << state.record.kernelName
                             << "': " << llvm::toString(linked.takeError());
  llvm::Expected<std::vector<KernelNote>> notes = readKernelNotes(*linked);
  if (!notes)
    return beginError(state) << llvm::toString(notes.takeError());
  FailureOr<KernelNote> note = findNote(state, *notes);
  if (failed(note))
    return failure();
  state.binary = std::move(*linked);
  fillRecord(state.record, *note);
  noted(locationOf(state), "make_hsaco", "assembler")
      .says("{0} vector registers, {1} of them accumulators, {2} scalar registers, {3} vector "
            "registers and {4} scalar ones spilled, {5} bytes of stack, {6} bytes of shared memory",
            note->vectorRegisters, note->accumulatorRegisters, note->scalarRegisters,
            note->spilledVectorRegisters, note->spilledScalarRegisters, note->scratchBytes,
            note->sharedBytes)
      .number("registers", state.record.registers)
      .number("spill-bytes", state.record.spillBytes);
  return success();
}
