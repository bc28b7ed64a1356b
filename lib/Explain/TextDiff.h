//===- TextDiff.h - what differs between two programs ---------------------===//
// A line diff that knows IR: printers number values anew after each pass (`%12` becomes `%9`), and
// a plain diff would show every line. Lines are aligned without their names first; the aligned
// lines tell which old value is which new one; then lines that differ in more than numbering are
// left.
//
//   %5 = arith.addi %3, %4       same as   %4 = arith.addi %2, %3    if %3 is %2 and %4 is %3
//
// Values of the old program that the new one does not have are shown with a prime if the new
// program uses their name for something else: %5'.
//
// Requires: nothing; any two texts have a diff. Cost: near linear for what passes do; a quarter of
// a million line pairs at most are compared with each other in one place.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Driver/PassTrace.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A part of a line that differs: [begin, end) in bytes.
using Span = std::pair<unsigned, unsigned>;

enum class LineChange { Same, Removed, Added, Edited };

struct DiffLine {
  LineChange change = LineChange::Same;
  size_t before = 0,
         after = 0;    // numbers of lines from 0; of Removed only `before`, of Added `after`
  std::string oldText; // of Removed and Edited, with the new program's names
  std::vector<Span> oldSpans, newSpans; // of Edited
  bool moved = false;                   // Removed here, and Added elsewhere as it is
};

/// The lines of a text, without the last if it is empty.
std::vector<llvm::StringRef> splitLines(llvm::StringRef text);

std::vector<DiffLine> diffPrograms(const ProgramText &before, const ProgramText &after);

/// Pairs (i, j) of equal items, ascending in both; a long common subsequence of two lists.
std::vector<std::pair<size_t, size_t>> alignEqual(llvm::ArrayRef<unsigned> a,
                                                  llvm::ArrayRef<unsigned> b);

} // namespace tessera
