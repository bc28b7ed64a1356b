//===- Shuffles.cpp - values between the lanes of a wave ------------------===//
// An exchange with the lane whose number differs in the bits of a mask, by the cheapest
// instructions that do it (instruction set guides of CDNA3 and RDNA3, "Data Parallel
// Primitives"):
//
//   mask           CDNA (gfx9)                       RDNA (gfx11, gfx12)
//   1, 2, 3        DPP quad_perm                     DPP row_xmask
//   7, 15, 8       DPP half_mirror, mirror, ror:8    "
//   others < 16    two of those                      "
//   16 and more    ds_swizzle                        permlanex16, and row_xmask
//   32 and more    ds_bpermute
//
// LLVM folds a DPP move into the instruction that uses it.
//
// To combine all 64 lanes of CDNA, the last lanes of rows are broadcast to the next rows, so that
// the last lane has everything and v_readlane brings it into a scalar register: no access to LDS,
// which ds_swizzle and ds_bpermute are.
//===----------------------------------------------------------------------===//
#include "Intrinsics.h"
#include "tessera/TTGIRToLLIR/ShuffleWords.h"
#include "tessera/Target/AMD/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// The controls of DPP; SIDefines.h of LLVM calls them DppCtrl.
static constexpr unsigned kRowRor8 = 0x128, kRowMirror = 0x140, kHalfMirror = 0x141,
                          kRowBroadcast15 = 0x142, kRowBroadcast31 = 0x143, kRowXmask = 0x160;

static Value emitDPP(OpBuilder &b, Location loc, Value word, unsigned control) {
  Value everyRow = constantI32(b, loc, 0xf);
  return emitIntrinsic(b, loc, "update.dpp", b.getI32Type(),
                       {LLVM::PoisonOp::create(b, loc, b.getI32Type()), word,
                        constantI32(b, loc, control), everyRow, everyRow,
                        constantI1(b, loc, true)});
}

/// quad_perm: two bits for each lane of four say which one it reads.
static unsigned quadControl(unsigned mask) {
  unsigned control = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    control |= (lane ^ mask) << (2 * lane);
  return control;
}

/// The exchange within 16 lanes, on chips without row_xmask.
static Value emitRowXor(OpBuilder &b, Location loc, Value word, unsigned mask) {
  if (mask >= 4) {
    // The mask that one instruction has, such that quad_perm does the rest.
    unsigned base = mask < 8 ? 7 : mask < 12 ? 8 : 15;
    unsigned control = base == 7 ? kHalfMirror : base == 8 ? kRowRor8 : kRowMirror;
    word = emitDPP(b, loc, word, control);
    mask ^= base;
  }
  return mask == 0 ? word : emitDPP(b, loc, word, quadControl(mask));
}

/// ds_swizzle_b32 in the mode of bit masks: 32 lanes, (lane & 0x1f) ^ mask.
static Value emitSwizzle(OpBuilder &b, Location loc, Value word, unsigned mask) {
  return emitIntrinsic(b, loc, "ds.swizzle", b.getI32Type(),
                       {word, constantI32(b, loc, mask << 10 | 0x1f)});
}

/// v_permlanex16_b32: each lane reads the same lane of the other row of 16.
static Value emitOtherRow(OpBuilder &b, Location loc, Value word) {
  Value all = constantI1(b, loc, true);
  return emitIntrinsic(b, loc, "permlanex16", b.getI32Type(),
                       {word, word, constantI32(b, loc, 0x76543210),
                        constantI32(b, loc, int32_t(0xfedcba98)), all, all});
}

/// The number of this lane.
static Value emitLane(OpBuilder &b, Location loc, const AmdSpec &spec) {
  Value all = constantI32(b, loc, -1), none = constantI32(b, loc, 0);
  Value lane = emitIntrinsic(b, loc, "mbcnt.lo", b.getI32Type(), {all, none});
  if (spec.threadsPerWarp == 64)
    lane = emitIntrinsic(b, loc, "mbcnt.hi", b.getI32Type(), {all, lane});
  return lane;
}

/// ds_bpermute_b32 takes the address of a lane's word: four times its number, modulo the wave.
static Value emitPermute(OpBuilder &b, Location loc, Value word, Value lane) {
  Value address = LLVM::ShlOp::create(b, loc, lane, constantI32(b, loc, 2));
  return emitIntrinsic(b, loc, "ds.bpermute", b.getI32Type(), {address, word});
}

static Value emitXor(OpBuilder &b, Location loc, const AmdSpec &spec, Value word, unsigned mask) {
  if (mask >= 32) {
    Value lane = LLVM::XOrOp::create(b, loc, emitLane(b, loc, spec), constantI32(b, loc, mask));
    return emitPermute(b, loc, word, lane);
  }
  if (mask >= 16 && !spec.hasPermLaneX16())
    return emitSwizzle(b, loc, word, mask);
  if (mask >= 16)
    word = emitOtherRow(b, loc, word);
  mask &= 15;
  if (mask == 0)
    return word;
  return spec.hasDPPRowXmask() ? emitDPP(b, loc, word, kRowXmask | mask)
                               : emitRowXor(b, loc, word, mask);
}

Value AmdTargetInfo::shuffleXor(OpBuilder &b, Location loc, Value value, unsigned mask) const {
  mask &= spec.threadsPerWarp - 1;
  SmallVector<Value> words = toWords(b, loc, value);
  for (Value &word : words)
    word = emitXor(b, loc, spec, word, mask);
  return fromWords(b, loc, words, value.getType());
}

//===----------------------------------------------------------------------===//
// Reductions of a wave
//===----------------------------------------------------------------------===//

/// What each lane of CDNA's 64 combines with, one after the other: its neighbour, the other pair of
/// four, the other four of eight, the other eight of 16 (all of a row then have the same), and the
/// last lane of the row and of the half before. Lanes for which there is no such lane get zeros;
/// what they compute does not reach the last lane.
static constexpr unsigned kLastLaneControls[] = {
    0xb1, 0x4e, kHalfMirror, kRowMirror, kRowBroadcast15, kRowBroadcast31};

unsigned AmdTargetInfo::lastLaneMoves() const {
  // RDNA's lanes exchange with any other of their row by one instruction, and rows by another.
  return spec.hasDPPRowBroadcast() ? std::size(kLastLaneControls) : 0;
}

Value AmdTargetInfo::moveToLastLane(OpBuilder &b, Location loc, Value value, unsigned move) const {
  SmallVector<Value> words = toWords(b, loc, value);
  for (Value &word : words)
    word = emitDPP(b, loc, word, kLastLaneControls[move]);
  return fromWords(b, loc, words, value.getType());
}

Value AmdTargetInfo::readLastLane(OpBuilder &b, Location loc, Value value) const {
  Value last = constantI32(b, loc, spec.threadsPerWarp - 1);
  SmallVector<Value> words = toWords(b, loc, value);
  for (Value &word : words)
    word = emitIntrinsic(b, loc, "readlane", b.getI32Type(), {word, last});
  return fromWords(b, loc, words, value.getType());
}

Value AmdTargetInfo::shuffleFrom(OpBuilder &b, Location loc, Value value, Value lane) const {
  SmallVector<Value> words = toWords(b, loc, value);
  for (Value &word : words)
    word = emitPermute(b, loc, word, lane);
  return fromWords(b, loc, words, value.getType());
}
