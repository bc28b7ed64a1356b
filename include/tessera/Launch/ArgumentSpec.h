//===- ArgumentSpec.h - what `--arg NAME=SPEC` means ----------------------===//
//   123   1.5   true           a scalar, for a scalar type
//   @file.npy                  an array from a file
//   zeros:SHAPE  empty:SHAPE  arange:SHAPE  rand:SHAPE  randn:SHAPE  randint:LO:HI:SHAPE
//   SHAPE is 4096 or 4x64x28
//
// Parsing is separate from making, so that all of a command line is checked
// before anything is allocated. Errors begin with "--arg NAME: ".
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelType.h"
#include "tessera/Launch/HostArray.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera {

/// The type of a signature entry, "*fp32" or "i32:16", for which the host can make a value.
llvm::Expected<KernelType> parseArgumentType(llvm::StringRef text);

struct ArgumentSpec {
  enum class Kind { Scalar, File, Zeros, Empty, Sequence, Uniform, Normal, Integers };

  std::string name;
  KernelType type;
  Kind kind = Kind::Scalar;
  std::string text; // the scalar's, or the file's path
  llvm::SmallVector<uint64_t, 4> shape;
  int64_t low = 0, high = 0; // of Integers
};

/// `type` is the argument's entry in the signature. Checks that the two agree
/// and that every number is in range.
llvm::Expected<ArgumentSpec> parseArgumentSpec(llvm::StringRef name, llvm::StringRef type,
                                               llvm::StringRef spec);

/// "NAME=SPEC" or "NAME=FILE" of a repeated option, split at the first '='.
/// `option` ("--arg") begins the error.
llvm::Expected<std::pair<std::string, std::string>> splitNamedValue(llvm::StringRef option,
                                                                    llvm::StringRef text);

/// A value ready to be passed: the scalar's bytes, or an array whose address is.
struct HostArgument {
  std::string name;
  KernelType type;
  alignas(8) char scalar[8] = {}; // when !type.isPointer()
  HostArray array;                // when type.isPointer()
  bool isInitialized = true;      // what the array holds is meant to be read
};

llvm::Expected<HostArgument> makeHostArgument(const ArgumentSpec &spec, uint64_t seed,
                                              ThreadPool &pool);

} // namespace tessera
