//===- DriverAPI.h - a GPU's driver, with errors in words -----------------===//
#pragma once

#include "DriverTable.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tessera::gpu {

class DriverAPI : public DriverTable {
public:
  /// Opens the library, finds the functions and initialises the driver.
  static llvm::Expected<std::shared_ptr<const DriverAPI>> open(const DriverFace &face,
                                                               const std::string &library);
  ~DriverAPI();

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string describe(Result result) const;

  /// Success, or "cuMemAlloc failed: CUDA_ERROR_... (...); <context>".
  llvm::Error check(Result result, Call call, const llvm::Twine &context = "") const {
    return result == kSuccess ? llvm::Error::success() : failure(result, call, context);
  }

private:
  explicit DriverAPI(const DriverFace &face) : DriverTable(face) {}
  llvm::Error failure(Result result, Call call, const llvm::Twine &context) const;
};

} // namespace tessera::gpu
