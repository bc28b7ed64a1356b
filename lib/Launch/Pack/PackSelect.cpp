//===- PackSelect.cpp - the variant of a kernel that fits the arguments ---===//
// 1. findKernel: all entries of a name whose code runs on the chip, once for each kernel
//    and target, sorted by their signatures into shapes (PackShapes.h).
// 2. chooseVariant: of those whose constants and promises hold, the one with most of them.
//    Between equals, code for this very chip, with tensor maps, and tuned is better. The
//    records of the variant and of its equals are read, and must say what the index says.
//
// Cost: step 1 about 0.4 us for each variant; step 2 a few ns for each shape, and a few KiB
// of JSON for a variant that is chosen for the first time.
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
  for (const PackShape *shape = kernel.shapes; shape; shape = shape->next)
    most = std::max(most, shape->parameterCount());
  for (uint32_t place = 0; place < most; ++place) {
    std::string_view type = "i64";
    for (const PackShape *shape = kernel.shapes; shape; shape = shape->next)
      if (place < shape->parameterCount() && !shape->parameter(place).isConstant()) {
        type = shape->parameter(place).type;
        break;
      }
    if (!kernel.types.add(type))
      return false;
  }
  return true;
}

/// The parameters of an entry: those of its signature, or of its record if it has to be read. 1:
/// they are known; 0: the record is damaged; -1: there is no memory.
static int parametersOf(tessera_pack &pack, uint32_t number, const PackEntry &entry,
                        ParameterValue *values, uint32_t &count) {
  if (readSignature(entry.signature, values, count))
    return 1;
  PackVariant *variant = variantOf(pack, number);
  if (!variant)
    return -1;
  if (!variant->isReadable)
    return 0;
  count = variant->record.parameters.size();
  readParameters(variant->record, values);
  return 1;
}

/// The shape of these parameters, which is made if there is none; null if there is no memory.
static PackShape *shapeOf(PackKernel &kernel, const ParameterValue *values, uint32_t count) {
  PackShape **end = &kernel.shapes;
  for (; *end; end = &(*end)->next)
    if ((*end)->isOf(values, count))
      return *end;
  auto *made = makePlain<PackShape>();
  if (made && !made->open(values, count)) {
    destroyPlain(made);
    made = nullptr;
  }
  return *end = made;
}

