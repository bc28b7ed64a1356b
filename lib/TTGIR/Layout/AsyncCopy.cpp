//===- AsyncCopy.cpp - plan asynchronous copies of a tile into a buffer -===//
// See AsyncCopy.h. Cost: one inversion of the buffer's layout.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/AsyncCopy.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;

/// Returns whether `offsets` keeps every element in its own CTA.
static bool staysInBlock(const LinearLayout &offsets) {
  for (DimBits in : offsets.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t expected = in.dim == Dim::block() ? uint64_t(1) << bit : 0;
      if (offsets.basis(in.dim, bit, Dim::block()) != expected)
        return false;
      if (in.dim == Dim::block() && offsets.basis(in.dim, bit, Dim::offset()) != 0)
        return false;
    }
  return true;
}

std::optional<AsyncCopyPlan> tessera::planAsyncCopy(const LinearLayout &pointers,
                                                    const LinearLayout &buffer, uint64_t contiguity,
                                                    unsigned elementBytes,
                                                    llvm::ArrayRef<unsigned> copyBytes) {
  std::optional<LinearLayout> offsets = pointers.invertAndCompose(buffer);
  if (!offsets || !staysInBlock(*offsets))
    return std::nullopt;
  // Elements of a copy are consecutive in the buffer: `offsets` is treated as the layout of a
  // tensor with one dimension.
  unsigned limit =
      std::max(1u, copyBytes.empty() ? 1u : *llvm::max_element(copyBytes) / elementBytes);
  LinearLayout flat = offsets->sublayout(offsets->inDims(), {Dim::offset()});
  VectorAccess there =
      vectorAlong(*flat.renameOuts({Dim::axis(0)}), 0, std::min<uint64_t>(limit, contiguity));
  // They are also consecutive in global memory, along the dimension of `contiguity`.
  Dim run = Dim::axis(dimensionOrder(pointers).front());
  unsigned bits = 0;
  for (; bits < there.registerBits.size(); ++bits) {
    unsigned reg = there.registerBits[bits];
    uint64_t step = pointers.basis(Dim::reg(), reg, run);
    bool isAlone = llvm::all_of(pointers.outs(), [&](DimBits out) {
      return out.dim == run || pointers.basis(Dim::reg(), reg, out.dim) == 0;
    });
    if (step != uint64_t(1) << bits || !isAlone)
      break;
  }
  while (bits > 0 && !llvm::is_contained(copyBytes, elementBytes << bits))
    --bits;
  if (!llvm::is_contained(copyBytes, elementBytes << bits))
    return std::nullopt;
  llvm::ArrayRef<unsigned> registers = llvm::ArrayRef(there.registerBits).take_front(bits);
  return AsyncCopyPlan{1u << bits, llvm::SmallVector<unsigned>(registers), std::move(*offsets)};
}
