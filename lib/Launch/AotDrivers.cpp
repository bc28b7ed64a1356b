//===- AotDrivers.cpp - the drivers that libraries of kernels launch with -===//
#include "CUDA/LinkStyle.h"
#include "HIP/LinkStyle.h"
#include <array>

using namespace tessera;

llvm::ArrayRef<aot::LibraryDriver> aot::listLibraryDrivers() {
  static const std::array kDrivers = {cudaLibraryDriver(), hipLibraryDriver()};
  return kDrivers;
}
