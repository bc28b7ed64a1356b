//===- PackSelect.cpp - the variant of a kernel that fits the arguments ---===//
// 1. findKernel: all entries of a name whose code runs on the chip, once for each kernel
//    and target; their records are read.
// 2. chooseVariant: of those whose constants and promises hold, the one with most of them.
//    Between equals, code for this very chip, with tensor maps, and tuned is better.
//
// Cost: step 1 reads a few KiB of JSON for each variant; step 2 compares a few numbers.
//===----------------------------------------------------------------------===//
#include "PackState.h"
#include <cstring>
#include <tuple>

using namespace tessera;

//===----------------------------------------------------------------------===//
// Entries and records
//===----------------------------------------------------------------------===//

PackVariant *tessera::variantOf(tessera_pack &pack, uint32_t number) {
  std::atomic<PackVariant *> &slot = pack.variants[number];
  if (PackVariant *known = slot.load(std::memory_order_acquire))
    return known;
  auto *variant = makePlain<PackVariant>();
  if (!variant)
    return nullptr;
  variant->number = number;
  variant->entry = pack.view.entry(number);
  PackArtifact record;
  variant->isReadable = variant->entry.kind == PackEntryKind::Kernel &&
                        pack.view.find(variant->entry, "record", record) &&
                        PackView::isIntact(record) && variant->record.read(record.bytes);
  PackVariant *other = nullptr; // another thread may have been quicker
  if (slot.compare_exchange_strong(other, variant, std::memory_order_acq_rel))
    return variant;
  destroyPlain(variant);
  return other;
}

ChipCode tessera::codeOf(const tessera_pack &pack, const PackEntry &entry) {
  CodeForms forms = codeFormsOf(entry.target);
  PackArtifact binary, text;
  ChipCode code;
  code.target = entry.target;
  code.hasBinary = pack.view.find(entry, forms.binary, binary);
  if (!forms.text.empty() && pack.view.find(entry, forms.text, text))
    code.text = text.bytes;
  return code;
}

