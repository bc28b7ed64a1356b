//===- Sanitizer.cpp - checks that sanitized kernels call -----------------===//
// A call checks one access of one program: a block of pointers at once.
//
//   1. bounds: compare the pointers with the buffer that they came from. Rows of
//      neighbours, which most are, need to be looked at only at both ends. A
//      pointer of unknown origin is looked for in all buffers, and one that was
//      loaded from memory also in whatever memory the process has
//   2. shadow: runs of neighbouring elements tell the buffer's shadow who was
//      there
//
// Both are loops that the compiler vectorises (SanitizerLoops.h); everything
// else happens only when something is wrong.
//===----------------------------------------------------------------------===//
#include "Sanitizer.h"
#include "SanitizerState.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

namespace tessera {

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// How many bytes into the buffer an access may begin, plus one.
static uint64_t limitOf(const SanitizedArgument &argument, uint64_t accessBytes) {
  return argument.bytes >= accessBytes ? argument.bytes - accessBytes + 1 : 0;
}

int Sanitizer::State::findBuffer(uint64_t address, uint64_t bytes) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const SanitizedArgument &argument = buffers[i]->argument;
    if (argument.isPointer && address - argument.address < limitOf(argument, bytes))
      return static_cast<int>(i);
  }
  return -1;
}

bool Sanitizer::State::searchBuffers(const AccessSite &site, const uint64_t *pointers,
                                     const uint8_t *mask, uint8_t *safe) {
  bool outside = false;
  for (uint64_t i = 0; i < site.elements; ++i) {
    safe[i] = 0;
    if (mask && !mask[i])
      continue;
    safe[i] = findBuffer(pointers[i], site.elementBytes) >= 0;
    outside |= !safe[i];
  }
  return outside && site.has(AccessSite::Foreign) ? searchProcess(site, pointers, mask, safe)
                                                  : outside;
}

