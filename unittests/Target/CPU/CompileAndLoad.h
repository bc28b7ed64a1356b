//===- CompileAndLoad.h - TTIR text to a function that can be called ------===//
//   Kernel kernel = Kernel::compile(R"( tt.func public @k(...) {...} )");
//   ASSERT_TRUE(kernel.ok()) << kernel.error();
//   kernel.run({4, 1, 1}, x.data(), y.data(), n);
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/CPU/CPUTarget.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::cpu {

class Kernel {
public:
  static Kernel compile(llvm::StringRef ttir, const CompileOptions &options = {});

  bool ok() const { return function != nullptr; }
  /// The diagnostics.
  const std::string &error() const { return messages; }
  unsigned instructions() const { return instructionCount; }
  const std::string &object() const { return objectFile; }
  const std::string &llvmIR() const { return ir; }
  /// Undefined symbols of the object.
  std::vector<std::string> needs() const;

  /// Runs all programs, in calls of `chunk` programs each (0 for one call).
  template <typename... Args>
  void runChunks(std::array<uint32_t, 3> grid, uint64_t chunk, Args... args) {
    const void *pointers[] = {static_cast<const void *>(&args)..., nullptr};
    uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
    for (uint64_t begin = 0; begin < programs; begin += chunk ? chunk : programs)
      status |= function(pointers, grid.data(), begin,
                         chunk ? std::min(programs, begin + chunk) : programs);
  }
  template <typename... Args> void run(std::array<uint32_t, 3> grid, Args... args) {
    runChunks(grid, 0, args...);
  }

  int32_t status = 0; // what the calls returned, or-ed
  KernelFunction function = nullptr;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::string messages, objectFile, ir;
  unsigned instructionCount = 0;
};

/// `text` with every `$name` replaced; names are letters only.
std::string fill(std::string text, std::vector<std::pair<std::string, std::string>> values);

/// A kernel `out[i] = f(x[i], y[i])` over n elements, BLOCK per program: `body`
/// computes %r of type OUT from %x and %y of type IN ("T" and "O" stand for the
/// tensor types).
std::string elementwiseKernel(const std::string &in, const std::string &out, int block,
                              const std::string &body);

} // namespace tessera::cpu