PackVariant *tessera::variantWithoutMaps(tessera_pack &pack, const PackVariant &variant) {
  // The options but for the one about maps; the variants were compiled for the same target.
  auto isOfMaps = [](std::string_view option) { return option.starts_with("tma="); };
  auto isAlike = [&](std::string_view a, std::string_view b) {
    auto take = [](std::string_view &text) {
      std::string_view first = text.substr(0, text.find(','));
      text.remove_prefix(first.size() < text.size() ? first.size() + 1 : text.size());
      return first;
    };
    while (!a.empty() || !b.empty()) {
      std::string_view left = take(a), right = take(b);
      if (isOfMaps(left))
        left = take(a);
      if (isOfMaps(right))
        right = take(b);
      if (left != right)
        return false;
    }
    return true;
  };
  for (uint32_t i = 0; i < pack.view.size(); ++i) {
    PackEntry entry = pack.view.entry(i);
    if (i == variant.number || entry.name != variant.entry.name ||
        entry.target != variant.entry.target || entry.signature != variant.entry.signature ||
        std::memcmp(entry.source, variant.entry.source, 32) != 0 ||
        !isAlike(entry.options, variant.entry.options))
      continue;
    PackVariant *other = variantOf(pack, i);
    if (other && other->isReadable && other->record.maps.size() == 0)
      return other;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool isSame(const PackKernel &kernel, std::string_view name, const char *target,
                   uint32_t maxShared) {
  return kernel.name == name && kernel.maxShared == maxShared &&
         std::strcmp(kernel.target, target) == 0;
}

/// The type of a parameter where it is passed; "i64" if it is constant in all variants.
static bool addTypes(PackKernel &kernel) {
  uint32_t most = 0;
  for (const PackKernel::Choice &choice : kernel.choices)
    most = std::max(most, choice.variant->record.parameters.size());
  for (uint32_t place = 0; place < most; ++place) {
    std::string_view type = "i64";
    for (const PackKernel::Choice &choice : kernel.choices) {
      const PackList<PackParameter> &parameters = choice.variant->record.parameters;
      if (place < parameters.size() && !parameters[place].hasConstant) {
        type = parameters[place].type;
        break;
      }
    }
    if (!kernel.types.add(type))
      return false;
  }
  return true;
}

/// Reads the variants, and counts those whose records cannot be read; false if there is no memory.
static bool fill(tessera_pack &pack, PackKernel &kernel, uint32_t first, uint32_t &damaged) {
  for (uint32_t link = first; link != 0; link = pack.next[link - 1]) {
    PackEntry entry = pack.view.entry(link - 1);
    if (entry.kind != PackEntryKind::Kernel || entry.name != kernel.name)
      continue;
    CodeFit fit = fitCode(kernel.target, codeOf(pack, entry));
    if (!fit)
      continue;
    PackVariant *variant = variantOf(pack, link - 1);
    if (!variant)
      return false;
    damaged += !variant->isReadable;
    if (variant->isReadable && variant->record.needs.sharedBytes <= kernel.maxShared &&
        !kernel.choices.add({variant, fit}))
      return false;
  }
  return addTypes(kernel);
}

tessera_pack_status tessera::findKernel(tessera_pack &pack, std::string_view name,
                                        const char *target, uint32_t maxShared,
                                        const PackKernel *&kernel) {
  uint32_t bucket = hashName(name) & pack.mask;
  auto search = [&]() -> PackKernel * {
    PackKernel *each = pack.kernels[bucket].load(std::memory_order_acquire);
    while (each && !isSame(*each, name, target, maxShared))
      each = each->next;
    return each;
  };
  kernel = search();
  if (kernel)
    return TESSERA_PACK_OK;
  PackLock guard(pack.lock);
  kernel = search();
  if (kernel)
    return TESSERA_PACK_OK;
  bool isKnown = false;
  for (uint32_t link = pack.heads[bucket]; link != 0 && !isKnown; link = pack.next[link - 1]) {
    PackEntry entry = pack.view.entry(link - 1);
    isKnown = entry.kind == PackEntryKind::Kernel && entry.name == name;
    name = isKnown ? entry.name : name; // which lives as long as the pack
  }
  uint32_t damaged = 0;
  auto *made = isKnown ? makePlain<PackKernel>() : nullptr;
  if (made) {
    made->name = name;
    made->maxShared = maxShared;
    std::strncpy(made->target, target, sizeof(made->target) - 1);
    if (!fill(pack, *made, pack.heads[bucket], damaged)) {
      destroyPlain(made);
      made = nullptr;
    }
  }
  if (isKnown && !made)
    return fail(TESSERA_PACK_NO_MEMORY, "there is no memory");
  if (!made || made->choices.size() == 0) {
    destroyPlain(made);
    if (damaged)
      return fail(TESSERA_PACK_NO_BINARY,
                  "the records of '%.*s' are damaged, or of a later version",
                  int(name.size() < 100 ? name.size() : 100), name.data());
    return fail(TESSERA_PACK_NO_KERNEL, "the pack has no kernel '%.*s' for %.60s",
                int(name.size() < 100 ? name.size() : 100), name.data(), target);
  }
  made->next = pack.kernels[bucket].load(std::memory_order_relaxed);
  pack.kernels[bucket].store(made, std::memory_order_release);
  kernel = made;
  return TESSERA_PACK_OK;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The value of an integer or a pointer; false for other types.
static bool readValue(std::string_view type, const void *value, uint64_t &number) {
  bool isSigned = false;
  unsigned bytes = integerBytes(type, isSigned);
  if (bytes)
    number = uint64_t(readInteger(value, bytes, isSigned));
  return bytes != 0;
}

/// Returns whether a literal such as 64 or -1 is the number; True is 1, and False is 0.
static bool isLiteral(std::string_view text, uint64_t number) {
  if (text == "True" || text == "False")
    return (number != 0) == (text == "True");
  if (text == "None")
    return number == 0;
  bool isNegative = !text.empty() && text[0] == '-';
  uint64_t value = 0;
  text.remove_prefix(isNegative);
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    value = value * 10 + uint64_t(c - '0');
  }
  return !text.empty() && (isNegative ? 0 - value : value) == number;
}

/// -1 if the variant does not fit the values; else how many promises it relies on.
static int countPromises(const PackKernel &kernel, const PackRecord &record,
                         const void *const *values) {
  int promises = 0;
  for (uint32_t i = 0; i < record.parameters.size(); ++i) {
    const PackParameter &parameter = record.parameters[i];
    uint64_t number = 0;
    if (parameter.hasConstant) {
      if (!values[i])
        continue;
      bool isTyped = !parameter.type.empty() && parameter.type != "constexpr";
      if (!readValue(isTyped ? parameter.type : kernel.types[i], values[i], number) ||
          !isLiteral(parameter.constant, number))
        return -1;
      promises += 2;
      continue;
    }
    if (!values[i])
      return -1;
    if (parameter.divisibility <= 1 || !readValue(parameter.type, values[i], number))
      continue;
    if (number % parameter.divisibility != 0)
      return -1;
    ++promises;
  }
  return promises;
}

tessera_pack_status tessera::chooseVariant(const PackKernel &kernel, const void *const *values,
                                           uint32_t count, PackVariant *&variant) {
  using Merit = std::tuple<int, unsigned, bool, uint32_t>;
  Merit best{-1, 0, false, 0};
  bool hasCount = false;
  variant = nullptr;
  for (const PackKernel::Choice &choice : kernel.choices) {
    const PackRecord &record = choice.variant->record;
    if (record.parameters.size() != count)
      continue;
    hasCount = true;
    int promises = countPromises(kernel, record, values);
    uint32_t flags = choice.variant->entry.flags & (kPackTuned | kPackLaunched);
    Merit merit{promises, choice.fit.rank, record.maps.size() != 0, flags};
    if (promises < 0 || (variant && !(best < merit)))
      continue;
    best = merit;
    variant = choice.variant;
  }
  if (variant)
    return TESSERA_PACK_OK;
  return fail(TESSERA_PACK_NO_VARIANT, "no variant of '%.*s' for %s fits %s",
              int(kernel.name.size() < 100 ? kernel.name.size() : 100), kernel.name.data(),
              kernel.target, hasCount ? "the arguments" : "the number of arguments");
}
