//===- Drivers.cpp - the drivers of all vendors ---------------------------===//
// Without LLVM: see GPU/DriverTable.h.
//===----------------------------------------------------------------------===//
#include "Drivers.h"
#include "tessera/Launch/CodeFit.h"
#include "CUDA/Driver.h"
#include "HIP/Driver.h"

using namespace tessera;

const std::array<const gpu::DriverFace *, kDriverCount> &tessera::allDrivers() {
  static const std::array<const gpu::DriverFace *, kDriverCount> kDrivers = {&cudaDriver(),
                                                                             &hipDriver()};
  return kDrivers;
}

/// The driver of a target's devices; null if it has none.
static const gpu::DriverFace *driverOf(std::string_view target) {
  for (const gpu::DriverFace *driver : allDrivers())
    if (target.substr(0, target.find(':')) == driver->kind)
      return driver;
  return nullptr;
}

CodeForms tessera::codeFormsOf(std::string_view target) {
  const gpu::DriverFace *driver = driverOf(target);
  return driver ? CodeForms{driver->binary, driver->text} : CodeForms{"obj", ""};
}

CodeFit tessera::fitCode(std::string_view device, const ChipCode &code) {
  if (const gpu::DriverFace *driver = driverOf(device))
    return driver->fit(device, code);
  return {code.hasBinary && device == code.target ? kFitsExactly : 0, false};
}
