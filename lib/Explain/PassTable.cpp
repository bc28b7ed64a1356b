//===- PassTable.cpp - the pipeline as a table ----------------------------===//
#include "OpChanges.h"
#include "Print.h"
#include "TextDiff.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace tessera;

//===----------------------------------------------------------------------===//
// Changes in words
//===----------------------------------------------------------------------===//

/// The number of layouts and other attributes that have a name in the text.
static unsigned countAliases(const ProgramText &program) {
  unsigned count = 0;
  for (llvm::StringRef text = program.text; text.starts_with("#"); text = text.split('\n').second)
    ++count;
  return count;
}

/// Describes the change of a pass that keeps all ops: "2 lines edited, 1 moved".
static std::string describeLines(const ProgramText &before, const ProgramText &after) {
  constexpr size_t most = 200'000; // bytes; a diff of more would take longer than the pass
  if (before.text.size() > most || after.text.size() > most)
    return "the same ops";
  size_t edited = 0, moved = 0;
  for (const DiffLine &line : diffPrograms(before, after)) {
    edited += line.change != LineChange::Same && !line.moved;
    moved += line.change == LineChange::Added && line.moved;
  }
  std::string text = edited ? counted(edited, "line") + " edited" : "";
  if (moved)
    text += edited ? ", " + std::to_string(moved) + " moved" : counted(moved, "line") + " moved";
  return text;
}

/// Describes the change of a step in parts, the most important first.
static std::vector<std::string> describeChange(const PassTrace &trace, const PassStep &step) {
  if (step.failed)
    return {"failed"};
  if (step.kind == StepKind::Stage && step.bytes)
    return {formatBytes(step.bytes)};
  if (!step.changed || step.after == kNoText || step.before == kNoText)
    return {};
  const ProgramText &before = trace.texts[step.before], &after = trace.texts[step.after];
  if (before.syntax != after.syntax)
    return {};
  std::vector<std::string> parts = describeOps(before.ops, after.ops);
  if (unsigned from = countAliases(before), to = countAliases(after); from != to)
    parts.insert(parts.begin(), "layouts " + change(from, to));
  if (parts.empty())
    parts.push_back(describeLines(before, after));
  return parts;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
class PassTable {
public:
  PassTable(const Explanation &explanation, const Screen &screen)
      : explanation(explanation), trace(explanation.trace), screen(screen) {}
  std::string run();

private:
  void addHead();
  void addStage(size_t first, size_t last);
  void addStep(const PassStep &step);
  void addRemarks(const PassStep &step);
  void addRow(llvm::StringRef mark, llvm::StringRef name, double seconds, llvm::StringRef ops,
              llvm::ArrayRef<std::string> what, llvm::StringRef color, llvm::StringRef whatColor);
  void addEnd();

  const Explanation &explanation;
  const PassTrace &trace;
  const Screen &screen;
  std::string out;
};
} // namespace

static constexpr unsigned kNameColumns = 31, kTimeColumns = 8, kOpColumns = 13;

void PassTable::addRow(llvm::StringRef mark, llvm::StringRef name, double seconds,
                       llvm::StringRef ops, llvm::ArrayRef<std::string> what, llvm::StringRef color,
                       llvm::StringRef whatColor) {
  std::string time = seconds > 0 ? formatDuration(seconds) : "";
  unsigned used = kNameColumns + kTimeColumns + kOpColumns + 2;
  unsigned rest = screen.width > used ? screen.width - used : 0;
  std::string cells = left(fit((mark + name).str(), kNameColumns), kNameColumns) +
                      right(time, kTimeColumns) + right(ops, kOpColumns);
  std::string line = paint(screen, color, cells);
  if (!what.empty() && rest >= 10)
    line += "  " + paint(screen, whatColor, joinParts(what, rest));
  out += llvm::StringRef(line).rtrim().str() + "\n";
}

/// Adds the title, with the place of the kernel's definition.
void PassTable::addHead() {
  const CompileRequest &request = explanation.request;
  std::string where = escapeUnprintable(request.path);
  if (trace.kernelLine)
    where += ":" + std::to_string(trace.kernelLine);
  out += paint(screen, screen.colors.bold, escapeUnprintable(explanation.title())) + "  " + where +
         "  " + escapeUnprintable(request.target) + "\n";
  if (!request.signature.empty())
    appendFolded(out, screen, 0, escapeUnprintable(request.signature), screen.colors.dim);
  out += "\n";
  addRow("", "stage, pass", 0, "ops", {"what changed"}, screen.colors.dim, screen.colors.dim);
  // addRow leaves a time of 0 out, so the heading has none.
}

