//===- Signature.h - what each parameter of a kernel is -------------------===//
// The string that the AOT tool takes, one entry per parameter:
//
//   "*fp32:16, *fp32, i32:16, 64, 1.5"
//
//   *fp32, i32        a run-time argument of that type
//   T:16              ... divisible by 16 (a pointer: 16-byte aligned)
//   *T:S, *T:16S      ... of a tensor that ends less than 2 GiB after the pointer
//   T:1               ... fixed to 1, and compiled as that constant
//   64, 1.5           a compile-time constant; also True, False, None, 'text', tl.float16
//   (i32, *fp32, 4)   a tuple of such entries
//   tensordesc<fp16[64,32]>   a tensor descriptor of such blocks; with :16, the last
//                     extent of its tensor is a multiple of 16 bytes
//   tensordesc<fp16[64,32],nan>   ... outside which NaN lies, not zero
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera {

// The frontend's objects, which nobody else looks into.
class Value;
struct ClassDefinition;

struct SignatureEntry {
  std::string text;          // as written, without spaces
  bool isConstant = false;   // of a tuple: all of it
  KernelType type;           // of a run-time argument, and of T:1; of a descriptor: its block
  unsigned divisibility = 0; // 16, or 0 for no promise
  bool isFixedToOne = false; // T:1
  bool isSmall = false;      // *T:S
  bool isDescriptor = false;
  bool padsWithNaN = false; // of a descriptor
  bool isTuple = false;
  std::vector<SignatureEntry> elements = {}; // of a tuple
  // These two belong to a program with live objects (LiveProgram.h), which owns them.
  const ClassDefinition *tupleClass = nullptr; // of a named tuple
  const Value *constant = nullptr;             // of a constant that no text could say
};

/// Splits and reads the entries. An error names the entry, by position from 1, and is a
/// DetailedError.
llvm::Expected<std::vector<SignatureEntry>> parseSignature(llvm::StringRef text);

/// The entries as written: commas inside quotes, brackets and <> belong to one.
std::vector<llvm::StringRef> splitSignature(llvm::StringRef text);

} // namespace tessera
