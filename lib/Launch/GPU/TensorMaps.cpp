//===- TensorMaps.cpp - tensor maps of launches ---------------------------===//
#include "TensorMaps.h"
#include "tessera/Kernel/KernelRecord.h"

namespace tessera::gpu {

TensorMapCodes codesOf(const TensorMapRecipe &recipe) {
  return tensorMapCodes(recipe.type, recipe.swizzle, recipe.l2Bytes, recipe.fillsWithNaN);
}

llvm::Error TensorMaps::prepare(const KernelRecord &record) {
  llvm::Expected<TensorMapEvaluator> created = TensorMapEvaluator::create(record);
  if (!created)
    return created.takeError();
  plan = std::move(*created);
  return llvm::Error::success();
}

static std::string encode(const DriverAPI &api, const TensorMapRecipe &recipe,
                          const TensorMapValues &values, EncodedTensorMap &map) {
  static constexpr uint32_t kOnes[TensorMapRecipe::kMaxRank] = {1, 1, 1, 1, 1};
  TensorMapCodes codes = codesOf(recipe);
  Result result = api.tensorMapEncodeTiled(
      &map, codes.type, recipe.rank(), reinterpret_cast<void *>(values.base), values.extents.data(),
      values.strides.data(), recipe.box.data(), kOnes, /*interleave=*/0, codes.swizzle,
      codes.promotion, codes.fill);
  return result == kSuccess ? ""
                            : std::string(api.nameOf(Call::tensorMapEncodeTiled)) +
                                  " failed: " + api.describe(result);
}

std::string TensorMaps::encodeAll(const DriverAPI &api, llvm::ArrayRef<int64_t> inputs,
                                  llvm::MutableArrayRef<EncodedTensorMap> maps) const {
  if (!api.tensorMapEncodeTiled)
    return std::string("tensor maps need ") + api.face.tensorMaps;
  for (size_t map = 0; map < plan.size(); ++map) {
    TensorMapValues values;
    std::string problem = plan.evaluate(map, inputs, values);
    if (problem.empty())
      problem = encode(api, plan.recipe(map), values, maps[map]);
    if (!problem.empty())
      return problem;
  }
  return "";
}

std::string TensorMaps::build(const DriverAPI &api, llvm::ArrayRef<void *> args,
                              llvm::MutableArrayRef<EncodedTensorMap> maps) const {
  llvm::SmallVector<int64_t, 16> inputs(plan.inputCount());
  plan.read(args, inputs);
  {
    std::lock_guard<std::mutex> guard(lock);
    if (memo.isSet && memo.inputs == inputs) [[likely]] {
      std::copy(memo.maps.begin(), memo.maps.end(), maps.begin());
      return memo.problem;
    }
  }
  std::string problem = encodeAll(api, inputs, maps);
  std::lock_guard<std::mutex> guard(lock);
  memo.isSet = true;
  memo.inputs = std::move(inputs);
  memo.maps.assign(maps.begin(), maps.end());
  memo.problem = problem;
  return problem;
}

} // namespace tessera::gpu
