//===- RuntimeSymbols.cpp - what generated CPU code may call of us --------===//
// LLVM passes and returns half and bfloat values in the low bits of a vector
// register, on x86-64 and AArch64 alike. A whole vector has the same place, and
// unlike _Float16 and __bf16 it never makes the compiler insert a call of the
// very function that is being defined.
//===----------------------------------------------------------------------===//
#include "RuntimeSymbols.h"
#include "Breakpoints.h"
#include "Sanitizer.h"
#include "tessera/Kernel/ScalarEncoding.h"
#include "llvm/ADT/StringSwitch.h"

namespace tessera {

using InVectorRegister = uint16_t __attribute__((vector_size(16)));

static InVectorRegister narrowTo(DType type, double value) {
  uint16_t bits = 0;
  encodeFloat(type, value, &bits);
  return InVectorRegister{bits};
}

static InVectorRegister floatToHalf(float value) { return narrowTo(DType::FP16, value); }
static InVectorRegister doubleToHalf(double value) { return narrowTo(DType::FP16, value); }
static InVectorRegister floatToBFloat(float value) { return narrowTo(DType::BF16, value); }
static InVectorRegister doubleToBFloat(double value) { return narrowTo(DType::BF16, value); }
static float halfToFloat(InVectorRegister value) {
  uint16_t bits = value[0];
  return float(decodeFloat(DType::FP16, &bits));
}

void *findRuntimeSymbol(llvm::StringRef name) {
  return llvm::StringSwitch<void *>(name)
      .Case("tessera_break", reinterpret_cast<void *>(&stopAtBreakpoint))
      .Case("__truncsfhf2", reinterpret_cast<void *>(&floatToHalf))
      .Case("__truncdfhf2", reinterpret_cast<void *>(&doubleToHalf))
      .Case("__truncsfbf2", reinterpret_cast<void *>(&floatToBFloat))
      .Case("__truncdfbf2", reinterpret_cast<void *>(&doubleToBFloat))
      .Case("__extendhfsf2", reinterpret_cast<void *>(&halfToFloat))
      .Default(findSanitizerSymbol(name));
}

} // namespace tessera
