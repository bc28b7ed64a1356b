//===- GridJourney.cpp - the launch grid, from Python to the launch -------===//
// The first stations are in the Python file and in the kernel's record. The target tells the others
// (Target::gridStations), and this file shows the lines of IR that belong to them.
//===----------------------------------------------------------------------===//
#include "IRLine.h"
#include "Print.h"
#include "TextDiff.h"
#include "tessera/Launch/Grid.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Units.h"
#include "tessera/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

namespace {
class Journey {
public:
  Journey(const Explanation &explanation, llvm::ArrayRef<std::string> grid, const Screen &screen)
      : explanation(explanation), trace(explanation.trace), grid(grid), screen(screen) {}
  std::string run();

private:
  void addStation(llvm::StringRef title, llvm::StringRef says);
  void addDefinition();
  void addCanonical();
  void addLaunchMetadata();
  void addCompileMetadata();
  void addLines(const GridStation &station);
  /// Shows lines of the Python file that hold one of the words.
  unsigned addSource(llvm::function_ref<bool(llvm::StringRef)> isShown);

  const Explanation &explanation;
  const PassTrace &trace;
  llvm::ArrayRef<std::string> grid;
  const Screen &screen;
  unsigned number = 0;
  std::string out;
};
} // namespace

void Journey::addStation(llvm::StringRef title, llvm::StringRef says) {
  out += "\n" +
         paint(screen, screen.colors.bold,
               std::to_string(++number) + ". " + escapeUnprintable(title)) +
         "\n";
  appendFolded(out, screen, 3, escapeUnprintable(says));
}

unsigned Journey::addSource(llvm::function_ref<bool(llvm::StringRef)> isShown) {
  constexpr unsigned most = 8;
  unsigned shown = 0, line = 0;
  IRLinePrinter printer(screen);
  for (llvm::StringRef text :
       splitLines(trace.sources.empty() ? llvm::StringRef() : trace.sources[0])) {
    ++line;
    if (!isShown(text) || ++shown > most)
      continue;
    printer.append(out, "|", {0, line}, text.trim());
  }
  return shown;
}

/// The name in `name[grid](...)`; empty if the brackets hold something else.
static llvm::StringRef gridName(llvm::StringRef line, llvm::StringRef kernel) {
  size_t at = line.find((kernel + "[").str());
  if (at == llvm::StringRef::npos)
    return "";
  return line.substr(at + kernel.size() + 1).take_while([](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

void Journey::addDefinition() {
  addStation("the definition in Python",
             "kernel[grid](...) takes a tuple of one to three numbers, or a function that gets the "
             "kernel's arguments (META) and returns such a tuple");
  std::string launch = trace.kernelName + "[";
  std::vector<std::string> names;
  for (llvm::StringRef line :
       splitLines(trace.sources.empty() ? llvm::StringRef() : trace.sources[0]))
    if (llvm::StringRef name = gridName(line, trace.kernelName); !name.empty())
      names.push_back(name.str());
  unsigned shown = addSource([&](llvm::StringRef line) {
    llvm::StringRef text = line.ltrim();
    bool isDefinition = llvm::any_of(names, [&](llvm::StringRef name) {
      llvm::StringRef rest = text;
      bool isFunction = rest.consume_front("def ");
      return rest.consume_front(name) &&
             (isFunction ? rest.starts_with("(") : rest.ltrim().starts_with("="));
    });
    return isDefinition || text.contains(launch);
  });
  if (shown == 0)
    appendFolded(out, screen, 3, "this file does not launch the kernel", screen.colors.dim);
}

void Journey::addCanonical() {
  if (grid.empty())
    return addStation("three numbers", "whatever is missing is 1: (x,) means (x, 1, 1); --grid "
                                       "X,Y,Z shows those of a launch here");
  std::string says = "(" + llvm::join(grid, ", ") + ")";
  llvm::Expected<Grid> numbers = parseGrid(llvm::join(grid, ","));
  if (numbers)
    says += ", " + formatCount(numbers->count()) + " programs";
  else
    llvm::consumeError(numbers.takeError());
  addStation("three numbers", says + "; whatever was missing is 1");
}

void Journey::addLaunchMetadata() {
  std::vector<std::string> arguments;
  for (const KernelArgument *argument : explanation.record->passedArguments())
    arguments.push_back(argument->name + ": " + argument->type);
  addStation(
      "launch metadata",
      "the grid is no part of the compiled kernel: another grid needs no other code. A launch "
      "passes it beside the arguments, and hooks get it with them: " +
          llvm::join(arguments, ", "));
}

void Journey::addCompileMetadata() {
  const KernelRecord &record = *explanation.record;
  if (record.numWarps == 0)
    return addStation("compile metadata", "the kernel's record has no warps, CTAs or clusters: one "
                                          "thread runs a program of the grid after the other");
  addStation("compile metadata",
             llvm::formatv("the kernel's record says what one program of the grid takes: num_warps "
                           "{0}, threads_per_warp {1}, num_ctas {2}, cluster ({3}, {4}, {5}), "
                           "shared {6} bytes",
                           record.numWarps, record.threadsPerWarp, record.numCTAs,
                           record.cluster[0], record.cluster[1], record.cluster[2],
                           record.sharedBytes)
                 .str());
}

void Journey::addLines(const GridStation &station) {
  size_t text = station.level.empty() ? kNoText : findLevel(explanation, station.level);
  if (text == kNoText)
    return;
  constexpr unsigned most = 8;
  const ProgramText &program = trace.texts[text];
  IRLinePrinter printer(screen);
  unsigned shown = 0;
  size_t number = 0;
  for (llvm::StringRef line : splitLines(program.text)) {
    LinePlace place = number < program.places.size() ? program.places[number] : LinePlace();
    ++number;
    auto isIn = [&](const std::string &word) { return line.contains(word); };
    bool isDeclaration = line.starts_with("declare ");
    if (!isDeclaration && llvm::any_of(station.words, isIn) && ++shown <= most)
      printer.append(out, "|", place, line.trim());
  }
  if (shown > most)
    appendFolded(out, screen, 8, "... " + counted(shown - most, "line"), screen.colors.dim);
  if (shown == 0)
    appendFolded(out, screen, 8, "no such line: the kernel does not ask for its program id",
                 screen.colors.dim);
}

std::string Journey::run() {
  out = paint(screen, screen.colors.bold, escapeUnprintable(explanation.title())) +
        ": the journey of the grid, " + escapeUnprintable(explanation.request.target) + "\n";
  addDefinition();
  addCanonical();
  if (!explanation.record)
    return std::move(out);
  addLaunchMetadata();
  addCompileMetadata();
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(explanation.request.target, {});
  if (!target) {
    llvm::consumeError(target.takeError());
    return std::move(out);
  }
  for (const GridStation &station : (*target)->gridStations(*explanation.record)) {
    addStation(station.title, station.says);
    addLines(station);
  }
  return std::move(out);
}

std::string tessera::showGridJourney(const Explanation &explanation,
                                     llvm::ArrayRef<std::string> grid, const Screen &screen) {
  return Journey(explanation, grid, screen).run();
}
