//===- SharedHazards.h - conflicts in shared memory, and barriers ---------===//
// An abstract program consists of accesses to shared memory alone; the analysis finds the places
// that need a barrier. This file has no IR: ttg-insert-barriers translates a function into this
// form, and unit tests run random programs of it.
//
//   bb0: write A           bb0: write A
//        read A       ->        | read A          | is a barrier
//        write A                | write A
//
// Two accesses conflict if they may access the same bytes and one of them writes: different threads
// execute them, so there must be a barrier on every path between them.
//
// A copy is a write that is executed asynchronously for the thread that starts it. A commit makes a
// group of the copies since the last commit; a wait for n groups ends the copies of all groups
// except the last n, for the thread that waits. Only after that can a barrier order them for other
// threads. The program must not access bytes that are still being copied: a barrier does not help.
//
// An asynchronous read is executed asynchronously too; the reads of each step are one group, and a
// wait for n groups ends all but the last n. A write during such a read is an error of the program
// (findUnawaitedReads).
//
// Fills are writes of an engine that complete on a barrier in shared memory: threads that wait
// there see them, without a barrier of the CTA. Drains are reads of an engine, one group per
// step, for which the thread that started them waits. Uses of such barriers are atomic; setting
// one up is a write. A thread that fills a buffer again need not wait at a barrier of the CTA: each
// warp releases the buffer when its reads are over, and that thread acquires it. All others know
// nothing of that.
//
// A slot is one of several equal parts of a buffer. A counter is a slot number that grows by one,
// modulo the number of slots, in each iteration of a loop. Within one iteration, two counters of
// the same loop differ if their initial values differ; the slot that had `phase` in the previous
// iteration has `phase - 1` in this one.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace tessera {

/// The slot of an access: any, a constant one, or that of a counter.
struct SharedSlot {
  enum Kind : int32_t { Any, Constant, Counter };
  Kind kind = Any;
  /// For a counter: the header block of its loop, and the number of slots.
  uint32_t header = 0;
  uint32_t modulus = 0;
  /// The constant, or the counter's value in iteration 0.
  int64_t phase = 0;

  static SharedSlot constant(int64_t value) { return {Constant, 0, 0, value}; }
  static SharedSlot counter(uint32_t header, uint32_t modulus, int64_t phase) {
    int64_t wrapped = phase % int64_t(modulus);
    return {Counter, header, modulus, wrapped < 0 ? wrapped + modulus : wrapped};
  }
  auto key() const { return std::tuple(int32_t(kind), header, modulus, phase); }
  bool operator<(const SharedSlot &other) const { return key() < other.key(); }
  bool operator==(const SharedSlot &other) const { return key() == other.key(); }
};

/// A slot of a buffer; buffers are numbered by SharedProgram.
struct SharedPart {
  uint32_t buffer = 0;
  SharedSlot slot;
  auto key() const { return std::tuple(buffer, slot.key()); }
  bool operator<(const SharedPart &other) const { return key() < other.key(); }
  bool operator==(const SharedPart &other) const { return key() == other.key(); }
};

/// The accesses, commits, waits and barriers of one op.
struct SharedStep {
  llvm::SmallVector<SharedPart, 1> reads, writes, copies;
  /// The op is a barrier of the CTA: all accesses before it are ordered before all after it.
  bool isBarrier = false;
  /// The op commits a group of copies.
  bool commits = false;
  /// The op waits until at most this many groups are in flight; if negative, it does not wait.
  int32_t waitsFor = -1;
  /// Asynchronous reads, which continue after the step and are one group.
  llvm::SmallVector<SharedPart, 1> asyncReads;
  /// The op waits until at most this many groups of reads are in flight; if negative, it does not.
  int32_t waitsForReads = -1;
  /// Barriers in shared memory that the step uses.
  llvm::SmallVector<SharedPart, 1> atomics;
  /// Writes of an engine, which threads await at such a barrier.
  llvm::SmallVector<SharedPart, 1> fills;
  /// Reads of an engine that go on after the step: a group of their own.
  llvm::SmallVector<SharedPart, 1> drains;
  /// Waits until at most this many groups of drains are under way; negative: does not wait.
  int32_t waitsForDrains = -1;
  /// One thread tells others that the block's accesses so far are over.
  bool isArrival = false;
  /// Buffers of which each warp says that its reads so far are over, and for which the thread that
  /// fills them waits until all warps have said so.
  llvm::SmallVector<uint32_t, 1> releases, acquires;
  /// The op writes `scratch`, has a barrier of the CTA, and reads it, in this order.
  llvm::SmallVector<SharedPart, 1> scratch;
};

struct SharedBuffer {
  uint32_t begin = 0, end = 0; // bytes
  /// Each warp accesses bytes of its own, and orders the accesses of its lanes itself: two uses of
  /// the buffer do not conflict.
  bool withinWarp = false;
  /// The bytes are split into equal shares, one for each warp: two such buffers at exactly the same
  /// bytes do not conflict either.
  bool inEqualShares = false;
};

struct SharedLoop {
  uint32_t header;
  llvm::SmallVector<uint32_t> blocks; // with those of inner loops, and the header
};

struct SharedProgram {
  struct Block {
    std::vector<SharedStep> steps;
    llvm::SmallVector<uint32_t, 2> successors;
  };
  /// The blocks in reverse post-order; the first is the entry.
  std::vector<Block> blocks;
  std::vector<SharedBuffer> buffers;
  /// The natural loops, inner ones before outer ones. Other cycles may be missing; the plan is
  /// correct for them too.
  std::vector<SharedLoop> loops;
};

/// The place before step `step` of `block`, or at its end if `step` is the number of steps.
struct BarrierPlace {
  uint32_t block, step;
  bool operator<(const BarrierPlace &other) const {
    return std::tuple(block, step) < std::tuple(other.block, other.step);
  }
};

/// Returns whether two parts may overlap within one iteration of all loops.
bool mayOverlap(const SharedProgram &program, const SharedPart &a, const SharedPart &b);

/// Returns places for barriers such that every two conflicting accesses have one between them on
/// every path. A barrier is placed directly before the access that needs it, but outside of loops
/// whose own accesses do not conflict. Cost: one dataflow analysis for each block with a barrier.
std::set<BarrierPlace> planBarriers(const SharedProgram &program);

/// Returns the steps that write bytes which an asynchronous read may still be reading.
std::set<BarrierPlace> findUnawaitedReads(const SharedProgram &program);

} // namespace tessera
