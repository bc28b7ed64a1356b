//===- Bisect.cpp - the first pass whose program gives other values -------===//
// The program after each pass runs in one or two ways: compiled by the kernel's own target, and by
// another one, which has other passes. A program is right if one of them gives the values of the
// frontend's program. The first that is not right blames its pass, with one exception: if the last
// right program is wrong in the same way of running, the error lies in the passes that this way
// cannot leave out.
//===----------------------------------------------------------------------===//
#include "Bisect.h"
#include "BisectRun.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace tessera;
using namespace tessera::cli;

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

namespace {
/// The difference that rounding may cause: relative to the element, or to this part of the array's
/// largest element if that is more.
struct Tolerance {
  double relative = 0, ofLargest = 1e-3;
};
} // namespace

/// `roundsOperands`: dots may round their operands of 32 bits to 11 significant bits (tf32). Sums
/// of such products differ by a part of the operands' size, whatever their own is.
static Tolerance toleranceOf(DType type, bool roundsOperands) {
  if (!type.isFloat())
    return {};
  unsigned bytes = type.bytesInMemory();
  if (roundsOperands && bytes <= 4)
    return {bytes == 1 ? 0.3 : 3e-2, 0.1};
  return {bytes >= 8 ? 1e-9 : bytes == 4 ? 1e-3 : bytes == 2 ? 3e-2 : 0.3};
}

static double valueAt(const HostArray &array, uint64_t index) {
  return array.type.isFloat() ? decodeFloat(array.type, array.at(index))
                              : double(decodeInt(array.type, array.at(index)));
}

/// The elements that differ by more than rounding, in words; empty if there are none.
static std::string compareArrays(const HostArgument &expected, const HostArgument &actual,
                                 bool roundsOperands) {
  const HostArray &a = expected.array, &b = actual.array;
  double largest = 0;
  for (uint64_t i = 0; i < a.count(); ++i)
    if (double value = std::fabs(valueAt(a, i)); std::isfinite(value))
      largest = std::max(largest, value);
  uint64_t count = 0, first = 0;
  Tolerance tolerance = toleranceOf(a.type, roundsOperands);
  for (uint64_t i = 0; i < a.count(); ++i) {
    double x = valueAt(a, i), y = valueAt(b, i);
    bool isSame = x == y || (std::isnan(x) && std::isnan(y)) ||
                  std::fabs(x - y) <=
                      tolerance.relative * std::max(std::fabs(x), largest * tolerance.ofLargest);
    if (!isSame && count++ == 0)
      first = i;
  }
  if (count == 0)
    return "";
  return llvm::formatv("{0}[{1}] is {2} instead of {3}; {4} of {5} elements differ", expected.name,
                       first, valueAt(b, first), valueAt(a, first), count, a.count());
}

static std::string compare(llvm::ArrayRef<HostArgument> expected,
                           llvm::ArrayRef<HostArgument> actual, bool roundsOperands) {
  for (auto [a, b] : llvm::zip(expected, actual))
    if (a.type.isPointer() && a.array.count() == b.array.count())
      if (std::string difference = compareArrays(a, b, roundsOperands); !difference.empty())
        return difference;
  return "";
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
/// How a program compares with the reference.
struct Verdict {
  enum Kind { NotRun, Same, Different } kind = NotRun;
  std::string text; // why it was not run, or what differs
  const RunWay *way = nullptr;
  bool isFault = false; // it did not run to its end
};

class Bisector {
public:
  Bisector(const Session &session, const Explanation &explanation, const BisectPlan &plan,
           const Screen &screen, llvm::function_ref<void(llvm::StringRef)> print)
      : explanation(explanation), trace(explanation.trace), screen(screen), print(print),
        runner(session, explanation, plan), grid(plan.grid) {}
  llvm::Expected<bool> run();

private:
  /// Runs the frontend's program in the way that is most independent of the passes.
  llvm::Error makeReference();
  Verdict judge(size_t step, const RunWay &way);
  /// The best verdict of all ways.
  Verdict judge(size_t step);
  void blame(size_t step, const Verdict &verdict);
  std::string neededAfter(size_t step, const RunWay &way) const;
  void addRow(size_t step, llvm::StringRef result, llvm::StringRef color);
  bool isProgram(size_t step) const {
    const PassStep &at = trace.steps[step];
    return at.changed && at.after != kNoText && !at.bytes;
  }

  const Explanation &explanation;
  const PassTrace &trace;
  const Screen &screen;
  llvm::function_ref<void(llvm::StringRef)> print;
  StepRunner runner;
  Grid grid;
  std::vector<HostArgument> reference;
  bool roundsOperands = false;      // the kernel has dots whose operands some targets round
  size_t right = 0;                 // the last step whose program is right
  const RunWay *rightWay = nullptr; // in which it was run
};
} // namespace

void Bisector::addRow(size_t step, llvm::StringRef result, llvm::StringRef color) {
  const PassStep &at = trace.steps[step];
  std::string line = llvm::formatv("{0,5}  {1,-34} {2,-7}", step + 1,
                                   llvm::StringRef(escapeUnprintable(at.name)).take_front(34),
                                   trace.texts[at.after].level);
  print(line +
        (color + escapeUnprintable(result) + (color.empty() ? "" : screen.colors.reset)).str() +
        "\n");
}

