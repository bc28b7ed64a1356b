//===- SharedTiles.h - what lanes read from shared memory for each other --===//
// A tile is a part of shared memory that a warp moves with one instruction: rows of consecutive
// bytes, one for each lane that passes an address. The instruction moves elements from the lane
// that passed their address to another one. That is a linear map: each bit of a place, which is a
// lane's address and the position behind it, becomes a bit of the receiving lane or of its
// register:
//
//   Matrix, 16 bits             position = register 0, lane 0, 1      address = lane 2, 3, 4
//   MatrixTransposed, 16 bits   position = lane 2, 3, 4               address = register 0, lane 0,
//   1 Columns, 16 bits            position = lane 0, 1                  address = lane 2, 3,
//                                                                       register 0, 1, lane 4, 5
//
// Matrix and MatrixTransposed (NVIDIA's ldmatrix and stmatrix) move 1, 2 or 4 matrices of 8 rows of
// 16 bytes; the lanes above number the matrices, which become further registers. Columns (AMD's
// ds_read_tr of 64 bits) lets 16 lanes read rows of 16 elements, and gives each a column.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/MachineModel.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera {

enum class SharedInstruction { Vector, Matrix, MatrixTransposed, Columns };

struct SharedTile {
  /// A bit of the receiving lane's number, or of the register's number in the tile.
  struct Bit {
    unsigned index;
    bool isLane;
  };
  SharedInstruction instruction = SharedInstruction::Vector;
  /// For each bit of the position behind an address, and of the lane that passes the address.
  llvm::SmallVector<Bit, 6> position, address;
  /// The bits of the number of tiles that one instruction can move: further lanes pass addresses.
  unsigned moreBits = 0;

  /// The bits of a register's number in one tile.
  unsigned registerBits() const;
};

/// Returns the tiles that a warp of 2^laneBits lanes can move.
llvm::SmallVector<SharedTile, 2> listTiles(MatrixMoves moves, unsigned elementBits,
                                           unsigned laneBits);

} // namespace tessera
