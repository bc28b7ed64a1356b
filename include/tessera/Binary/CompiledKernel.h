//===- CompiledKernel.h - a kernel's record and all its forms -------------===//
// What a compilation leaves: the record and the text or bytes of each stage
// by file extension. The cache stores it and a device loads it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include <map>
#include <memory>
#include <string>

namespace tessera {

struct CompiledKernel {
  KernelRecord record;
  /// The outputs by file extension: "ttir", "ttgir", "llir", "ptx", "cubin", "asm", "obj", ...
  std::map<std::string, std::string, std::less<>> artifacts;
  /// The record as JSON, if it was read from there and has not changed since; else empty.
  std::string recordText = {};
  /// The pack that has these artifacts, and the entry there; null if none has.
  std::shared_ptr<const class PackFile> pack = {};
  uint32_t packEntry = 0;
  bool isPartial = false; // the entry has further artifacts, which were not read

  /// Null when that stage was not kept.
  const std::string *find(llvm::StringRef extension) const {
    auto it = artifacts.find(std::string_view(extension.data(), extension.size()));
    return it == artifacts.end() ? nullptr : &it->second;
  }
  bool operator==(const CompiledKernel &other) const {
    return record == other.record && artifacts == other.artifacts;
  }
};

} // namespace tessera
