//===- AxisInfo.cpp - divisibility, contiguity and constancy of tensors -===//
// All numbers are powers of two, so the gcd of two claims is their minimum, and if two claims both
// hold, the larger one may be kept.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "AxisNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir;
using namespace tessera;

SmallVector<int64_t> tessera::axisSizes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (tensor.getRank() > 0)
      return SmallVector<int64_t>(tensor.getShape());
  return {1};
}

AxisInfo AxisInfo::unknown(Type type) {
  return AxisInfo(llvm::SmallVector<Axis, 3>(axisSizes(type).size()));
}

AxisInfo AxisInfo::ofConstant(int64_t value, Type type) {
  AxisInfo info;
  for (int64_t size : axisSizes(type))
    info.axes.push_back(
        {.contiguity = 1, .divisibility = powerOfTwoIn(value), .constancy = powerOfTwoIn(size)});
  info.value = value;
  info.nonNegative = value >= 0;
  return info;
}

AxisInfo AxisInfo::poison() {
  AxisInfo info;
  info.poisoned = true;
  return info;
}

int64_t tessera::divisorAt(const Axis &axis, int64_t run, int64_t unit) {
  if (run >= axis.contiguity)
    return axis.divisibility;
  // The start is inside one of the axis's runs, a multiple of `run` steps from its start.
  return std::min(axis.divisibility, saturatingProduct(run, powerOfTwoIn(unit)));
}

int64_t AxisInfo::alignedRun(unsigned dim, int64_t unit) const {
  return std::min(contiguity(dim), std::max<int64_t>(1, divisibility(dim) / unit));
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  if (!lhs.isComputed() || (lhs.isPoison() && rhs.isComputed()))
    return rhs;
  if (!rhs.isComputed() || rhs.isPoison())
    return lhs;
  AxisInfo result;
  for (auto [a, b] : llvm::zip(lhs.axes, rhs.axes)) {
    int64_t run = std::min(a.contiguity, b.contiguity);
    // For pointers this only claims less, as their steps are larger than 1.
    result.axes.push_back({.contiguity = run,
                           .divisibility = std::min(divisorAt(a, run), divisorAt(b, run)),
                           .constancy = std::min(a.constancy, b.constancy),
                           .prefix = std::min(a.longestPrefix(), b.longestPrefix())});
  }
  if (lhs.value == rhs.value)
    result.value = lhs.value;
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return result;
}

void AxisInfo::print(llvm::raw_ostream &os) const {
  if (!isComputed() || isPoison()) {
    os << (isPoison() ? "poison" : "not computed");
    return;
  }
  auto list = [&](llvm::StringRef name, int64_t Axis::*member) {
    os << name << " = [";
    llvm::interleaveComma(axes, os, [&](const Axis &axis) { os << axis.*member; });
    os << "], ";
  };
  list("contiguity", &Axis::contiguity);
  list("divisibility", &Axis::divisibility);
  list("constancy", &Axis::constancy);
  os << "constant_value = ";
  if (value)
    os << *value;
  else
    os << "<none>";
}
