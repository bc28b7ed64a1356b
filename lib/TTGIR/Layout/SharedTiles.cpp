//===- SharedTiles.cpp - the tiles of matrix instructions -----------------===//
// Sources: PTX ISA, ldmatrix and stmatrix; AMD's CDNA4 instruction set guide, DS_READ_B64_TR_B16
// and DS_READ_B64_TR_B8.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/SharedTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using llvm::SmallVector;

using Bits = SmallVector<SharedTile::Bit, 6>;

static Bits bitsOf(unsigned begin, unsigned end, bool isLane) {
  Bits bits;
  for (unsigned index = begin; index < end; ++index)
    bits.push_back({index, isLane});
  return bits;
}
static Bits lanes(unsigned begin, unsigned end) { return bitsOf(begin, end, /*isLane=*/true); }
static Bits registers(unsigned end) { return bitsOf(0, end, /*isLane=*/false); }

static Bits joined(Bits first, const Bits &second) {
  first.append(second);
  return first;
}

unsigned SharedTile::registerBits() const {
  auto isRegister = [](const Bit &bit) { return !bit.isLane; };
  return llvm::count_if(position, isRegister) + llvm::count_if(address, isRegister);
}

/// Words of a row go to 4 lanes, and rows to 8.
static SharedTile matrix(unsigned elementBits) {
  unsigned inWord = llvm::Log2_32(32 / elementBits);
  return {SharedInstruction::Matrix, joined(registers(inWord), lanes(0, 2)), lanes(2, 5),
          /*moreBits=*/2};
}

/// Columns of pairs of rows go to 8 lanes, and pairs to 4.
static SharedTile transposedMatrix() {
  return {SharedInstruction::MatrixTransposed, lanes(2, 5), joined(registers(1), lanes(0, 2)),
          /*moreBits=*/2};
}

/// Each lane passes the address of 8 bytes: a part of a row of 16 elements.
static SharedTile columns(unsigned elementBits, unsigned laneBits) {
  unsigned inPart = llvm::Log2_32(64 / elementBits);
  constexpr unsigned rowBits = 4;
  return {SharedInstruction::Columns, lanes(0, inPart),
          joined(joined(lanes(inPart, rowBits), registers(inPart)), lanes(rowBits, laneBits)),
          /*moreBits=*/0};
}

SmallVector<SharedTile, 2> tessera::listTiles(MatrixMoves moves, unsigned elementBits,
                                              unsigned laneBits) {
  SmallVector<SharedTile, 2> tiles;
  constexpr unsigned matrixLaneBits = 5;
  if (moves == MatrixMoves::Rows && laneBits == matrixLaneBits && elementBits <= 32) {
    tiles.push_back(matrix(elementBits));
    if (elementBits == 16)
      tiles.push_back(transposedMatrix());
  }
  if (moves == MatrixMoves::Columns && laneBits >= 4 && (elementBits == 8 || elementBits == 16))
    tiles.push_back(columns(elementBits, laneBits));
  return tiles;
}
