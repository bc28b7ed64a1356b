//===- ShowDiff.h - what differs between two programs, on a screen --------===//
#pragma once

#include "tessera/Explain/Views.h"

namespace tessera {

/// A unified diff, folded as the view says; empty if the programs are the same.
std::string showDiff(const ProgramText &before, const ProgramText &after, const Screen &screen,
                     const DiffView &view);

} // namespace tessera
