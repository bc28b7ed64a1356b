//===- SharedHazards.h - where threads must wait for each other -----------===//
// A program seen only through its accesses to shared memory, and the places in
// it where a barrier is needed. No IR in here: ttg-insert-barriers translates a
// function into this form, and unit tests run random programs of it.
//
//   bb0: write A           bb0: write A
//        read A       ->        | read A          | is a barrier
//        write A                | write A
//
// Two accesses of which one writes conflict when they may touch the same bytes:
// different threads do them, so a barrier must lie on every path between them.
//
// Copies are writes that another engine does on behalf of the thread that
// starts them. Commits close groups of copies; waiting with n to go ends the
// copies of all groups but the last n, for the thread that waits. Only then can
// a barrier order them for the others. That nobody touches what is still being
// copied is up to the program: no barrier could help.
//
// Asynchronous reads are likewise done by another engine, one group a step; waiting with n
// to go ends all but the last n. A write while such a read goes on is an error of the
// program (findUnawaitedReads).
//
// Fills are writes of an engine that complete on a barrier in shared memory: threads that wait
// there see them, without a barrier of the block. Drains are reads of an engine, one group a
// step, for which the thread that started them waits. Uses of such barriers are atomic; setting
// one up is a write.
//
// Slots: one of several equal parts of a buffer. A counter is a slot number that
// grows by one, modulo the number of slots, in each iteration of a loop. Within
// one iteration two counters of one loop differ if they started differently, and
// what was `phase` in the last iteration is `phase - 1` in this one.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace tessera {

/// Which part of a buffer.
struct SharedSlot {
  enum Kind : int32_t { Any, Constant, Counter };
  Kind kind = Any;
  /// Of a counter: the block where its loop starts, and the number of slots.
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

/// What one op does.
struct SharedStep {
  llvm::SmallVector<SharedPart, 1> reads, writes, copies;
  /// A barrier of the whole block: all that was done before is ordered before all after.
  bool isBarrier = false;
  /// Closes a group of copies.
  bool commits = false;
  /// Waits until at most this many groups are under way; negative: does not wait.
  int32_t waitsFor = -1;
  /// Reads that go on after the step: a group of their own.
  llvm::SmallVector<SharedPart, 1> asyncReads;
  /// Waits until at most this many groups of such reads are under way; negative: does not wait.
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
  /// Writes `scratch`, waits for the whole block, reads it; in this order.
  llvm::SmallVector<SharedPart, 1> scratch;
};

struct SharedBuffer {
  uint32_t begin = 0, end = 0; // bytes
  /// Each warp uses bytes of its own and orders its lanes' accesses itself: one use does not
  /// conflict with the next.
  bool withinWarp = false;
  /// The bytes are cut into equal shares, one for each warp: two such buffers in the very
  /// same bytes do not conflict either.
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
  /// In reverse post-order; the first is the entry.
  std::vector<Block> blocks;
  std::vector<SharedBuffer> buffers;
  /// Natural loops, inner ones before those around them. A cycle that is no natural loop
  /// may be missing here: the plan is right for it too.
  std::vector<SharedLoop> loops;
};

/// Before step `step` of `block`; as many as there are steps: at its end.
struct BarrierPlace {
  uint32_t block, step;
  bool operator<(const BarrierPlace &other) const {
    return std::tuple(block, step) < std::tuple(other.block, other.step);
  }
};

/// Whether the parts may have bytes in common, in one iteration of all loops.
bool mayOverlap(const SharedProgram &program, const SharedPart &a, const SharedPart &b);

/// Enough barriers that every two conflicting accesses have one between them on every path.
/// Each is put off until the access that needs it, and out of loops whose own
/// accesses do not need it. Cost: one dataflow over the blocks for each block that gets one.
std::set<BarrierPlace> planBarriers(const SharedProgram &program);

/// The steps that write what an asynchronous read may still be reading.
std::set<BarrierPlace> findUnawaitedReads(const SharedProgram &program);

} // namespace tessera
