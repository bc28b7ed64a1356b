//===- Json.cpp - explanations for programs -------------------------------===//
#include "tessera/Explain/Json.h"
#include "tessera/Driver/Report.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/Version.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace json = llvm::json;

/// Names and texts come from users; JSON is UTF-8.
static std::string utf8(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static llvm::StringRef nameOf(StepKind kind) {
  switch (kind) {
  case StepKind::Frontend:
    return "frontend";
  case StepKind::Input:
    return "input";
  case StepKind::Pass:
    return "pass";
  case StepKind::LLVMPass:
    return "llvm-pass";
  case StepKind::Stage:
    return "stage";
  }
  return "";
}

static llvm::StringRef nameOf(TextSyntax syntax) {
  switch (syntax) {
  case TextSyntax::MLIR:
    return "mlir";
  case TextSyntax::LLVM:
    return "llvm";
  case TextSyntax::Assembly:
    return "assembly";
  }
  return "";
}

static llvm::StringRef outcomeOf(ExitStatus status) {
  switch (status) {
  case kDone:
    return "done";
  case kUnsupported:
    return "unsupported";
  case kInternalError:
    return "internal";
  default:
    return "error";
  }
}

/// A diagnostic in the form that all reports of the library use.
static void writeDiagnostic(json::OStream &out, const Diagnostic &diagnostic) {
  llvm::Expected<json::Value> value = parseJson(writeDiagnosticLine(diagnostic));
  if (value)
    out.value(*value);
  else
    llvm::consumeError(value.takeError());
}

static void writeText(json::OStream &out, const ProgramText &program) {
  out.attribute("level", program.level);
  out.attribute("syntax", nameOf(program.syntax));
  out.attribute("text", utf8(program.text));
  out.attributeObject("ops", [&] {
    for (const auto &[name, count] : program.ops)
      out.attribute(utf8(name), int64_t(count));
  });
  out.attributeArray("lines", [&] {
    for (LinePlace place : program.places)
      out.value(int64_t(place.line));
  });
  // Most programs have one file; then this is left out.
  if (llvm::any_of(program.places, [](LinePlace place) { return place.file != 0; }))
    out.attributeArray("files", [&] {
      for (LinePlace place : program.places)
        out.value(int64_t(place.file));
    });
}

static void writeStep(json::OStream &out, const PassStep &step) {
  out.attribute("kind", nameOf(step.kind));
  out.attribute("stage", step.stage);
  out.attribute("name", utf8(step.name));
  if (!step.options.empty())
    out.attribute("options", utf8(step.options));
  if (!step.summary.empty())
    out.attribute("summary", utf8(step.summary));
  out.attribute("depth", int64_t(step.depth));
  out.attribute("seconds", step.seconds);
  out.attribute("changed", step.changed);
  if (step.failed)
    out.attribute("failed", true);
  if (step.before != kNoText)
    out.attribute("before", int64_t(step.before));
  if (step.after != kNoText)
    out.attribute("after", int64_t(step.after));
  if (step.bytes)
    out.attribute("bytes", int64_t(step.bytes));
  out.attributeArray("remarks", [&] {
    for (const Diagnostic &remark : step.remarks)
      writeDiagnostic(out, remark);
  });
}

static void writeLayout(json::OStream &out, const TensorLayout &layout) {
  out.attribute("level", layout.level);
  out.attribute("type", utf8(layout.type));
  out.attribute("encoding", utf8(layout.encoding));
  out.attribute("shape", json::Array(layout.shape));
  out.attribute("bits", int64_t(layout.elementBits));
  out.attribute("shared", layout.isShared);
  out.attribute("uses", int64_t(layout.values.size()));
  out.attributeArray("values", [&] {
    for (const std::string &name : layout.values)
      out.value(utf8(name));
  });
  out.attributeArray("inputs", [&] {
    for (const TensorLayout::Input &input : layout.inputs)
      out.object([&] {
        out.attribute("name", input.name);
        out.attributeArray("bases", [&] {
          for (const std::vector<int64_t> &basis : input.bases)
            out.value(json::Array(basis));
        });
      });
  });
}

static void writeAccess(json::OStream &out, const BufferAccess &access) {
  out.attribute("op", access.op);
  // Of another file than the kernel's: no line that a reader could look up.
  out.attribute("line", int64_t(access.place.file == 0 ? access.place.line : 0));
  out.attribute("tensor", int64_t(access.tensor));
  out.attribute("buffer", int64_t(access.buffer));
  out.attribute("bits", int64_t(access.bits));
  out.attribute("wavefronts", int64_t(access.wavefronts));
  out.attribute("least_wavefronts", int64_t(access.leastWavefronts));
}

static void writeMachine(json::OStream &out, const MachineFacts &machine) {
  out.attribute("chip", machine.chip);
  out.attribute("bytes_per_second", machine.bytesPerSecond);
  out.attribute("flops_per_second", machine.flopsPerSecond);
  out.attribute("banks", int64_t(machine.banks));
  out.attribute("bank_bytes", int64_t(machine.bankBytes));
  out.attribute("warps", int64_t(machine.warps));
  out.attribute("max_warps", int64_t(machine.maxWarps));
  out.attributeObject("limits", [&] {
    for (const auto &[name, count] : machine.limits)
      out.attribute(name, int64_t(count));
  });
}

static void writeKernel(json::OStream &out, const Explanation &kernel) {
  const PassTrace &trace = kernel.trace;
  out.attribute("kernel", utf8(kernel.title()));
  out.attribute("file", utf8(kernel.request.path));
  out.attribute("line", int64_t(trace.kernelLine));
  out.attribute("signature", utf8(kernel.request.signature));
  out.attribute("target", utf8(kernel.request.target));
  out.attribute("outcome", outcomeOf(kernel.status));
  out.attribute("seconds", kernel.seconds);
  out.attributeArray("diagnostics", [&] {
    for (const Diagnostic &diagnostic : kernel.diagnostics.diagnostics())
      writeDiagnostic(out, diagnostic);
  });
  out.attributeArray("stages", [&] {
    for (const StageTime &stage : trace.stages)
      out.object([&] {
        out.attribute("name", stage.name);
        out.attribute("level", stage.extension);
        out.attribute("seconds", stage.seconds);
        if (stage.failed)
          out.attribute("failed", true);
      });
  });
  out.attributeArray("steps", [&] {
    for (const PassStep &step : trace.steps)
      out.object([&] { writeStep(out, step); });
  });
  out.attributeArray("texts", [&] {
    for (const ProgramText &program : trace.texts)
      out.object([&] { writeText(out, program); });
  });
  out.attributeArray("sources", [&] {
    for (size_t i = 0; i < trace.files.size(); ++i)
      out.object([&] {
        out.attribute("path", utf8(trace.files[i]));
        out.attribute("text", i < trace.sources.size() ? utf8(trace.sources[i]) : "");
      });
  });
  out.attributeArray("layouts", [&] {
    for (const TensorLayout &layout : trace.layouts)
      out.object([&] { writeLayout(out, layout); });
  });
  out.attributeArray("accesses", [&] {
    for (const BufferAccess &access : trace.accesses)
      out.object([&] { writeAccess(out, access); });
  });
  if (!kernel.record)
    return;
  if (kernel.machine)
    out.attributeObject("machine", [&] { writeMachine(out, *kernel.machine); });
  if (llvm::Expected<json::Value> record = parseJson(kernel.record->toText()))
    out.attribute("record", *record);
  else
    llvm::consumeError(record.takeError());
}

std::string tessera::writeExplanations(llvm::ArrayRef<Explanation> kernels) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    out.attribute("format", "tessera-explain");
    out.attribute("version", 1);
    out.attribute("tessera", getVersion());
    out.attributeArray("kernels", [&] {
      for (const Explanation &kernel : kernels)
        out.object([&] { writeKernel(out, kernel); });
    });
  });
  stream << "\n";
  return text;
}
