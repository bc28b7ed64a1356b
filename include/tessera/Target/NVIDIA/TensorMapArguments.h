//===- TensorMapArguments.h - tensor maps as arguments of a kernel --------===//
// A kernel in TTGIR may have arguments that the launcher builds: after all others, of a descriptor
// type with a shared encoding, and with the recipe as an attribute:
//
//   tt.func public @k(%a: !tt.ptr<f16>, %m: i32, %k: i32, %stride: i64,
//       %map: !tt.tensordesc<tensor<128x64xf16, #nvmma>>
//             {tt.tensor_map = {base = "arg0", extents = ["arg2", "arg1"],
//                               strides = [["*", "arg3", 2]], fill = "zero"}})
//
// "argN" is the N-th argument of the function. Dimensions are counted from the innermost, extents
// are in elements, strides in bytes and without the innermost, `offset` (optional) in bytes.
// Expressions are those of tessera/Kernel/TensorMapRecipe.h. The box, the swizzle and the type of
// elements follow from the descriptor's type.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/TensorMapRecipe.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"

namespace tessera::nvidia {

/// The maps that a kernel takes at most. CUDA C++ Programming Guide, "Function parameters": 4 KiB
/// of parameters work everywhere.
inline constexpr unsigned kMaxLaunchMaps = 16;

/// The copies of a block of a descriptor; nothing if no tensor map copies such blocks.
std::optional<TensorCopyPlan> planDescriptorCopy(mlir::RankedTensorType block);

/// Sets the fields of a recipe that follow from the descriptor's type. False if no tensor map has
/// such elements or boxes, or cannot fill with NaN.
bool setBoxOf(tt::TensorDescType type, TensorMapRecipe &recipe);

/// The attribute of an argument; the recipe's other fields follow from its type.
mlir::DictionaryAttr toAttribute(const TensorMapRecipe &recipe, mlir::MLIRContext *context);

/// The recipes of a kernel's tensor maps in the order of its arguments. Fails with a diagnostic for
/// attributes that are malformed, and for an argument behind a map that is none.
mlir::FailureOr<std::vector<TensorMapRecipe>> readTensorMaps(tt::FuncOp kernel);

} // namespace tessera::nvidia