llvm::Error Bisector::makeReference() {
  llvm::ArrayRef<RunWay> ways = runner.ways();
  const RunWay *foreign = llvm::find_if(ways, [](const RunWay &way) { return !way.isOwn; });
  std::string why;
  for (const RunWay *way : {foreign, ways.begin(), ways.end() - 1}) {
    if (way == ways.end() || !reference.empty())
      continue;
    RunOutcome outcome = runner.run(0, *way);
    if (outcome.kind == RunOutcome::Ran) {
      reference = std::move(outcome.arrays);
      rightWay = way;
    }
    why = outcome.why;
  }
  if (reference.empty())
    return makeError("--bisect: the program of the first step cannot be run: " + why);
  addRow(0, "the reference, " + rightWay->name, "");
  return llvm::Error::success();
}

Verdict Bisector::judge(size_t step, const RunWay &way) {
  RunOutcome outcome = runner.run(step, way);
  switch (outcome.kind) {
  case RunOutcome::NotRun:
    return {Verdict::NotRun, outcome.why, &way};
  case RunOutcome::Failed:
    return {Verdict::Different, "it fails: " + outcome.why, &way, /*isFault=*/true};
  case RunOutcome::Ran:
    break;
  }
  std::string difference = compare(reference, outcome.arrays, roundsOperands);
  return {difference.empty() ? Verdict::Same : Verdict::Different, difference, &way};
}

Verdict Bisector::judge(size_t step) {
  Verdict best;
  for (const RunWay &way : runner.ways()) {
    Verdict verdict = judge(step, way);
    if (verdict.kind == Verdict::Same)
      return verdict;
    // The way in which the last program was right says most.
    bool isBest = verdict.kind == Verdict::Different &&
                  (best.kind == Verdict::NotRun || verdict.way == rightWay);
    if (isBest || (best.kind == Verdict::NotRun && best.text.empty()))
      best = std::move(verdict);
  }
  return best;
}

/// The passes after a step that its program cannot be run without.
std::string Bisector::neededAfter(size_t step, const RunWay &way) const {
  std::vector<std::string> names;
  for (size_t i = step + 1; i < trace.steps.size(); ++i) {
    const PassStep &at = trace.steps[i];
    bool isPass = at.kind == StepKind::Pass && runner.target().needOf(at.name) == PassNeed::Always;
    // The emulator reads assembly.
    bool isStage = at.kind == StepKind::Stage && (way.device || !at.bytes);
    bool isNeeded = isPass || isStage;
    if (at.changed && isNeeded && !llvm::is_contained(names, at.name))
      names.push_back(escapeUnprintable(at.name));
  }
  return llvm::join(names, ", ");
}

void Bisector::blame(size_t step, const Verdict &verdict) {
  const PassStep &at = trace.steps[step];
  bool isOtherWay = verdict.way != rightWay;
  // A GPU runs nothing more in a process after a fault.
  bool isBroken =
      verdict.isFault && verdict.way->device && !verdict.way->device->properties().sharesHostMemory;
  if (isOtherWay && !isBroken && judge(right, *verdict.way).kind == Verdict::Different) {
    print(llvm::formatv("\nThe program after {0} is wrong {1}, too, if it is compiled with the "
                        "passes that every kernel needs.\nOne of these gives other values: {2}\n",
                        escapeUnprintable(trace.steps[right].name), verdict.way->name,
                        neededAfter(right, *verdict.way))
              .str());
    return;
  }
  print("\n" + escapeUnprintable(at.name) + " of " + at.stage +
        " is the first pass whose program gives other values\n");
  if (isOtherWay && isBroken)
    print("It is the first that ran " + verdict.way->name +
          ", which cannot run the one before any more: a pass that every kernel needs may be wrong "
          "instead\n");
}

llvm::Expected<bool> Bisector::run() {
  if (!explanation.record)
    return makeError("--bisect: the kernel does not compile, so there is nothing to run");
  if (llvm::Error error = runner.open())
    return error;
  if (trace.steps[0].after != kNoText) {
    llvm::StringRef first = trace.texts[trace.steps[0].after].text;
    roundsOperands =
        first.contains("inputPrecision = tf32") || first.contains("inputPrecision = bf16");
  }
  print(explanation.title() + ": the program after each pass, grid " + grid.toString() + "\n");
  if (llvm::Error error = makeReference())
    return error;
  size_t ran = 1, programs = 1;
  for (size_t i = 1; i < trace.steps.size(); ++i) {
    if (!isProgram(i))
      continue;
    ++programs;
    Verdict verdict = judge(i);
    switch (verdict.kind) {
    case Verdict::NotRun: {
      std::string needed = "it needs a device of " + explanation.request.target + ", or --emulator";
      addRow(i, "not run: " + (verdict.text.empty() ? needed : verdict.text), screen.colors.dim);
      break;
    }
    case Verdict::Same:
      ++ran;
      right = i;
      rightWay = verdict.way;
      addRow(i, "the same, " + verdict.way->name, screen.colors.green);
      break;
    case Verdict::Different:
      addRow(i, verdict.text, screen.colors.red);
      blame(i, verdict);
      return true;
    }
  }
  print(ran < 2 ? std::string("\nfewer than two programs could be run\n")
                : llvm::formatv("\nno pass changes a value; {0} of {1} programs were run\n", ran,
                                programs)
                      .str());
  const RunWay &only = runner.ways().front();
  if (runner.ways().size() == 1 && only.isOwn)
    print("An error of a pass that every kernel needs would be in all of them: " +
          neededAfter(0, only) + "\n");
  return false;
}

llvm::Expected<bool> cli::bisectPasses(const Session &session, const Explanation &explanation,
                                       const BisectPlan &plan, const Screen &screen,
                                       llvm::function_ref<void(llvm::StringRef)> print) {
  return Bisector(session, explanation, plan, screen, print).run();
}
