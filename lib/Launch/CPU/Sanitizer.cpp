//===- Sanitizer.cpp - checks that sanitized kernels call -----------------===//
// A call checks one access of one program: a block of pointers at once.
//
//   1. bounds: compare all pointers with the buffer that they came from; for a
//      pointer of unknown origin, with all buffers
//   2. shadow: runs of neighbouring elements (mostly whole rows) tell the
//      buffer's shadow who was there
//
// Both are loops that the compiler vectorises; everything else happens only
// when something is wrong.
//===----------------------------------------------------------------------===//
#include "Sanitizer.h"
#include "SanitizerState.h"
#include "llvm/ADT/StringSwitch.h"

namespace tessera {

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// safe[i] = mask[i] and pointers[i] - base < limit; whether the mask let
/// anything through that is not safe.
[[gnu::always_inline]] static inline bool compareAll(const uint64_t *pointers, const uint8_t *mask,
                                                     uint8_t *safe, uint64_t count, uint64_t base,
                                                     uint64_t limit) {
  uint8_t outside = 0;
  if (!mask) {
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t inside = pointers[i] - base < limit;
      safe[i] = inside;
      outside |= inside ^ 1;
    }
    return outside;
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t inside = pointers[i] - base < limit;
    safe[i] = inside & mask[i];
    outside |= (inside ^ 1) & mask[i];
  }
  return outside;
}

#define TESSERA_COMPARE(name, attributes)                                                          \
  attributes static bool name(const uint64_t *pointers, const uint8_t *mask, uint8_t *safe,        \
                              uint64_t count, uint64_t base, uint64_t limit) {                     \
    return compareAll(pointers, mask, safe, count, base, limit);                                   \
  }
TESSERA_COMPARE(compareAnywhere, )
#if defined(__x86_64__)
TESSERA_COMPARE(compareAVX2, [[gnu::target("avx2")]])
TESSERA_COMPARE(compareAVX512, [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]])
#endif
#undef TESSERA_COMPARE

static bool checkBounds(const uint64_t *pointers, const uint8_t *mask, uint8_t *safe,
                        uint64_t count, uint64_t base, uint64_t limit) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return compareAVX512(pointers, mask, safe, count, base, limit);
  if (__builtin_cpu_supports("avx2"))
    return compareAVX2(pointers, mask, safe, count, base, limit);
#endif
  return compareAnywhere(pointers, mask, safe, count, base, limit);
}

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
  return outside;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// Whether `a` is to be shown rather than `b`. Mistakes between programs are
/// told apart by the element of the buffer: who comes second is chance.
static bool comesFirst(Mistake mistake, const Finding &a, const Finding &b) {
  if (mistake == Mistake::Outside || mistake == Mistake::Unwritten)
    return std::tie(a.program, a.element) < std::tie(b.program, b.element);
  auto pair = [](const Finding &finding) {
    uint64_t other = finding.other - 1, low = std::min(finding.program, other);
    return std::tuple(finding.address, low, std::max(finding.program, other), finding.program);
  };
  return pair(a) < pair(b);
}

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
  return shown;
}

/// Counts what the mask let through and the bounds did not. The result is the
/// element that is shown from now on, or -1 if another one is.
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
  Wrap wrap = {operation, left, right, {}};
  if (!computeWrap(wrap).wrapped())
    return;
  std::lock_guard<std::mutex> guard(mutex);
  auto found = findings.find({&site, Mistake::Outside});
  if (found == findings.end())
    return;
  Finding &finding = found->second.finding;
  bool same = finding.program == program && finding.element == static_cast<uint64_t>(element);
  // Operations come in the order of the computation: the first is the cause.
  if (!same || finding.wrap)
    return;
  wrap.place = readText(operation);
  finding.wrap = std::move(wrap);
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
  auto report = [&](Mistake mistake, uint64_t at, ShadowProgram other, bool isNew) {
    Finding found;
    found.program = program;
    found.address = buffer.argument.address + at * size;
    found.element = element + (at - first) * size / site.elementBytes;
    found.buffer = index;
    found.other = other;
    found.count = isNew;
    record(site, mistake, found);
  };
  buffer.shadow.visit(visited, shadowOf(program), first, last - first + 1, report);
}

/// Whether elements [0, count) are all accessed, one after the other.
static bool isOneRun(const uint64_t *pointers, const uint8_t *safe, uint64_t count,
                     uint64_t bytes) {
  uint64_t differs = 0;
  uint64_t expected = pointers[0];
  for (uint64_t i = 0; i < count; ++i) {
    differs |= (pointers[i] ^ expected) | (safe[i] ^ 1u);
    expected += bytes;
  }
  return differs == 0;
}

void Sanitizer::State::visitShadow(const AccessSite &site, const uint64_t *pointers,
                                   const uint8_t *safe, uint64_t program) {
  const uint64_t bytes = site.elementBytes;
  auto bufferOf = [&](uint64_t address) {
    return site.argument >= 0 ? site.argument : findBuffer(address, bytes);
  };
  for (uint64_t row = 0; row < site.elements; row += site.rowLength) {
    const uint64_t *at = pointers + row;
    const uint8_t *ok = safe + row;
    bool known = site.argument >= 0;
    if (known && isOneRun(at, ok, site.rowLength, bytes)) {
      visitRun(site, site.argument, at[0], row, site.rowLength, program);
      continue;
    }
    for (uint64_t i = 0; i < site.rowLength;) {
      uint64_t end = i + 1;
      if (!ok[i]) {
        i = end;
        continue;
      }
      while (known && end < site.rowLength && ok[end] && at[end] == at[end - 1] + bytes)
        ++end;
      int buffer = bufferOf(at[i]);
      if (buffer >= 0)
        visitRun(site, buffer, at[i], row + i, end - i, program);
      i = end;
    }
  }
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

int64_t Sanitizer::State::check(const AccessSite &site, const uint64_t *pointers,
                                const uint8_t *mask, uint8_t *safe, uint64_t program) {
  Buffer *buffer = site.argument >= 0 && static_cast<size_t>(site.argument) < buffers.size()
                       ? buffers[site.argument].get()
                       : nullptr;
  bool outside = buffer ? checkBounds(pointers, mask, safe, site.elements, buffer->argument.address,
                                      limitOf(buffer->argument, site.elementBytes))
                        : searchBuffers(site, pointers, mask, safe);
  int64_t shown = -1;
  if (outside) [[unlikely]]
    shown = recordOutside(site, pointers, mask, safe, program);
  if (!buffer || buffer->shadow.concerns(site))
    visitShadow(site, pointers, safe, program);
  return shown;
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
  for (std::unique_ptr<Buffer> &buffer : state->buffers)
    buffer->shadow.forgetPrograms();
}

void *Sanitizer::handle() { return state.get(); }

bool Sanitizer::foundSomething() const {
  std::lock_guard<std::mutex> guard(state->mutex);
  return !state->findings.empty();
}

} // namespace tessera
