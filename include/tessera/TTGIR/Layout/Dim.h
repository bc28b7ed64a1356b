//===- Dim.h - the names of a layout's inputs and outputs -----------------===//
// A layout maps named hardware coordinates to named tensor coordinates. The set of names is fixed,
// so a name is a number: it needs no context and no interning table, is cheap to compare, and has
// the same order in every run.
//
//   Dim::lane()           a hardware coordinate
//   Dim::axis(1)          tensor dimension 1, printed "dim1"
//   Dim::parse("warp")    the name people write in #ttg.linear
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

class Dim {
public:
  /// The index into a thread's list of values.
  static constexpr Dim reg() { return Dim(0); }
  /// The thread within its warp.
  static constexpr Dim lane() { return Dim(1); }
  /// The warp within its CTA.
  static constexpr Dim warp() { return Dim(2); }
  /// The CTA within its cluster.
  static constexpr Dim block() { return Dim(3); }
  /// The offset of an element in a shared memory buffer, in elements.
  static constexpr Dim offset() { return Dim(4); }
  /// Tensor dimension `index`, which must be below `maxRank`.
  static constexpr Dim axis(unsigned index) { return Dim(firstAxis + index); }
  static constexpr unsigned maxRank = 64;

  constexpr bool isAxis() const { return code >= firstAxis; }
  /// Requires isAxis().
  constexpr unsigned axisIndex() const { return code - firstAxis; }

  /// "register", "lane", "warp", "block", "offset" or "dim0", "dim1", ...
  std::string name() const;
  static std::optional<Dim> parse(llvm::StringRef name);

  friend constexpr bool operator==(Dim, Dim) = default;
  friend constexpr auto operator<=>(Dim, Dim) = default;
  friend llvm::hash_code hash_value(Dim dim) { return llvm::hash_value(dim.code); }

private:
  static constexpr unsigned firstAxis = 5;
  explicit constexpr Dim(uint32_t code) : code(code) {}
  // The code has 32 bits, although 8 would suffice, because clang 22.1.8 for x86-64 drops a zero
  // 32-bit member that follows an 8-bit one when it passes such a struct (DimBits) by value.
  uint32_t code;
};

} // namespace tessera