/// Sorts the variants into shapes, and counts those whose records cannot be read; false if there is
/// no memory.
static bool fill(tessera_pack &pack, PackKernel &kernel, uint32_t first, uint32_t &damaged) {
  ParameterValue values[PackRecord::kMaxParameters];
  for (uint32_t link = first; link != 0; link = pack.next[link - 1]) {
    PackEntry entry = pack.view.entry(link - 1);
    if (entry.kind != PackEntryKind::Kernel || entry.name != kernel.name)
      continue;
    CodeFit fit = fitCode(kernel.target, codeOf(pack, entry));
    if (!fit)
      continue;
    uint32_t count = 0;
    int known = parametersOf(pack, link - 1, entry, values, count);
    PackShape *shape = known > 0 ? shapeOf(kernel, values, count) : nullptr;
    if (known < 0 || (known > 0 && (!shape || !shape->add(values, link - 1, fit))))
      return false;
    damaged += known == 0;
  }
  for (PackShape *shape = kernel.shapes; shape; shape = shape->next)
    if (!shape->close())
      return false;
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
  if (!made || !made->shapes) {
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

PackKernel::~PackKernel() {
  while (shapes) {
    PackShape *after = shapes->next;
    destroyPlain(shapes);
    shapes = after;
  }
}

/// Returns whether a launch takes and checks arguments of two types in the same way.
static bool isPassedAlike(std::string_view left, std::string_view right) {
  bool isSigned = false, isOtherSigned = false;
  unsigned bytes = integerBytes(left, isSigned), other = integerBytes(right, isOtherSigned);
  return left == right || (bytes != 0 && bytes == other && isSigned == isOtherSigned);
}

/// Returns whether the record says of the parameters what the index of the pack says.
static bool isAsPromised(const PackShape &shape, uint32_t place, const PackRecord &record) {
  ParameterValue values[PackRecord::kMaxParameters];
  readParameters(record, values);
  if (record.parameters.size() != shape.parameterCount())
    return false;
  const uint64_t *constants = shape.constantsOf(place);
  for (uint32_t i = 0; i < shape.parameterCount(); ++i) {
    const ShapeParameter &own = shape.parameter(i), &other = values[i].parameter;
    bool isSame = own.kind == other.kind && other.divisibility <= own.divisibility &&
                  (own.isConstant() || isPassedAlike(own.type, other.type));
    if (!isSame || (own.isConstant() && *constants++ != values[i].constant))
      return false;
  }
  return true;
}

PackVariant *tessera::readMember(tessera_pack &pack, const PackKernel &kernel,
                                 const PackShape &shape, uint32_t place) {
  std::atomic<uint8_t> &state = shape.state(place);
  uint32_t number = shape.member(place).number;
  uint8_t known = state.load(std::memory_order_acquire);
  if (known == PackMember::kGood)
    return pack.variants[number].load(std::memory_order_acquire);
  if (known != PackMember::kUnread)
    return nullptr;
  PackVariant *variant = variantOf(pack, number);
  if (!variant)
    return nullptr; // without memory; another launch may have some
  bool isGood = variant->isReadable && isAsPromised(shape, place, variant->record);
  bool isSmall = isGood && variant->record.needs.sharedBytes <= kernel.maxShared;
  uint8_t found = isSmall ? PackMember::kGood : isGood ? PackMember::kTooLarge : PackMember::kBad;
  state.store(found, std::memory_order_release);
  return isSmall ? variant : nullptr;
}

namespace {
/// The best variant so far. Its record is read, and so is that of each that is as good at first
/// sight.
struct Best {
  int promises = -1;
  unsigned rank = 0;
  PackVariant *variant = nullptr;
};
} // namespace

/// Of two with the same promises and rank, the one with tensor maps is better, then a tuned one.
static bool isBetter(const PackVariant &left, const PackVariant &right) {
  auto merit = [](const PackVariant &variant) {
    uint32_t flags = variant.entry.flags & (kPackTuned | kPackLaunched);
    return std::make_tuple(variant.record.maps.size() != 0, flags);
  };
  auto mine = merit(left), other = merit(right);
  return mine > other || (mine == other && left.number < right.number);
}

tessera_pack_status tessera::chooseVariant(tessera_pack &pack, const PackKernel &kernel,
                                           const void *const *values, uint32_t count,
                                           PackVariant *&variant) {
  bool hasCount = false;
  uint32_t damaged = 0, large = 0;
  Best best;
  PackShape::Match match;
  for (const PackShape *shape = kernel.shapes; shape; shape = shape->next) {
    if (shape->parameterCount() != count)
      continue;
    hasCount = true;
    shape->match(values, kernel.types, match);
    if (!match.isPossible || match.promises < best.promises)
      continue;
    for (uint32_t i = shape->first(match); i < shape->size(); i = shape->after(i, match)) {
      unsigned rank = shape->member(i).fit.rank;
      bool isWorse = match.promises == best.promises && rank < best.rank;
      if (isWorse || !shape->fits(i, match))
        continue;
      PackVariant *read = readMember(pack, kernel, *shape, i);
      damaged += !read && shape->state(i) == PackMember::kBad;
      large += !read && shape->state(i) == PackMember::kTooLarge;
      bool isEqual = match.promises == best.promises && rank == best.rank;
      if (read && (!isEqual || isBetter(*read, *best.variant)))
        best = {match.promises, rank, read};
    }
  }
  variant = best.variant;
  if (variant)
    return TESSERA_PACK_OK;
  int length = int(kernel.name.size() < 100 ? kernel.name.size() : 100);
  const char *name = kernel.name.data();
  if (damaged)
    return fail(TESSERA_PACK_NO_BINARY, "the records of '%.*s' are damaged, or of a later version",
                length, name);
  if (large)
    return fail(
        TESSERA_PACK_NO_KERNEL,
        "the pack has no kernel '%.*s' for %s: the variants that fit the arguments need more "
        "shared memory than it has",
        length, name, kernel.target);
  return fail(TESSERA_PACK_NO_VARIANT, "no variant of '%.*s' for %s fits %s", length, name,
              kernel.target, hasCount ? "the arguments" : "the number of arguments");
}
