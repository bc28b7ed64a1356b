//===- Views.h - explanations on a terminal -------------------------------===//
// Each view returns text for a screen of a given width; without colours if the palette is empty,
// and in ASCII, so that it reads the same over ssh and in a file.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Explain/Explanation.h"
#include "tessera/Support/Terminal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace tessera {

/// The place that text is shown on.
struct Screen {
  Palette colors = {};
  unsigned width = 80;
  bool wraps =
      false; // long lines are folded to the width; else they stay whole, for other programs
};

/// A DiffView says how much of a diff is shown.
struct DiffView {
  unsigned context = 3; // lines around a change; the rest is folded
  bool whole = false;   // fold nothing
  unsigned line = 0;    // only changes of this line of Python; 0 for all

  llvm::ArrayRef<unsigned> lines() const {
    return line ? llvm::ArrayRef<unsigned>(line) : llvm::ArrayRef<unsigned>();
  }
};

/// The pipeline, stage by stage and pass by pass.
std::string showPasses(const Explanation &explanation, const Screen &screen);
/// The matrix of passes and kernels: a cell says whether the pass changed the kernel.
std::string showMatrix(llvm::ArrayRef<Explanation> kernels, const Screen &screen);

/// The steps whose name contains `name`; those with exactly this name if there are any.
std::vector<size_t> findSteps(const Explanation &explanation, llvm::StringRef name);
/// One step: what it is, what it decided, and the diff of the IR before and after it.
std::string showStep(const Explanation &explanation, size_t step, const Screen &screen,
                     const DiffView &view);

/// The levels that the explanation has IR of, in order: "source", "ttir", "ttgir".
std::vector<std::string> levelsOf(const Explanation &explanation);
/// The last text of a level; kNoText if there is none.
size_t findLevel(const Explanation &explanation, llvm::StringRef level);
/// A text with the line of Python beside each op; only the ops of `lines` if there are any.
std::string showText(const Explanation &explanation, size_t text, const Screen &screen,
                     llvm::ArrayRef<unsigned> lines = {});
/// One line of Python through all levels. The error names the lines that ops come from.
llvm::Expected<std::string> showLine(const Explanation &explanation, unsigned line,
                                     const Screen &screen);

/// Draws layouts of TTGIR: which thread and register holds an element of a tensor, or which bank an
/// element of a buffer lies in. `name` is a value (`%a_3`, `a_3`, or `a` for all of that name) or a
/// layout (`#blocked1`). Shows the first rows, or all of them.
llvm::Expected<std::string> showLayouts(const Explanation &explanation, llvm::StringRef name,
                                        const Screen &screen, bool whole);

/// The way of the launch grid from its definition in Python to the launch. `grid` has the three
/// expressions of --grid, or nothing.
std::string showGridJourney(const Explanation &explanation, llvm::ArrayRef<std::string> grid,
                            const Screen &screen);

/// Two compilations level by level: how they differ, with lines aligned by their source line.
/// `levels` may be empty for all of both.
std::string showAgainst(const Explanation &before, const Explanation &after, const Screen &screen,
                        const DiffView &view, llvm::StringRef level = "");

} // namespace tessera
