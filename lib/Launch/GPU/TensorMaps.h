//===- TensorMaps.h - tensor maps of launches -----------------------------===//
// Builds the tensor maps that a kernel takes as hidden arguments, from the recipes of its record,
// with cuTensorMapEncodeTiled. The arguments that the last launch's recipes read are kept with its
// maps: a launch with the same ones costs a comparison and a copy.
//===----------------------------------------------------------------------===//
#pragma once

#include "DriverAPI.h"
#include "tessera/Kernel/LaunchArithmetic.h"
#include <mutex>

namespace tessera::gpu {

TensorMapCodes codesOf(const TensorMapRecipe &recipe);

/// The tensor maps of one kernel. May be used from several threads.
class TensorMaps {
public:
  /// Fails for recipes that do not fit the kernel.
  llvm::Error prepare(const KernelRecord &record);
  size_t count() const { return plan.size(); }

  /// Writes the maps of a launch, whose `args[i]` points to the i-th passed argument. Returns why
  /// there are none for these arguments; empty if there are.
  std::string build(const DriverAPI &api, llvm::ArrayRef<void *> args,
                    llvm::MutableArrayRef<EncodedTensorMap> maps) const;

private:
  std::string encodeAll(const DriverAPI &api, llvm::ArrayRef<int64_t> inputs,
                        llvm::MutableArrayRef<EncodedTensorMap> maps) const;

  TensorMapEvaluator plan;
  /// The last launch. Threads that launch with other arguments replace it.
  struct Memo {
    bool isSet = false;
    llvm::SmallVector<int64_t, 16> inputs;
    std::vector<EncodedTensorMap> maps;
    std::string problem;
  };
  mutable std::mutex lock; // of the memo; not held while the driver encodes
  mutable Memo memo;
};

} // namespace tessera::gpu
