//===- Drivers.h - the drivers of all vendors -----------------------------===//
#pragma once

#include "GPU/DriverTable.h"

namespace tessera {

/// The vendors' drivers, in the order in which the default device is looked for. Without LLVM, as
/// the library of packs has the same list.
inline constexpr size_t kDriverCount = 2;
const std::array<const gpu::DriverFace *, kDriverCount> &allDrivers();

} // namespace tessera
