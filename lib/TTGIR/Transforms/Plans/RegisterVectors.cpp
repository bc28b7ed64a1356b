//===- RegisterVectors.cpp - a thread's registers, vector by vector -------===//
// See RegisterVectors.h. Cost: linear in the registers.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/RegisterVectors.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;

RegisterVectors tessera::groupRegisters(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits) {
  uint64_t inVector = 0;
  for (unsigned bit : bits)
    inVector |= uint64_t(1) << bit;

  RegisterVectors result;
  llvm::DenseMap<uint64_t, unsigned> first; // register of each element, a flat index
  LinearLayout registers = layout.sublayout({Dim::reg()}, layout.outDims());
  for (uint64_t reg = 0; reg < layout.inSize(Dim::reg()); ++reg)
    result.holder.push_back(first.insert({registers.applyFlat(reg), reg}).first->second);
  for (uint64_t reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
    if ((reg & inVector) != 0 || result.holder[reg] != reg)
      continue;
    llvm::SmallVector<unsigned> vector;
    for (uint64_t element = 0; element < uint64_t(1) << bits.size(); ++element) {
      uint64_t member = reg;
      for (auto [place, bit] : llvm::enumerate(bits))
        member |= (element >> place & 1) << bit;
      vector.push_back(member);
    }
    result.vectors.push_back(vector);
  }
  return result;
}