bool Sanitizer::State::searchProcess(const AccessSite &site, const uint64_t *pointers,
                                     const uint8_t *mask, uint8_t *safe) {
  std::lock_guard<std::mutex> guard(memoryMutex);
  bool outside = false;
  for (uint64_t i = 0; i < site.elements; ++i) {
    if (safe[i] || (mask && !mask[i]))
      continue;
    safe[i] = memory.allows(pointers[i], site.elementBytes, site.has(AccessSite::Writes));
    outside |= !safe[i];
  }
  return outside;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

template <typename A, typename B> static bool isEarlier(const A &a, const B &b) {
  return std::tie(a.program, a.element) < std::tie(b.program, b.element);
}

/// Returns whether `a` is to be shown rather than `b`. Mistakes between programs are told apart by
/// the element of the buffer: who comes second is chance.
static bool comesFirst(Mistake mistake, const Finding &a, const Finding &b) {
  if (mistake == Mistake::Outside || mistake == Mistake::Unwritten)
    return isEarlier(a, b);
  auto pair = [](const Finding &finding) {
    uint64_t other = finding.other, low = std::min(finding.program, other);
    return std::tuple(finding.address, low, std::max(finding.program, other), finding.program);
  };
  return pair(a) < pair(b);
}

/// Explanations of one place that are asked for, if no overflow is seen.
static constexpr unsigned kMaxExplanations = 4096;

bool Sanitizer::State::record(const AccessSite &site, Mistake mistake, const Finding &found) {
  std::lock_guard<std::mutex> guard(mutex);
  auto [place, isFirst] = findings.try_emplace({&site, mistake});
  FindingAtSite &entry = place->second;
  if (isFirst) {
    entry.site = site;
    entry.text = readText(site);
  }
  uint64_t count = entry.finding.count + found.count;
  bool shown = isFirst || comesFirst(mistake, found, entry.finding);
  if (shown)
    entry.finding = found;
  entry.finding.count = count;
  bool earlier = !entry.wrap || isEarlier(found, *entry.wrap);
  return shown || (earlier && entry.explanations++ < kMaxExplanations);
}

/// Counts what the mask let through and the bounds did not. The result is an
/// element to explain, or -1.
int64_t Sanitizer::State::recordOutside(const AccessSite &site, const uint64_t *pointers,
                                        const uint8_t *mask, const uint8_t *safe,
                                        uint64_t program) {
  Finding found;
  for (uint64_t i = site.elements; i-- > 0;) {
    bool outside = (!mask || mask[i]) && !safe[i];
    found.count += outside;
    found.element = outside ? i : found.element;
  }
  found.program = program;
  found.address = pointers[found.element];
  found.buffer = site.argument;
  return record(site, Mistake::Outside, found) ? static_cast<int64_t>(found.element) : -1;
}

void Sanitizer::State::explain(const AccessSite &site, uint64_t program, int64_t element,
                               const WrapSite &operation, int64_t left, int64_t right) {
  Wrap wrap = {operation, left, right};
  if (!computeWrap(wrap).wrapped())
    return;
  wrap.place = readText(operation);
  wrap.program = program;
  wrap.element = static_cast<uint64_t>(element);
  std::lock_guard<std::mutex> guard(mutex);
  auto found = findings.find({&site, Mistake::Outside});
  // Operations come in the order of the computation: the first is the cause.
  if (found != findings.end() && (!found->second.wrap || isEarlier(wrap, *found->second.wrap)))
    found->second.wrap = std::move(wrap);
}

WrapResult computeWrap(const Wrap &wrap) {
  const WrapSite &site = wrap.site;
  auto resize = [&](__int128 value) -> __int128 {
    unsigned shift = 128 - site.bits;
    auto high = static_cast<unsigned __int128>(value) << shift;
    if (site.isUnsigned)
      return static_cast<__int128>(high >> shift);
    return static_cast<__int128>(high) >> shift;
  };
  bool narrows = site.operation == WrapSite::Truncate;
  __int128 left = narrows ? wrap.left : resize(wrap.left), right = resize(wrap.right);
  __int128 exact = 0;
  switch (site.operation) {
  case WrapSite::Add:
    exact = left + right;
    break;
  case WrapSite::Accumulate:
    exact = left + wrap.right;
    break;
  case WrapSite::Subtract:
    exact = left - right;
    break;
  case WrapSite::Multiply:
    exact = left * right;
    break;
  case WrapSite::ShiftLeft:
    exact = right >= 0 && right < 64 ? left * (__int128(1) << int(right)) : left;
    break;
  default:
    exact = left;
  }
  return {exact, resize(exact)};
}

//===----------------------------------------------------------------------===//
// Shadow
//===----------------------------------------------------------------------===//

void Sanitizer::State::visitRun(const AccessSite &site, int index, uint64_t address,
                                uint64_t element, uint64_t count, uint64_t program) {
  Buffer &buffer = *buffers[index];
  const uint64_t size = buffer.argument.elementBytes, begin = address - buffer.argument.address;
  uint64_t first = begin / size, last = (begin + count * site.elementBytes - 1) / size;
  // Pieces of an element are not told apart: two programs may own one each.
  AccessSite visited = site;
  if (site.elementBytes < size || begin % size)
    visited.flags |= AccessSite::Atomic;
  auto report = [&](Mistake mistake, uint64_t at, uint64_t other, bool isNew) {
    Finding found;
    found.program = program;
    found.address = buffer.argument.address + at * size;
    found.element = element + (at - first) * size / site.elementBytes;
    found.buffer = index;
    found.other = other;
    found.count = isNew;
    record(site, mistake, found);
  };
  buffer.shadow.visit(visited, program, first, last - first + 1, report);
}

/// Elements [0, count) are neighbours in memory: one run for each stretch of
/// those that are accessed.
void Sanitizer::State::visitRow(const AccessSite &site, uint64_t address, const uint8_t *safe,
                                uint64_t element, uint64_t program) {
  const uint8_t *at = safe, *end = safe + site.rowLength;
  while (at < end) {
    auto *begin = static_cast<const uint8_t *>(std::memchr(at, 1, end - at));
    if (!begin)
      return;
    auto *stop = static_cast<const uint8_t *>(std::memchr(begin, 0, end - begin));
    stop = stop ? stop : end;
    uint64_t first = begin - safe;
    visitRun(site, site.argument, address + first * site.elementBytes, element + first,
             stop - begin, program);
    at = stop;
  }
}

/// Elements anywhere, which may still be neighbours here and there.
void Sanitizer::State::visitElements(const AccessSite &site, const uint64_t *pointers,
                                     const uint8_t *safe, uint64_t element, uint64_t program) {
  const bool known = site.argument >= 0;
  for (uint64_t i = 0; i < site.rowLength;) {
    uint64_t end = i + 1;
    if (!safe[i]) {
      i = end;
      continue;
    }
    while (known && end < site.rowLength && safe[end] &&
           pointers[end] == pointers[end - 1] + site.elementBytes)
      ++end;
    int buffer = known ? site.argument : findBuffer(pointers[i], site.elementBytes);
    if (buffer >= 0)
      visitRun(site, buffer, pointers[i], element + i, end - i, program);
    i = end;
  }
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

/// The access of a buffer that is known. Whether something was outside.
bool Sanitizer::State::checkRows(const AccessSite &site, Buffer &buffer, const uint64_t *pointers,
                                 const uint8_t *mask, uint8_t *safe, uint64_t program) {
  const uint64_t base = buffer.argument.address, length = site.rowLength;
  const uint64_t limit = limitOf(buffer.argument, site.elementBytes);
  const bool concerned = buffer.shadow.concerns(site);
  // Long rows are faster compared with themselves than with the bounds.
  if (!concerned && length < 64)
    return loops.checkBounds(pointers, mask, safe, site.elements, base, limit);
  bool outside = false;
  for (uint64_t row = 0; row < site.elements; row += length) {
    const uint64_t *at = pointers + row, first = at[0], last = at[length - 1];
    const uint8_t *wanted = mask ? mask + row : nullptr;
    bool neighbours = loops.areConsecutive(at, length, site.elementBytes);
    if (neighbours && first - base < limit && last - base < limit && first <= last) {
      if (wanted)
        std::memcpy(safe + row, wanted, length);
      else
        std::memset(safe + row, 1, length);
    } else {
      outside |= loops.checkBounds(at, wanted, safe + row, length, base, limit);
    }
    if (concerned && neighbours)
      visitRow(site, first, safe + row, row, program);
    else if (concerned)
      visitElements(site, at, safe + row, row, program);
  }
  return outside;
}

/// The same of a single element: loops over scalars pass here very often.
bool Sanitizer::State::checkOne(const AccessSite &site, Buffer &buffer, uint64_t pointer,
                                const uint8_t *mask, uint8_t *safe, uint64_t program) {
  bool wanted = !mask || *mask;
  bool inside = pointer - buffer.argument.address < limitOf(buffer.argument, site.elementBytes);
  *safe = wanted && inside;
  if (*safe && buffer.shadow.concerns(site))
    visitRun(site, site.argument, pointer, 0, 1, program);
  return wanted && !inside;
}

/// The same when the buffer has to be found for each element.
bool Sanitizer::State::checkElements(const AccessSite &site, const uint64_t *pointers,
                                     const uint8_t *mask, uint8_t *safe, uint64_t program) {
  bool outside = searchBuffers(site, pointers, mask, safe);
  for (uint64_t row = 0; row < site.elements; row += site.rowLength)
    visitElements(site, pointers + row, safe + row, row, program);
  return outside;
}

int64_t Sanitizer::State::check(const AccessSite &site, const uint64_t *pointers,
                                const uint8_t *mask, uint8_t *safe, uint64_t program) {
  bool known = site.argument >= 0 && static_cast<size_t>(site.argument) < buffers.size();
  bool outside;
  if (known && site.elements == 1)
    outside = checkOne(site, *buffers[site.argument], *pointers, mask, safe, program);
  else if (known)
    outside = checkRows(site, *buffers[site.argument], pointers, mask, safe, program);
  else
    outside = checkElements(site, pointers, mask, safe, program);
  return outside ? recordOutside(site, pointers, mask, safe, program) : -1;
}

int64_t checkSanitizedAccess(void *sanitizer, const AccessSite *site, const uint64_t *pointers,
                             const uint8_t *mask, uint8_t *safe, uint64_t program) {
  return static_cast<Sanitizer::State *>(sanitizer)->check(*site, pointers, mask, safe, program);
}

void explainSanitizedWrap(void *sanitizer, const AccessSite *site, uint64_t program,
                          int64_t element, const WrapSite *wrap, int64_t left, int64_t right) {
  static_cast<Sanitizer::State *>(sanitizer)->explain(*site, program, element, *wrap, left, right);
}

void *findSanitizerSymbol(llvm::StringRef name) {
  return llvm::StringSwitch<void *>(name)
      .Case(kCheckAccessName, reinterpret_cast<void *>(&checkSanitizedAccess))
      .Case(kExplainWrapName, reinterpret_cast<void *>(&explainSanitizedWrap))
      .Default(nullptr);
}

Sanitizer::Sanitizer(std::vector<SanitizedArgument> arguments) : state(std::make_unique<State>()) {
  for (SanitizedArgument &argument : arguments) {
    auto buffer = std::make_unique<Buffer>();
    argument.elementBytes = std::max(1u, argument.elementBytes);
    if (argument.isPointer)
      buffer->shadow.describe(argument.bytes / argument.elementBytes, argument.isInitialized);
    buffer->argument = std::move(argument);
    state->buffers.push_back(std::move(buffer));
  }
}

Sanitizer::~Sanitizer() = default;

void Sanitizer::beginLaunch(const Grid &grid) {
  state->grid = grid;
  state->memory = {};
  for (std::unique_ptr<Buffer> &buffer : state->buffers)
    buffer->shadow.beginLaunch(grid.count());
}

void *Sanitizer::handle() { return state.get(); }

bool Sanitizer::foundSomething() const {
  std::lock_guard<std::mutex> guard(state->mutex);
  return !state->findings.empty();
}

} // namespace tessera