void PassTable::addRemarks(const PassStep &step) {
  constexpr size_t most = 2;
  for (const Diagnostic &remark : llvm::ArrayRef(step.remarks).take_front(most)) {
    std::string text = remark.range.isValid() ? std::to_string(remark.range.begin.line) + ": " : "";
    text += escapeUnprintable(remark.message);
    out += "      " + paint(screen, screen.colors.cyan, fit(text, screen.width - 6)) + "\n";
  }
  if (step.remarks.size() > most)
    out += "      " +
           paint(screen, screen.colors.dim,
                 "and " + counted(step.remarks.size() - most, "remark") + " more: --pass " +
                     escapeUnprintable(step.name)) +
           "\n";
}

void PassTable::addStep(const PassStep &step) {
  bool hasText = step.before != kNoText && step.after != kNoText && !step.bytes;
  std::string ops;
  if (step.changed && hasText) {
    const ProgramText &before = trace.texts[step.before], &after = trace.texts[step.after];
    ops = before.syntax == after.syntax ? change(totalOf(before.ops), totalOf(after.ops))
                                        : std::to_string(totalOf(after.ops));
  }
  llvm::StringRef mark = step.failed ? "x " : step.changed ? "* " : ". ";
  llvm::StringRef color = step.failed    ? screen.colors.red
                          : step.changed ? llvm::StringRef()
                                         : screen.colors.dim;
  std::string indent(2 + 2 * std::min(step.depth, 4u), ' ');
  addRow(indent + mark.str(), escapeUnprintable(step.name), step.seconds, ops,
         describeChange(trace, step), color, step.failed ? screen.colors.red : "");
  addRemarks(step);
}

void PassTable::addStage(size_t first, size_t last) {
  const PassStep &begin = trace.steps[first], &end = trace.steps[last - 1];
  auto stage =
      llvm::find_if(trace.stages, [&](const StageTime &each) { return each.name == begin.stage; });
  double seconds = stage == trace.stages.end() ? 0 : stage->seconds;
  std::string ops =
      end.after == kNoText || end.bytes ? "" : std::to_string(totalOf(trace.texts[end.after].ops));
  std::vector<std::string> what;
  bool isSingle = last - first == 1 && begin.kind != StepKind::Pass;
  if (isSingle)
    what = describeChange(trace, begin);
  llvm::StringRef color = isSingle && begin.failed ? screen.colors.red : screen.colors.bold;
  addRow(isSingle && begin.failed ? "x " : "", begin.stage, seconds, ops, what, color,
         isSingle && begin.failed ? screen.colors.red : "");
  if (isSingle)
    return addRemarks(begin);
  for (size_t i = first; i < last; ++i)
    addStep(trace.steps[i]);
}

void PassTable::addEnd() {
  size_t passes = 0, changed = 0;
  for (const PassStep &step : trace.steps)
    if (step.kind == StepKind::Pass || step.kind == StepKind::LLVMPass) {
      ++passes;
      changed += step.changed;
    }
  std::string text = counted(passes, "pass", "passes") + ", of which " + std::to_string(changed) +
                     " changed something; " + formatDuration(explanation.seconds) + " in all";
  if (explanation.record && explanation.record->registers >= 0)
    text += "; " + counted(explanation.record->registers, "register") + ", " +
            std::to_string(explanation.record->spillBytes) + " bytes spilled, " +
            formatBytes(explanation.record->sharedBytes) + " of shared memory";
  out += "\n";
  appendFolded(out, screen, 0, text);
  if (explanation.record && !explanation.record->attempts.empty())
    appendFolded(out, screen, 0,
                 "compiled in several ways; " + escapeUnprintable(explanation.record->attempts));
}

std::string PassTable::run() {
  addHead();
  for (size_t first = 0; first < trace.steps.size();) {
    size_t last = first + 1;
    while (last < trace.steps.size() && trace.steps[last].stage == trace.steps[first].stage)
      ++last;
    addStage(first, last);
    first = last;
  }
  addEnd();
  return std::move(out);
}

std::string tessera::showPasses(const Explanation &explanation, const Screen &screen) {
  return PassTable(explanation, screen).run();
}

//===----------------------------------------------------------------------===//
// The matrix
//===----------------------------------------------------------------------===//

