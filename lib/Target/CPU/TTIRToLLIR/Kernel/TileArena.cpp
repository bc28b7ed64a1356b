//===- TileArena.cpp - the memory of all tiles of a kernel ---------------===//
// See TileArena.h.
//===----------------------------------------------------------------------===//
#include "TileArena.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

Value TileArena::reserve(LaneBuilder &b, uint64_t bytes) {
  Value offset = b.i64(0);
  Value address = b.offset(baseAddress, offset);
  ++now;
  byAddress[address] = {reservations.size()};
  reservations.push_back({offset.getDefiningOp(), bytes, now, now, openLoops.size()});
  return address;
}

void TileArena::touch(Value address) {
  auto found = byAddress.find(address);
  if (found == byAddress.end())
    return;
  ++now;
  for (size_t tile : found->second) {
    Reservation &reservation = reservations[tile];
    reservation.end = now;
    if (reservation.loops < openLoops.size())
      openLoops[reservation.loops].push_back(tile);
  }
}

void TileArena::alias(Value address, ArrayRef<Value> tiles) {
  SmallVector<size_t, 2> all;
  for (Value tile : tiles)
    llvm::append_range(all, byAddress.lookup(tile));
  byAddress[address] = std::move(all);
}

void TileArena::enterLoop() { openLoops.emplace_back(); }

void TileArena::leaveLoop() {
  ++now;
  for (size_t tile : openLoops.pop_back_val())
    reservations[tile].end = now;
}

uint64_t TileArena::place() {
  uint64_t size = 0;
  for (size_t i = 0; i < reservations.size(); ++i) {
    Reservation &tile = reservations[i];
    // The lowest offset at which no tile that is live at the same time has a byte.
    SmallVector<std::pair<uint64_t, uint64_t>> taken;
    for (const Reservation &other : ArrayRef(reservations).take_front(i))
      if (sharesNothing || (other.begin <= tile.end && tile.begin <= other.end))
        taken.push_back({other.place, other.place + other.bytes});
    llvm::sort(taken);
    for (auto [begin, end] : taken) {
      if (tile.place + tile.bytes <= begin)
        break;
      tile.place = std::max(tile.place, end);
    }
    size = std::max(size, tile.place + tile.bytes);
    auto constant = cast<LLVM::ConstantOp>(tile.offset);
    constant.setValueAttr(IntegerAttr::get(constant.getType(), tile.place));
  }
  return size;
}
