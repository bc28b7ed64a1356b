//===- RegisterWarnings.cpp - tiles that no thread can hold ---------------===//
#include "RegisterWarnings.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

/// The 32-bit registers of each thread that a value takes.
static uint64_t registersOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding() || !tensor.getElementType().isIntOrFloat())
    return 0;
  uint64_t bits = tensor.getElementTypeBitWidth();
  return (elementsPerThread(ttg::toLinearLayout(tensor)) * bits + 31) / 32;
}

/// "fp32[256, 256]"
static std::string describe(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool isFloat = type.getElementType().isF16() || type.getElementType().isF32() ||
                 type.getElementType().isF64();
  if (isFloat)
    os << "fp" << type.getElementTypeBitWidth();
  else
    os << type.getElementType();
  os << "[";
  llvm::interleaveComma(type.getShape(), os);
  os << "]";
  return text;
}

/// The number of warps that share a tile with registers to spare; 0 if it is too large for that.
static uint64_t warpsFor(uint64_t registers) {
  constexpr uint64_t most = NvidiaSpec::maxRegistersPerThread / 2;
  bool fits = registers <= NvidiaSpec::registersPerSM / 2;
  return fits ? llvm::PowerOf2Ceil(registers / NvidiaSpec::threadsPerWarp / most) : 0;
}

/// Warns of one loop; returns the warning in short.
static std::string warnOf(scf::ForOp loop, RankedTensorType type, uint64_t needed, uint64_t warps) {
  constexpr uint64_t limit = NvidiaSpec::maxRegistersPerThread;
  std::string tile = describe(type);
  uint64_t enough = warpsFor(needed * warps * NvidiaSpec::threadsPerWarp);
  InFlightDiagnostic warning = loop.emitWarning();
  warning << "each thread carries " << needed << " registers of a " << tile
          << " through this loop, and has " << limit
          << ": the rest is spilled to memory, and ptxas may take minutes; use smaller tiles";
  if (enough > warps)
    warning << ", or num_warps=" << enough;
  return "a " + tile + " takes " + std::to_string(needed) + " registers of each thread, of " +
         std::to_string(limit);
}

std::string nvidia::warnOfRegisters(ModuleOp module) {
  std::string slowness;
  module.walk([&](scf::ForOp loop) {
    for (Type type : loop.getInitArgs().getTypes())
      if (uint64_t needed = registersOf(type); needed > NvidiaSpec::maxRegistersPerThread) {
        slowness = warnOf(loop, cast<RankedTensorType>(type), needed, ttg::getNumWarps(module));
        return;
      }
  });
  return slowness;
}
