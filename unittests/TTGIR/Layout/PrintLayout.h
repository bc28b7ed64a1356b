//===- PrintLayout.h - failed expectations show layouts, not bytes --------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include <ostream>

namespace tessera {
inline void PrintTo(const LinearLayout &layout, std::ostream *os) { *os << '\n' << layout.str(); }
inline void PrintTo(const DimIndex &i, std::ostream *os) { *os << i.dim.name() << '=' << i.index; }
inline void PrintTo(const DimBits &d, std::ostream *os) { *os << d.dim.name() << ':' << d.bits; }
} // namespace tessera
