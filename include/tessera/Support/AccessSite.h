//===- AccessSite.h - what sanitized code tells the sanitizer -------------===//
// Kernels that were compiled with --sanitize call two functions (docs/
// sanitizer.md). Each call names the line of Python it stands for by a record
// that lies in the object's constants: the numbers that every call needs, then
// a text that only a report reads.
//
//   AccessSite: bytes of the struct | JSON: place, mask, shape, ... | 0
//   WrapSite:   bytes of the struct | JSON: place                   | 0
//
// Target/CPU writes the records and Launch/CPU reads them, both here.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace tessera {

/// A place in Python; line 0 when nobody knows.
struct SourcePlace {
  std::string path;
  uint32_t line = 0, column = 0; // both from 1; the column in bytes
  std::string name;              // of the variable that the value was given to

  bool isKnown() const { return line != 0; }
  bool operator==(const SourcePlace &) const = default;
};

/// The compile-time part of a report about an access.
struct AccessText {
  std::string kernel;
  std::string operation; // "load", "store", "atomic add"
  std::string type;      // of an element, as in IR: "f32"
  SourcePlace place;
  llvm::SmallVector<SourcePlace, 0> callers; // of the functions it was inlined from, inside out
  bool hasMask = false;
  SourcePlace mask;
  llvm::SmallVector<int64_t, 4> shape; // empty for a scalar
};

struct AccessSite {
  enum Flag : uint32_t {
    Reads = 1,
    Writes = 2,
    Atomic = 4,
    /// Another access of the kernel may write (read) the same buffer, so that
    /// programs can meet there.
    MeetsWrites = 8,
    MeetsReads = 16,
    /// An atomic operation may come before it, and order it after another
    /// program's accesses.
    Ordered = 32,
    /// The pointer was loaded from memory, or made of an integer: it may point to anything that
    /// the process has, and not only to arguments.
    Foreign = 64,
  };
  uint64_t elements = 1;  // how many pointers a call checks
  uint64_t rowLength = 1; // of the last dimension
  uint32_t elementBytes = 1;
  int32_t argument = -1; // which passed argument the pointer came from; -1 when not known
  uint32_t flags = 0;
  uint32_t reserved = 0;

  bool has(Flag flag) const { return flags & flag; }
};

/// An operation of fewer than 64 bits in the computation of an address.
struct WrapSite {
  enum Operation : uint32_t {
    Add,
    Subtract,
    Multiply,
    ShiftLeft,
    Truncate,
    Accumulate, // what a loop begins with, and all that it has added, in 64 bits
  };
  uint32_t operation = Add;
  uint32_t bits = 32;
  uint32_t isUnsigned = 0;
  uint32_t reserved = 0;
};

/// The whole record, for an object's constants.
std::string packRecord(const AccessSite &site, const AccessText &text);
std::string packRecord(const WrapSite &site, const SourcePlace &place);
/// Reads the text behind a record that packRecord made.
AccessText readText(const AccessSite &record);
SourcePlace readText(const WrapSite &record);

/// The functions, as the object names them:
///   int64_t check(sanitizer, const AccessSite *, const void *const *pointers,
///                 const uint8_t *mask, uint8_t *safe, uint64_t program)
/// `mask` is null when all elements are accessed. Sets safe[i] where element i
/// may be accessed. The result is an element whose address calls for an
/// explanation, or -1.
///   void explain(sanitizer, const AccessSite *, uint64_t program, int64_t element,
///                const WrapSite *, int64_t left, int64_t right)
inline constexpr llvm::StringLiteral kCheckAccessName = "tessera_sanitizer_check";
inline constexpr llvm::StringLiteral kExplainWrapName = "tessera_sanitizer_explain";
/// Sanitized code may write this many bytes where its sanitizer lies: what an
/// operation that cannot be masked does instead of a wrong access.
inline constexpr unsigned kSanitizerSinkBytes = 64;

} // namespace tessera
