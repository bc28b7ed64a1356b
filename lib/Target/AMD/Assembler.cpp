//===- Assembler.cpp - from AMDGCN assembly to an object file -------------===//
// See Assembler.h. Inline assembly may not have directives: some of them read files
// (.incbin), and others take any amount of memory (.rept, .space), which LLVM's
// assembler cannot be kept from.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Assembler.h"
#include "tessera/Target/AMD/Assembly.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

using Problems = SmallVectorImpl<AssemblyProblem>;

static void addProblem(const SMDiagnostic &diagnostic, Problems &problems) {
  if (diagnostic.getKind() != SourceMgr::DK_Error)
    return;
  problems.push_back({unsigned(std::max(diagnostic.getLineNo(), 0)),
                      unsigned(diagnostic.getColumnNo() + 1), diagnostic.getMessage().str(),
                      diagnostic.getLineContents().trim().str()});
}

/// Adds a problem for each directive between LLVM's marks around inline assembly.
static void checkInlineAssembly(StringRef assembly, Problems &problems) {
  bool isInline = false;
  unsigned number = 0;
  for (StringRef rest = assembly; !rest.empty();) {
    auto [line, following] = rest.split('\n');
    rest = following;
    ++number;
    StringRef text = line.trim();
    if (text.starts_with(";;#ASMSTART"))
      isInline = true;
    else if (text.starts_with(";;#ASMEND"))
      isInline = false;
    if (!isInline)
      continue;
    // A label may precede a directive; ';' begins a comment.
    if (size_t colon = text.find(':'); colon != StringRef::npos)
      text = text.drop_front(colon + 1).ltrim();
    bool isDirective = text.starts_with(".");
    if (isDirective)
      problems.push_back({number, unsigned(line.find('.') + 1),
                          "inline assembly may have instructions, but no directives", text.str()});
  }
}

namespace {
/// What LLVM's assembler consists of, for one chip.
struct Machine {
  const Target *target;
  Triple triple{kTriple};
  MCTargetOptions options = {};
  std::unique_ptr<MCRegisterInfo> registers{target->createMCRegInfo(triple)};
  std::unique_ptr<MCAsmInfo> syntax{target->createMCAsmInfo(*registers, triple, options)};
  std::unique_ptr<MCInstrInfo> instructions{target->createMCInstrInfo()};
};
} // namespace

/// Assembles into `object`; the problems are told to the handlers.
static bool assemble(const Machine &machine, const MCSubtargetInfo &chip, SourceMgr &source,
                     MCContext &context, raw_pwrite_stream &object) {
  std::unique_ptr<MCObjectFileInfo> sections(
      machine.target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  std::unique_ptr<MCAsmBackend> backend(
      machine.target->createMCAsmBackend(chip, *machine.registers, machine.options));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(object);
  std::unique_ptr<MCCodeEmitter> encoder(
      machine.target->createMCCodeEmitter(*machine.instructions, context));
  std::unique_ptr<MCStreamer> streamer(machine.target->createMCObjectStreamer(
      machine.triple, context, std::move(backend), std::move(writer), std::move(encoder), chip));
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(source, context, *streamer, *machine.syntax));
  std::unique_ptr<MCTargetAsmParser> chipParser(
      machine.target->createMCAsmParser(chip, *parser, *machine.instructions, machine.options));
  if (!chipParser)
    return false;
  parser->setTargetParser(*chipParser);
  return !parser->Run(/*NoInitialTextSection=*/false) && !context.hadError();
}

std::optional<std::string> amd::assembleObject(StringRef assembly, const AmdSpec &spec,
                                               Problems &problems) {
  size_t before = problems.size();
  checkInlineAssembly(assembly, problems);
  if (problems.size() != before)
    return std::nullopt;
  std::string missing;
  const Target *target = findAmdBackend(missing);
  if (!target) {
    problems.push_back({.message = "this build has no AMDGPU assembler: " + missing});
    return std::nullopt;
  }
  Machine machine{target};
  std::unique_ptr<MCSubtargetInfo> chip(
      target->createMCSubtargetInfo(machine.triple, spec.chip, /*Features=*/""));
  SourceMgr source;
  auto handle = [](const SMDiagnostic &diagnostic, void *list) {
    addProblem(diagnostic, *static_cast<Problems *>(list));
  };
  source.setDiagHandler(handle, &problems);
  source.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(assembly, "amdgcn"), SMLoc());
  MCContext context(machine.triple, machine.syntax.get(), machine.registers.get(), chip.get(),
                    &source, &machine.options);
  context.setDiagnosticHandler(
      [&](const SMDiagnostic &diagnostic, bool, const SourceMgr &, std::vector<const MDNode *> &) {
        addProblem(diagnostic, problems);
      });
  SmallString<0> object;
  raw_svector_ostream stream(object);
  bool isGood = assemble(machine, *chip, source, context, stream);
  if (isGood && problems.size() == before)
    return object.str().str();
  if (problems.size() == before)
    problems.push_back({.message = "the assembler failed without saying why"});
  return std::nullopt;
}
