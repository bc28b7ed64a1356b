//===- SanitizerReports.cpp - what was found, in sentences ----------------===//
//   add.py:12:9: error: load outside 'x_ptr': element 1000, 1 past the end
//   note: in program (7, 0, 0) of add_kernel, at [104] of [128]; address 0x7f..
//   add.py:11:12: note: the mask 'mask' is true there
//   note: 'x_ptr' is fp32[1000]; the address is in 'y_ptr', at element 0
//   add.py:9:14: note: a 32-bit offset overflowed on the way there:
//     2048 * 1048576 is 2147483648 and became -2147483648
//===----------------------------------------------------------------------===//
#include "SanitizerState.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

template <typename T> static std::string list(const T &numbers) {
  return "[" +
         llvm::join(llvm::map_range(numbers, [](auto n) { return std::to_string(n); }), ", ") + "]";
}

static std::string decimal(__int128 value) {
  bool negative = value < 0;
  auto left = static_cast<unsigned __int128>(negative ? -value : value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(left % 10)));
    left /= 10;
  } while (left);
  if (negative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

static std::string counted(uint64_t count, llvm::StringRef word) {
  return (llvm::Twine(count) + " " + word + (count == 1 ? "" : "s")).str();
}

static std::string quoted(llvm::StringRef name) { return ("'" + name + "'").str(); }

/// "(1, 0, 0)".
static std::string programName(const Grid &grid, uint64_t program) {
  uint64_t x = std::max(1u, grid.x), y = std::max(1u, grid.y);
  return llvm::formatv("({0}, {1}, {2})", program % x, program / x % y, program / x / y);
}

static std::string otherProgram(const Grid &grid, uint64_t other) {
  if (other == kSeveral)
    return "several programs";
  if (other == kOrdered)
    return "a program that uses atomics";
  return "program " + programName(grid, other);
}

/// "[3, 17] of [64, 32]"; empty for a scalar.
static std::string elementName(const AccessText &text, uint64_t element) {
  llvm::SmallVector<uint64_t, 4> index(text.shape.size());
  for (size_t dim = text.shape.size(); dim-- > 0;) {
    uint64_t extent = std::max<int64_t>(1, text.shape[dim]);
    index[dim] = element % extent;
    element /= extent;
  }
  return list(index) + " of the block's " + list(text.shape);
}

/// "fp32[4, 64]".
static std::string typeName(const SanitizedArgument &argument) {
  return argument.type + list(argument.shape);
}

/// Returns the index of the element at an address, as if the buffer had no bounds.
static int64_t elementAt(const SanitizedArgument &argument, uint64_t address) {
  auto bytes = static_cast<int64_t>(address - argument.address);
  int64_t size = argument.elementBytes;
  return bytes >= 0 ? bytes / size : -((-bytes + size - 1) / size);
}

/// "1 past the end", "12 before the beginning", in elements; in bytes for an
/// access that only begins inside.
static std::string distance(const SanitizedArgument &argument, uint64_t address, uint64_t bytes) {
  int64_t element = elementAt(argument, address);
  auto count = static_cast<int64_t>(argument.bytes / argument.elementBytes);
  if (element < 0)
    return counted(-element, "element") + " before the beginning";
  if (element >= count)
    return counted(element - count + 1, "element") + " past the end";
  return counted(address + bytes - argument.address - argument.bytes, "byte") + " past the end";
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

namespace {
/// Composes the report of one finding.
class Reporter {
public:
  Reporter(const Sanitizer::State &state, const FindingAtSite &entry, Mistake mistake)
      : state(state), site(entry.site), text(entry.text), finding(entry.finding), wrap(entry.wrap),
        mistake(mistake) {}

  SanitizerReport make();

private:
  const SanitizedArgument *argument() const {
    return finding.buffer >= 0 ? &state.buffers[finding.buffer]->argument : nullptr;
  }
  void note(std::string words, SourcePlace place = {}) {
    report.notes.push_back({std::move(place), std::move(words)});
  }
  void describeOutside();
  void describeUnwritten();
  void describeMeeting();
  void notePlace();
  void noteMask();
  void noteBuffer();
  void noteSearch();
  void noteWrap();
  void noteCount(llvm::StringRef words);
  std::string elementOfBuffer() const {
    return "element " + std::to_string(elementAt(*argument(), finding.address)) + " of " +
           quoted(argument()->name);
  }

  const Sanitizer::State &state;
  const AccessSite &site;
  const AccessText &text;
  const Finding &finding;
  const std::optional<Wrap> &wrap;
  const Mistake mistake;
  SanitizerReport report;
};
} // namespace

void Reporter::notePlace() {
  std::string words = "in program " + programName(state.grid, finding.program);
  if (!text.kernel.empty())
    words += " of " + text.kernel;
  if (!text.shape.empty())
    words += ", at " + elementName(text, finding.element);
  note(words + llvm::formatv("; address {0:x}", finding.address).str());
  for (const SourcePlace &caller : text.callers)
    note("called from here", caller);
}

void Reporter::noteMask() {
  if (!text.hasMask)
    return note("no mask is in force");
  std::string name = text.mask.name.empty() ? "" : " " + quoted(text.mask.name);
  note("the mask" + name + " is true there", text.mask);
}

void Reporter::noteBuffer() {
  int other = state.findBuffer(finding.address, 1);
  std::string where = other < 0 || other == finding.buffer ? "" : ([&] {
    const SanitizedArgument &met = state.buffers[other]->argument;
    return "; the address is in " + quoted(met.name) + ", at element " +
           std::to_string(elementAt(met, finding.address));
  })();
  if (const SanitizedArgument *own = argument())
    note(llvm::formatv("{0} is {1}, {2:x} to {3:x}{4}", quoted(own->name), typeName(*own),
                       own->address, own->address + own->bytes, where));
}

/// For pointers of unknown origin: the argument that the address is nearest to.
void Reporter::noteSearch() {
  note(site.has(AccessSite::Foreign)
           ? "its pointer was loaded from memory or made of an integer; no argument is there, and "
             "no "
             "other memory of the process"
           : "its pointer may come from several arguments: all were searched");
  const SanitizedArgument *nearest = nullptr;
  uint64_t least = UINT64_MAX;
  for (const std::unique_ptr<Buffer> &buffer : state.buffers) {
    const SanitizedArgument &candidate = buffer->argument;
    if (!candidate.isPointer)
      continue;
    bool before = finding.address < candidate.address;
    uint64_t away = before ? candidate.address - finding.address
                           : finding.address - candidate.address - candidate.bytes;
    if (away < least)
      nearest = &candidate, least = away;
  }
  // Farther away it is no neighbour, but chance.
  if (nearest && least < (uint64_t(1) << 32))
    note("the nearest is " + quoted(nearest->name) + ", " + typeName(*nearest) + ": " +
         distance(*nearest, finding.address, site.elementBytes));
}

void Reporter::noteWrap() {
  if (!wrap)
    return;
  WrapResult result = computeWrap(*wrap);
  static constexpr llvm::StringLiteral signs[] = {"+", "-", "*", "<<", "", "+"};
  bool here = wrap->program == finding.program && wrap->element == finding.element;
  std::string words = "a " + std::to_string(wrap->site.bits) + "-bit offset overflowed on the way ";
  words += here ? "there: " : "in program " + programName(state.grid, wrap->program) + ": ";
  if (wrap->site.operation != WrapSite::Truncate)
    words += std::to_string(wrap->left) + " " + signs[wrap->site.operation].str() + " " +
             std::to_string(wrap->right) + " is " + decimal(result.exact) + " and became ";
  else
    words += decimal(result.exact) + " became ";
  note(words + decimal(result.held) + "; compute it in 64 bits, with .to(tl.int64)", wrap->place);
}

void Reporter::noteCount(llvm::StringRef words) {
  if (finding.count > 1)
    note(std::to_string(finding.count) + " such " + words.str() + " in all");
}

//===----------------------------------------------------------------------===//
// The mistakes
//===----------------------------------------------------------------------===//

void Reporter::describeOutside() {
  const SanitizedArgument *own = argument();
  if (own)
    report.message = text.operation + " outside " + quoted(own->name) + ": element " +
                     std::to_string(elementAt(*own, finding.address)) + ", " +
                     distance(*own, finding.address, site.elementBytes);
  else if (site.has(AccessSite::Foreign))
    report.message = text.operation + " where the process has no memory" +
                     (site.has(AccessSite::Writes) ? " that it may write" : "");
  else
    report.message = text.operation + " outside every argument's memory";
  if (!text.hasMask)
    noteMask();
  notePlace();
  if (text.hasMask)
    noteMask();
  noteBuffer();
  if (!own)
    noteSearch();
  noteWrap();
  noteCount("accesses");
}

void Reporter::describeUnwritten() {
  report.message = text.operation + " of " + elementOfBuffer() + ", which nothing has written";
  notePlace();
  noteMask();
  noteBuffer();
  noteCount("accesses");
}

void Reporter::describeMeeting() {
  std::string me = "program " + programName(state.grid, finding.program);
  std::string other = otherProgram(state.grid, finding.other);
  if (mistake == Mistake::BothWrite) {
    // The order of the two programs is chance, so the one with the smaller number is named first.
    if (finding.other < finding.program)
      std::swap(me, other);
    report.message = me + " and " + other + " both write " + elementOfBuffer();
  } else if (site.has(AccessSite::Writes)) {
    report.message = me + " writes " + elementOfBuffer() + ", which " + other + " read" +
                     (finding.other == kSeveral ? "" : "s");
  } else {
    report.message = me + " reads " + elementOfBuffer() + ", which " + other + " writes";
  }
  notePlace();
  note("programs run in any order, and nothing here puts these two in one: the result depends "
       "on timing");
  noteBuffer();
  noteCount("elements");
}

SanitizerReport Reporter::make() {
  report.place = text.place;
  if (mistake == Mistake::Outside)
    describeOutside();
  else if (mistake == Mistake::Unwritten)
    describeUnwritten();
  else
    describeMeeting();
  report.isMeeting = mistake != Mistake::Outside && mistake != Mistake::Unwritten;
  return std::move(report);
}

std::vector<SanitizerReport> Sanitizer::reports() const {
  std::lock_guard<std::mutex> guard(state->mutex);
  std::vector<SanitizerReport> reports;
  for (const auto &[key, entry] : state->findings)
    reports.push_back(Reporter(*state, entry, key.mistake).make());
  // Causes come before consequences: programs often race because they write outside their part of
  // an array.
  llvm::sort(reports, [](const SanitizerReport &a, const SanitizerReport &b) {
    return std::tie(a.isMeeting, a.place.path, a.place.line, a.place.column, a.message) <
           std::tie(b.isMeeting, b.place.path, b.place.line, b.place.column, b.message);
  });
  for (const std::unique_ptr<Buffer> &buffer : state->buffers)
    if (buffer->shadow.isMissing() && !reports.empty())
      reports.back().notes.push_back({{},
                                      "there was not enough memory to watch " +
                                          quoted(buffer->argument.name) +
                                          " for programs that meet"});
  return reports;
}

} // namespace tessera
