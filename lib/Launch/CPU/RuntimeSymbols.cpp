//===- RuntimeSymbols.cpp - what generated CPU code may call of us --------===//
// The signatures are those LLVM calls on x86-64 and AArch64, where _Float16 and
// __bf16 travel in vector registers. The bodies work on bits: a plain cast
// would be compiled into a call of the very function it is in.
//===----------------------------------------------------------------------===//
#include "RuntimeSymbols.h"
#include "tessera/Launch/ElementType.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

namespace tessera {

template <typename Narrow> static Narrow narrowTo(ElementType type, double value) {
  uint16_t bits = 0;
  encodeFloat(type, value, &bits);
  return __builtin_bit_cast(Narrow, bits);
}

static _Float16 floatToHalf(float value) { return narrowTo<_Float16>(ElementType::Float16, value); }
static _Float16 doubleToHalf(double value) {
  return narrowTo<_Float16>(ElementType::Float16, value);
}
static __bf16 floatToBFloat(float value) { return narrowTo<__bf16>(ElementType::BFloat16, value); }
static __bf16 doubleToBFloat(double value) {
  return narrowTo<__bf16>(ElementType::BFloat16, value);
}
static float halfToFloat(_Float16 value) {
  uint16_t bits = __builtin_bit_cast(uint16_t, value);
  return float(decodeFloat(ElementType::Float16, &bits));
}

void *findRuntimeSymbol(llvm::StringRef name) {
  return llvm::StringSwitch<void *>(name)
      .Case("__truncsfhf2", reinterpret_cast<void *>(&floatToHalf))
      .Case("__truncdfhf2", reinterpret_cast<void *>(&doubleToHalf))
      .Case("__truncsfbf2", reinterpret_cast<void *>(&floatToBFloat))
      .Case("__truncdfbf2", reinterpret_cast<void *>(&doubleToBFloat))
      .Case("__extendhfsf2", reinterpret_cast<void *>(&halfToFloat))
      .Default(nullptr);
}

} // namespace tessera