namespace {
/// A row of the matrix: the n-th run of a pass in a stage.
struct MatrixRow {
  std::string stage, name;
  unsigned run = 0;
  std::vector<char> cells;
  bool operator==(const MatrixRow &other) const {
    return stage == other.stage && name == other.name && run == other.run;
  }
};
} // namespace

/// Puts the passes of one kernel in their rows. A pass that only this kernel runs comes behind the
/// pass that runs before it.
static void addColumn(std::vector<MatrixRow> &rows, const PassTrace &trace, size_t column) {
  size_t at = 0;
  std::map<std::pair<std::string, std::string>, unsigned> runs;
  for (const PassStep &step : trace.steps) {
    if (step.kind != StepKind::Pass && step.kind != StepKind::LLVMPass)
      continue;
    MatrixRow row{step.stage, step.name, runs[{step.stage, step.name}]++, {}};
    auto found = std::find(rows.begin(), rows.end(), row);
    if (found == rows.end()) {
      found = rows.insert(rows.begin() + std::min(at, rows.size()), std::move(row));
    }
    found->cells.resize(std::max(found->cells.size(), column + 1), ' ');
    found->cells[column] = step.failed ? 'x' : step.changed ? '*' : '.';
    at = found - rows.begin() + 1;
  }
}

/// The stages come in the order in which they run, though kernels may lack some.
static void sortStages(std::vector<MatrixRow> &rows, llvm::ArrayRef<Explanation> kernels) {
  std::vector<std::string> order;
  for (const Explanation &kernel : kernels)
    for (const StageTime &stage : kernel.trace.stages)
      if (!llvm::is_contained(order, stage.name))
        order.push_back(stage.name);
  std::vector<MatrixRow> sorted;
  for (const std::string &stage : order)
    for (MatrixRow &row : rows)
      if (row.stage == stage)
        sorted.push_back(std::move(row));
  rows = std::move(sorted);
}

/// The numbers of the columns; of narrow ones, the tens stand above.
static std::string columnHeads(size_t count, unsigned cellWidth) {
  std::string tens = left("", kNameColumns), numbers = left("stage, pass", kNameColumns);
  bool isNarrow = cellWidth < 3 && count > 9;
  for (size_t i = 1; i <= count; ++i) {
    tens += right(i % 10 == 0 ? std::to_string(i / 10) : "", cellWidth);
    numbers += right(std::to_string(isNarrow ? i % 10 : i), cellWidth);
  }
  return (isNarrow ? tens + "\n" : "") + numbers + "\n";
}

std::string tessera::showMatrix(llvm::ArrayRef<Explanation> kernels, const Screen &screen) {
  std::string out;
  std::vector<MatrixRow> rows;
  for (size_t i = 0; i < kernels.size(); ++i) {
    addColumn(rows, kernels[i].trace, i);
    std::string line =
        right(std::to_string(i + 1), 4) + "  " + left(escapeUnprintable(kernels[i].title()), 34) +
        " " + escapeUnprintable(kernels[i].request.path) + "  " + kernels[i].request.target;
    if (kernels[i].hasFailed())
      line += paint(screen, screen.colors.red, "  failed");
    out += line + "\n";
  }
  sortStages(rows, kernels);
  unsigned room = screen.width > kNameColumns ? screen.width - kNameColumns : 0;
  unsigned cellWidth = std::clamp<unsigned>(room / kernels.size(), 2, 4);
  out += "\n" + paint(screen, screen.colors.dim, columnHeads(kernels.size(), cellWidth));
  std::string stage;
  for (MatrixRow &row : rows) {
    if (row.stage != stage)
      out += paint(screen, screen.colors.bold, stage = row.stage) + "\n";
    row.cells.resize(kernels.size(), ' ');
    bool isUsed = llvm::is_contained(row.cells, '*') || llvm::is_contained(row.cells, 'x');
    std::string name = left(fit("  " + escapeUnprintable(row.name), kNameColumns), kNameColumns);
    std::string line = paint(screen, isUsed ? llvm::StringRef() : screen.colors.dim, name);
    for (char cell : row.cells)
      line += std::string(cellWidth - 1, ' ') + paint(screen,
                                                      cell == '*'   ? screen.colors.green
                                                      : cell == 'x' ? screen.colors.red
                                                                    : screen.colors.dim,
                                                      std::string(1, cell));
    out += llvm::StringRef(line).rtrim().str() + "\n";
  }
  out += "\n* changed the kernel   . ran and changed nothing   x failed   blank: did not run\n";
  return out;
}
