//===- ShowLayout.cpp - which thread holds which element ------------------===//
//   #blocked5, 128x64 f16: t9:0-7 is thread 9 (warp 0, lane 9), registers 0 to 7
//
//            0-7      8-15     16-23
//        0   t0:0-7   t1:0-7   t2:0-7
//        1   t8:0-7   t9:0-7   t10:0-7
//===----------------------------------------------------------------------===//
#include "Print.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// The names of encodings in the text that the layouts are of: "#ttg.blocked<...>" -> "#blocked1".
static llvm::StringMap<std::string> readAliases(const Explanation &explanation) {
  llvm::StringMap<std::string> bodies, names;
  const std::vector<TensorLayout> &layouts = explanation.trace.layouts;
  size_t text = layouts.empty() ? kNoText : findLevel(explanation, layouts.front().level);
  if (text == kNoText)
    return names;
  llvm::StringRef rest = explanation.trace.texts[text].text;
  while (rest.starts_with("#")) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [name, body] = line.split(" = ");
    // An encoding may be made of earlier ones.
    std::string whole;
    for (size_t at = 0; at < body.size();) {
      size_t end = at + 1;
      if (body[at] == '#')
        while (end < body.size() && (llvm::isAlnum(body[end]) || body[end] == '_'))
          ++end;
      auto known = bodies.find(body.slice(at, end));
      whole += known == bodies.end() ? body.slice(at, end).str() : known->second;
      at = end;
    }
    bodies[name] = whole;
    names[whole] = name.str();
  }
  return names;
}

/// Returns whether the value `%a_12` is called `a_12` or, in Python, `a`.
static bool isCalled(llvm::StringRef value, llvm::StringRef name) {
  value.consume_front("%");
  name.consume_front("%");
  if (value == name)
    return true;
  return value.consume_front(name) && value.consume_front("_") && !value.empty() &&
         llvm::all_of(value, llvm::isDigit);
}

static std::string nameOf(const TensorLayout &layout, const llvm::StringMap<std::string> &aliases) {
  auto alias = aliases.find(layout.encoding);
  if (alias != aliases.end())
    return alias->second;
  std::string text = layout.encoding;
  for (const auto &entry : aliases)
    for (size_t at = text.find(entry.first()); at != std::string::npos;
         at = text.find(entry.first()))
      text.replace(at, entry.first().size(), entry.second);
  return text;
}

static uint64_t countElements(const TensorLayout &layout) {
  uint64_t count = 1;
  for (int64_t extent : layout.shape)
    count *= extent;
  return count;
}

static std::vector<size_t> findLayouts(const Explanation &explanation, llvm::StringRef name,
                                       const llvm::StringMap<std::string> &aliases) {
  std::vector<size_t> exact, called, ofLayout;
  std::string alias = "#" + name.ltrim('#').str();
  const std::vector<TensorLayout> &layouts = explanation.trace.layouts;
  for (auto [i, layout] : llvm::enumerate(layouts)) {
    if (llvm::is_contained(layout.values, name))
      exact.push_back(i);
    if (llvm::any_of(layout.values, [&](llvm::StringRef value) { return isCalled(value, name); }))
      called.push_back(i);
    if (nameOf(layout, aliases) == alias)
      ofLayout.push_back(i);
  }
  std::vector<size_t> found = !exact.empty() ? exact : !called.empty() ? called : ofLayout;
  // The largest first: a variable's parts are of less interest than the whole.
  llvm::sort(found, [&](size_t a, size_t b) {
    return std::pair(countElements(layouts[b]), a) < std::pair(countElements(layouts[a]), b);
  });
  return found;
}

