//===- Budget.h - how much code may use up while it is compiled -----------===//
// Loops that are unrolled or run at compile time, calls within calls and containers
// within containers end with an error instead of filling memory or the stack.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include <cstddef>

namespace tessera {

class Reporter;

class Budget {
public:
  /// The resources that code has used up so far; several budgets can share one.
  struct Counts {
    unsigned statements = 0;
    unsigned calls = 0; // of functions that run at compile time, one inside the other
    unsigned insertions = 0;
    bool isExceeded = false; // something was too much, by these or any other limit
    const char *stackBase = static_cast<const char *>(__builtin_frame_address(0));
  };

  /// Errors go to the reporter.
  explicit Budget(Reporter &reporter) : reporter(reporter) {}
  Budget(const Budget &) = delete;

  /// Counts from now on together with others; `shared` outlives the budget.
  void share(Counts &shared) { counts = &shared; }

  /// Something is more than the compiler computes with: nobody else is asked to.
  llvm::LogicalResult error(const llvm::Twine &message);
  /// Returns true if error() was called since the last forget().
  bool isExceeded() const { return counts->isExceeded; }
  void forget() { counts->isExceeded = false; }

  /// Fails, with an error, when the kernel's nesting has used up the stack.
  llvm::LogicalResult checkDepth();
  /// Counts a statement; fails, with an error, when unrolled or compile-time loops
  /// have executed more of them than any sensible kernel does. What takes as long as
  /// several statements counts as several.
  llvm::LogicalResult countStatement(unsigned cost = 1);
  /// Returns true if countStatement() has failed; nothing may be executed then.
  bool hasRunOut() const { return counts->statements > kMaxStatements; }
  /// Enters a call that runs at compile time; fails, with an error, when there are too
  /// many inside each other.
  llvm::LogicalResult enterCall();
  void leaveCall() { --counts->calls; }
  /// Counts a container that compile-time code put into another one: each may lie in the
  /// one before, and what nests without end cannot be walked or freed.
  llvm::LogicalResult countInsertion();

#ifdef TESSERA_FUZZ // smaller, to try more programs
  static constexpr unsigned kMaxStatements = 20'000;
#else
  static constexpr unsigned kMaxStatements = 500'000;
#endif
  static constexpr unsigned kMaxCalls = 400;
  static constexpr unsigned kMaxInsertions = 10'000;
  static constexpr size_t kMaxStackBytes = 3u << 20; // of the usual 8 MiB

private:
  Reporter &reporter;
  Counts ownCounts;
  Counts *counts = &ownCounts;
};

} // namespace tessera
