//===- Unicode.cpp - tables and algorithms behind Unicode.h ---------------===//
// Normalisation follows Unicode Standard Annex 15: decompose, order combining
// marks, compose. Hangul is computed, the rest looked up. Only names that are
// not ASCII come here, so clarity wins over speed.
//===----------------------------------------------------------------------===//
#include "Unicode.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>
#include <iterator>
#include <vector>

namespace tessera {

namespace {
struct CodePointRange {
  char32_t first, last;
};
struct Decomposition {
  char32_t from;
  uint16_t offset;
  uint8_t length;
};
struct CombiningClass {
  char32_t first, last;
  uint8_t value;
};
struct Composition {
  char32_t first, second, composed;
};
#include "UnicodeTables.inc"
} // namespace

/// Finds the range of a sorted table that holds c.
template <typename Range, size_t N>
static const Range *findRange(const Range (&table)[N], char32_t c) {
  auto it =
      std::upper_bound(std::begin(table), std::end(table), c,
                       [](char32_t value, const Range &range) { return value < range.first; });
  if (it == std::begin(table))
    return nullptr;
  --it;
  return c <= it->last ? &*it : nullptr;
}

bool isIdentifierStart(char32_t c) {
  if (c < 128)
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return findRange(kIdentifierStart, c);
}

bool isIdentifierPart(char32_t c) {
  return isIdentifierStart(c) || (c >= '0' && c <= '9') || findRange(kIdentifierOnlyPart, c);
}

bool isPrintable(char32_t c) {
  if (c < 128)
    return c >= 32 && c != 127;
  return !findRange(kNotPrintable, c);
}

unsigned displayWidth(char32_t c) {
  if (c < 128)
    return 1;
  std::string text;
  appendUtf8(text, c);
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? 1 : static_cast<unsigned>(width);
}

//===----------------------------------------------------------------------===//
// UTF-8
//===----------------------------------------------------------------------===//

char32_t decodeUtf8(std::string_view text, uint32_t &at) {
  auto byte = [&](size_t i) -> char32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  char32_t c = byte(at);
  unsigned length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  if (length > 1)
    c &= 0x7F >> length;
  for (unsigned i = 1; i < length; ++i)
    c = (c << 6) | (byte(at + i) & 0x3F);
  at += length;
  return c;
}

void appendUtf8(std::string &out, char32_t c) {
  auto add = [&](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | (c >> 6));
    add(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3F));
    add(0x80 | (c & 0x3F));
  } else {
    add(0xF0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3F));
    add(0x80 | ((c >> 6) & 0x3F));
    add(0x80 | (c & 0x3F));
  }
}

std::optional<Utf8Error> checkUtf8(std::string_view text) {
  const size_t size = text.size();
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  for (size_t i = 0; i < size;) {
    unsigned char c = byte(i);
    if (c < 0x80) {
      ++i;
      continue;
    }
    unsigned length = c >= 0xC2 && c < 0xE0   ? 2
                      : c >= 0xE0 && c < 0xF0 ? 3
                      : c >= 0xF0 && c < 0xF5 ? 4
                                              : 0;
    if (!length)
      return Utf8Error{i, "invalid start byte"};
    for (unsigned k = 1; k < length; ++k) {
      if (i + k >= size)
        return Utf8Error{i, "unexpected end of data"};
      // The second byte must also rule out overlong forms, surrogates and
      // values beyond U+10FFFF.
      unsigned char low = 0x80, high = 0xBF;
      if (k == 1) {
        low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
        high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
      }
      if (byte(i + k) < low || byte(i + k) > high)
        return Utf8Error{i, "invalid continuation byte"};
    }
    i += length;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

// Hangul syllables are leading consonant, vowel, trailing consonant (Unicode
// Standard, section 3.12).
static constexpr char32_t kHangulS = 0xAC00, kHangulL = 0x1100, kHangulV = 0x1161,
                          kHangulT = 0x11A7;
static constexpr unsigned kHangulLCount = 19, kHangulVCount = 21, kHangulTCount = 28;

static void decompose(std::u32string &out, char32_t c) {
  if (c >= kHangulS && c < kHangulS + kHangulLCount * kHangulVCount * kHangulTCount) {
    unsigned index = c - kHangulS;
    out.push_back(kHangulL + index / (kHangulVCount * kHangulTCount));
    out.push_back(kHangulV + index / kHangulTCount % kHangulVCount);
    if (index % kHangulTCount)
      out.push_back(kHangulT + index % kHangulTCount);
    return;
  }
  auto it = std::lower_bound(
      std::begin(kDecompositions), std::end(kDecompositions), c,
      [](const Decomposition &entry, char32_t value) { return entry.from < value; });
  if (it == std::end(kDecompositions) || it->from != c)
    out.push_back(c);
  else
    out.append(kDecompositionPool + it->offset, it->length);
}

static unsigned combiningClass(char32_t c) {
  const CombiningClass *range = findRange(kCombiningClasses, c);
  return range ? range->value : 0;
}

static std::optional<char32_t> composePair(char32_t a, char32_t b) {
  if (a >= kHangulL && a < kHangulL + kHangulLCount && b >= kHangulV &&
      b < kHangulV + kHangulVCount)
    return kHangulS + ((a - kHangulL) * kHangulVCount + (b - kHangulV)) * kHangulTCount;
  if (a >= kHangulS && a < kHangulS + kHangulLCount * kHangulVCount * kHangulTCount &&
      (a - kHangulS) % kHangulTCount == 0 && b > kHangulT && b < kHangulT + kHangulTCount)
    return a + (b - kHangulT);
  auto it = std::lower_bound(std::begin(kCompositions), std::end(kCompositions), std::pair(a, b),
                             [](const Composition &entry, auto pair) {
                               return std::pair(entry.first, entry.second) < pair;
                             });
  if (it == std::end(kCompositions) || it->first != a || it->second != b)
    return std::nullopt;
  return it->composed;
}

static void compose(std::u32string &text) {
  size_t starter = std::u32string::npos, length = 0;
  unsigned lastClass = 0;
  for (char32_t c : text) {
    unsigned klass = combiningClass(c);
    // A mark of the same or a higher class in between blocks composition.
    bool adjacent = starter != std::u32string::npos && length == starter + 1;
    bool blocked = !adjacent && lastClass >= klass;
    if (starter != std::u32string::npos && !blocked) {
      if (auto composed = composePair(text[starter], c)) {
        text[starter] = *composed;
        continue;
      }
    }
    if (klass == 0)
      starter = length;
    lastClass = klass;
    text[length++] = c;
  }
  text.resize(length);
}

std::string normalizeIdentifier(std::string_view name) {
  std::u32string text;
  for (uint32_t at = 0; at < name.size();)
    decompose(text, decodeUtf8(name, at));
  for (size_t i = 0; i < text.size();) { // order each run of combining marks
    size_t end = i;
    while (end < text.size() && combiningClass(text[end]) != 0)
      ++end;
    std::vector<std::pair<unsigned, size_t>> order; // the index keeps the sort stable
    for (size_t k = i; k < end; ++k)
      order.push_back({combiningClass(text[k]), k});
    std::sort(order.begin(), order.end());
    std::u32string sorted;
    for (auto [klass, k] : order)
      sorted.push_back(text[k]);
    text.replace(i, end - i, sorted);
    i = end + 1;
  }
  compose(text);
  std::string out;
  for (char32_t c : text)
    appendUtf8(out, c);
  return out;
}

} // namespace tessera