/// The names that a message can propose: variables and layouts.
static std::string listNames(const Explanation &explanation,
                             const llvm::StringMap<std::string> &aliases) {
  std::vector<std::string> names;
  for (const TensorLayout &layout : explanation.trace.layouts)
    for (llvm::StringRef value : layout.values) {
      // "%a_12" is a; "%12" has no name in Python.
      llvm::StringRef base = value.drop_front().rtrim("0123456789").rtrim('_');
      if (!base.empty() && !llvm::is_contained(names, base))
        names.push_back(base.str());
    }
  for (const auto &entry : aliases)
    if (entry.first().contains('<'))
      names.push_back(entry.second);
  llvm::sort(names);
  return llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

namespace {
/// Where an element is: the coordinates of its first holder.
struct Place {
  uint64_t reg = 0, thread = 0, block = 0, offset = 0;
};

class Drawing {
public:
  Drawing(const Explanation &explanation, const TensorLayout &layout, const Screen &screen,
          bool whole)
      : explanation(explanation), layout(layout), screen(screen), whole(whole) {}
  /// False if there are too many elements.
  bool findPlaces();
  std::string draw();
  /// How many threads hold each element.
  uint64_t copies() const { return copyCount; }
  /// The elements that a cell stands for, which lie in consecutive registers or bytes.
  uint64_t perCell() const { return run; }

private:
  const Place &at(uint64_t row, uint64_t column) const { return places[row * columns + column]; }
  uint64_t shownRows() const {
    constexpr uint64_t few = 16;
    return whole ? rows : std::min(rows, few);
  }
  bool isRun(uint64_t row, uint64_t column, uint64_t length) const;
  std::string cell(uint64_t row, uint64_t column) const;
  std::string drawRows(uint64_t firstColumn, uint64_t cells, unsigned width) const;
  unsigned bankOf(const Place &place) const;

  const Explanation &explanation;
  const TensorLayout &layout;
  const Screen &screen;
  bool whole;
  uint64_t rows = 1, columns = 1, run = 1, copyCount = 1;
  std::vector<Place> places; // of the last two dimensions, the others being 0
};
} // namespace

/// The coordinates of a code that has the bits of all inputs.
static Place placeOf(const TensorLayout &layout, uint64_t code) {
  Place place;
  unsigned laneBits = 0;
  for (const TensorLayout::Input &input : layout.inputs) {
    uint64_t value = code & ((uint64_t(1) << input.bases.size()) - 1);
    code >>= input.bases.size();
    if (input.name == "register")
      place.reg = value;
    else if (input.name == "offset")
      place.offset = value;
    else if (input.name == "block")
      place.block = value;
    else if (input.name == "lane")
      place.thread |= value, laneBits = input.bases.size();
    else if (input.name == "warp")
      place.thread |= value << laneBits;
  }
  return place;
}

bool Drawing::findPlaces() {
  constexpr unsigned mostBits = 22;
  size_t rank = layout.shape.size();
  columns = layout.shape[rank - 1];
  rows = rank > 1 ? layout.shape[rank - 2] : 1;
  // Extents are powers of two, so an index is a string of bits, and bases combine by xor.
  std::vector<uint64_t> bases;
  for (const TensorLayout::Input &input : layout.inputs)
    for (const std::vector<int64_t> &basis : input.bases) {
      uint64_t flat = 0;
      for (size_t k = 0; k < rank; ++k)
        flat = flat * layout.shape[k] + (k < basis.size() ? basis[k] : 0);
      bases.push_back(flat);
    }
  if (bases.size() > mostBits)
    return false;
  std::vector<uint64_t> values(uint64_t(1) << bases.size());
  std::vector<bool> isFound(rows * columns);
  places.resize(rows * columns);
  for (uint64_t code = 0; code < values.size(); ++code) {
    if (code)
      values[code] = values[code & (code - 1)] ^ bases[llvm::countr_zero(code)];
    if (values[code] >= isFound.size() || isFound[values[code]])
      continue;
    isFound[values[code]] = true;
    places[values[code]] = placeOf(layout, code);
  }
  copyCount = values.size() / std::max<uint64_t>(1, countElements(layout));
  for (uint64_t next = 2; next <= columns && !layout.shape.empty(); next *= 2) {
    bool isWhole = true;
    for (uint64_t row = 0; row < rows && isWhole; ++row)
      for (uint64_t column = 0; column < columns && isWhole; column += next)
        isWhole = isRun(row, column, next);
    if (!isWhole)
      break;
    run = next;
  }
  return true;
}

bool Drawing::isRun(uint64_t row, uint64_t column, uint64_t length) const {
  const Place &first = at(row, column);
  for (uint64_t i = 1; i < length; ++i) {
    const Place &other = at(row, column + i);
    if (other.thread != first.thread || other.block != first.block ||
        other.reg - first.reg != (layout.isShared ? 0 : i) ||
        other.offset - first.offset != (layout.isShared ? i : 0))
      return false;
  }
  return true;
}

unsigned Drawing::bankOf(const Place &place) const {
  unsigned banks = 32, bytes = 4;
  if (explanation.machine && explanation.machine->banks) {
    banks = explanation.machine->banks;
    bytes = explanation.machine->bankBytes;
  }
  return place.offset * layout.elementBits / 8 / bytes % banks;
}

static std::string range(uint64_t first, uint64_t count) {
  return std::to_string(first) + (count > 1 ? "-" + std::to_string(first + count - 1) : "");
}

std::string Drawing::cell(uint64_t row, uint64_t column) const {
  const Place &place = at(row, column);
  if (!layout.isShared)
    return (place.block ? "c" + std::to_string(place.block) + " " : std::string()) + "t" +
           std::to_string(place.thread) + ":" + range(place.reg, run);
  Place last = place;
  last.offset += run - 1;
  unsigned first = bankOf(place), end = bankOf(last);
  return std::to_string(place.offset) + ":b" + std::to_string(first) +
         (end == first ? "" : "-" + std::to_string(end));
}

std::string Drawing::drawRows(uint64_t firstColumn, uint64_t cells, unsigned width) const {
  uint64_t shown = shownRows();
  std::string out = std::string(8, ' ');
  for (uint64_t i = 0; i < cells; ++i)
    out += left(range(firstColumn + i * run, run), width);
  out = paint(screen, screen.colors.dim, llvm::StringRef(out).rtrim()) + "\n";
  for (uint64_t row = 0; row < shown; ++row) {
    std::string line;
    for (uint64_t i = 0; i < cells; ++i)
      line += left(cell(row, firstColumn + i * run), width);
    // The lines of a folded vector have the number of their first element.
    uint64_t label = layout.shape.size() > 1 ? row : row * columns;
    out += paint(screen, screen.colors.dim, right(std::to_string(label), 6)) + "  " +
           llvm::StringRef(line).rtrim().str() + "\n";
  }
  if (shown < rows)
    out += "        ... " + counted(rows - shown, "row") + " more (--whole)\n";
  return out;
}

std::string Drawing::draw() {
  constexpr uint64_t sample = 64;
  unsigned width = 0;
  uint64_t cells = columns / run;
  for (uint64_t row = 0; row < shownRows(); ++row)
    for (uint64_t i = 0; i < (whole ? cells : std::min(cells, sample)); ++i)
      width = std::max<unsigned>(width, cell(row, i * run).size());
  width = std::max<unsigned>(width, range(columns - run, run).size()) + 1;
  uint64_t fit = std::max(1u, (std::max(screen.width, 20u) - 8) / width);
  if (layout.shape.size() == 1) { // a vector is folded
    cells = std::min(cells, llvm::bit_floor(fit));
    rows = columns / (cells * run);
    columns = cells * run;
  }
  // Of a matrix the first columns are shown, or all of them, part by part.
  uint64_t parts = whole ? llvm::divideCeil(cells, fit) : 1;
  std::string out;
  for (uint64_t part = 0; part < parts; ++part)
    out += drawRows(part * fit * run, std::min(fit, cells - part * fit), width);
  if (uint64_t done = parts * fit; done < cells)
    out += "        ... " + counted((cells - done) * run, "column") + " more (--whole)\n";
  return out;
}

/// The accesses of a buffer, and what bank conflicts cost them.
static std::string showAccesses(const Explanation &explanation, size_t buffer,
                                const llvm::StringMap<std::string> &aliases) {
  std::string out;
  for (const BufferAccess &access : explanation.trace.accesses) {
    if (access.buffer != buffer)
      continue;
    const TensorLayout &tensor = explanation.trace.layouts[access.tensor];
    bool hasConflicts = access.wavefronts > access.leastWavefronts;
    std::string line = access.place.line && access.place.file == 0
                           ? "line " + std::to_string(access.place.line)
                           : "";
    std::string least = llvm::formatv(", {0} without bank conflicts", access.leastWavefronts);
    out += llvm::formatv("  {0,-9} {1}  {2}\n", line, llvm::StringRef(access.op).split('.').second,
                         nameOf(tensor, aliases));
    out += llvm::formatv("            {0} bits at once, {1} for a warp{2}\n", access.bits,
                         counted(access.wavefronts, "wavefront"),
                         hasConflicts ? least : ", no bank conflicts");
  }
  return out;
}

static std::string shapeText(const TensorLayout &layout) {
  std::vector<std::string> extents;
  for (int64_t extent : layout.shape)
    extents.push_back(std::to_string(extent));
  return llvm::join(extents, "x") + ", " + std::to_string(layout.elementBits) + " bits each";
}

static std::string showOne(const Explanation &explanation, size_t number, const Screen &screen,
                           bool whole, const llvm::StringMap<std::string> &aliases) {
  const TensorLayout &layout = explanation.trace.layouts[number];
  std::string out = paint(screen, screen.colors.bold, escapeUnprintable(nameOf(layout, aliases))) +
                    "  " + shapeText(layout) + (layout.isShared ? ", in shared memory" : "") + "\n";
  constexpr size_t fewValues = 12;
  std::vector<std::string> values(
      layout.values.begin(), layout.values.begin() + std::min(fewValues, layout.values.size()));
  std::string rest = layout.values.size() > fewValues ? ", ..." : "";
  appendFolded(out, screen, 2, escapeUnprintable(llvm::join(values, ", ") + rest));
  Drawing drawing(explanation, layout, screen, whole);
  if (!drawing.findPlaces())
    return out + "  too many elements to draw\n";
  std::string many = drawing.perCell() > 1 ? "-" + std::to_string(drawing.perCell() - 1) : "";
  std::string legend =
      layout.isShared ? "64:b0 is the element at offset 64, in bank 0"
                      : "t33:0" + many + " is thread 33 (lane 1 of warp 1), register" +
                            (many.empty() ? " 0" : "s 0 to " + many.substr(1)) +
                            (drawing.copies() > 1
                                 ? "; each element is held by " + std::to_string(drawing.copies()) +
                                       " registers, of which the first is shown"
                                 : "");
  appendFolded(out, screen, 2, legend, screen.colors.dim);
  if (layout.shape.size() > 2)
    out += "  of the leading dimensions index 0 is shown\n";
  out += "\n" + drawing.draw();
  if (std::string accesses = showAccesses(explanation, number, aliases); !accesses.empty())
    out += "\n" + accesses;
  return out;
}

llvm::Expected<std::string> tessera::showLayouts(const Explanation &explanation,
                                                 llvm::StringRef name, const Screen &screen,
                                                 bool whole) {
  if (explanation.trace.layouts.empty())
    return makeError("--layout: the program has no layouts; targets without threads have none");
  llvm::StringMap<std::string> aliases = readAliases(explanation);
  std::vector<size_t> found = findLayouts(explanation, name, aliases);
  if (found.empty())
    return makeError("--layout: there is no value or layout '" + name + "' in TTGIR; there is " +
                     listNames(explanation, aliases));
  constexpr size_t few = 3;
  std::string out;
  for (size_t layout : llvm::ArrayRef(found).take_front(whole ? found.size() : few))
    out += (out.empty() ? "" : "\n") + showOne(explanation, layout, screen, whole, aliases);
  if (found.size() > few && !whole)
    out += "\n... " + counted(found.size() - few, "type") + " more: --whole, or name a value\n";
  return out;
}
