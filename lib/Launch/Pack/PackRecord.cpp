//===- PackRecord.cpp - the part of a record that the library of packs needs =//
#include "PackRecord.h"
#include "JsonReader.h"

using namespace tessera;

unsigned tessera::integerBytes(std::string_view type, bool &isSigned) {
  isSigned = !type.empty() && type[0] == 'i';
  if (!type.empty() && type[0] == '*')
    return 8;
  if (type.size() < 2 || type == "u1" || type == "i1" || (type[0] != 'i' && type[0] != 'u'))
    return 0;
  type.remove_prefix(1);
  return type == "8" ? 1 : type == "16" ? 2 : type == "32" ? 4 : type == "64" ? 8 : 0;
}

static void readParameter(JsonReader &reader, PackParameter &parameter) {
  reader.object([&](std::string_view key) {
    if (key == "name")
      parameter.name = reader.string();
    else if (key == "type")
      parameter.type = reader.string();
    else if (key == "divisibility")
      parameter.divisibility = reader.number();
    else if (key == "constant") {
      parameter.constant = reader.string();
      parameter.hasConstant = true;
    } else
      reader.skip();
  });
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

namespace {
class MapReader {
public:
  MapReader(JsonReader &reader, PackRecord &record) : reader(reader), record(record) {}
  void read();

private:
  void readMap(PackMap &map);
  /// Adds an argument or a number.
  void add(LaunchExpression::Kind kind, int64_t value) {
    reader.isGood = reader.isGood && record.terms.add({kind, value});
  }
  uint32_t argument(std::string_view name, bool isBase);
  void append(unsigned depth);
  PackMap::Expression expression();
  uint32_t expressions(PackMap::Expression *list);

  JsonReader &reader;
  PackRecord &record;
};
} // namespace

uint32_t MapReader::argument(std::string_view name, bool isBase) {
  for (uint32_t i = 0; i < record.parameters.size(); ++i) {
    const PackParameter &parameter = record.parameters[i];
    if (parameter.name != name || parameter.hasConstant)
      continue;
    bool isSigned, isPointer = !parameter.type.empty() && parameter.type[0] == '*';
    reader.isGood = reader.isGood && isPointer == isBase && integerBytes(parameter.type, isSigned);
    return i;
  }
  reader.isGood = false;
  return 0;
}

/// A number, the name of an argument, or ["*", a, b]; in postfix order.
void MapReader::append(unsigned depth) {
  if (depth > kMaxExpressionDepth || !reader.isGood) {
    reader.isGood = false;
    return;
  }
  if (reader.peek() == '"')
    return add(LaunchExpression::Kind::Argument, argument(reader.string(), /*isBase=*/false));
  if (reader.peek() != '[')
    return add(LaunchExpression::Kind::Number, reader.integer());
  bool isFirst = true;
  unsigned operands = 0;
  std::optional<LaunchExpression::Kind> kind;
  reader.array([&] {
    if (isFirst)
      kind = parseOperation(llvm::StringRef(reader.string()));
    else {
      append(depth + 1);
      ++operands;
    }
    isFirst = false;
  });
  reader.isGood = reader.isGood && kind && operands == operandCount(*kind);
  if (reader.isGood)
    add(*kind, 0);
}

PackMap::Expression MapReader::expression() {
  PackMap::Expression own;
  own.first = record.terms.size();
  append(0);
  own.count = record.terms.size() - own.first;
  reader.isGood = reader.isGood && isWellFormedExpression(record.terms.begin() + own.first,
                                                          own.count, record.parameters.size());
  return own;
}

/// Returns their number.
uint32_t MapReader::expressions(PackMap::Expression *list) {
  uint32_t count = 0;
  reader.array([&] {
    reader.isGood = reader.isGood && count < TensorMapRecipe::kMaxRank;
    if (reader.isGood)
      list[count++] = expression();
  });
  return count;
}

void MapReader::readMap(PackMap &map) {
  std::string_view type, fill;
  uint32_t swizzle = 0, l2 = 128, strides = 0, boxes = 0;
  bool hasBase = false, hasOffset = false;
  reader.object([&](std::string_view key) {
    if (key == "base") {
      map.base = argument(reader.string(), /*isBase=*/true);
      hasBase = true;
    } else if (key == "offset") {
      map.offset = expression();
      hasOffset = true;
    } else if (key == "extents")
      map.rank = expressions(map.extents);
    else if (key == "strides")
      strides = expressions(map.strides);
    else if (key == "box")
      reader.array([&] {
        reader.isGood = reader.isGood && boxes < TensorMapRecipe::kMaxRank;
        if (reader.isGood)
          map.box[boxes++] = reader.number();
      });
    else if (key == "type")
      type = reader.string();
    else if (key == "fill")
      fill = reader.string();
    else if (key == "swizzle")
      swizzle = reader.number();
    else if (key == "l2")
      l2 = reader.number();
    else
      reader.skip();
  });
  if (!hasOffset && reader.isGood) {
    map.offset.first = record.terms.size();
    map.offset.count = 1;
    add(LaunchExpression::Kind::Number, 0);
  }
  bool areBoxesGood = true;
  for (uint32_t i = 0; i < boxes; ++i)
    areBoxesGood &= map.box[i] >= 1 && map.box[i] <= 256;
  // The rules of TensorMapRecipe::whyInvalid.
  reader.isGood =
      reader.isGood && hasBase && map.rank >= 1 && strides + 1 == map.rank && boxes == map.rank &&
      areBoxesGood && tensorMapElementBytes(llvm::StringRef(type)) != 0 &&
      (swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128) &&
      (l2 == 0 || l2 == 64 || l2 == 128 || l2 == 256) && (fill == "zero" || fill == "nan");
  map.codes = tensorMapCodes(llvm::StringRef(type), swizzle, l2, fill == "nan");
}

void MapReader::read() {
  reader.array([&] {
    PackMap map;
    readMap(map);
    reader.isGood =
        reader.isGood && record.maps.size() < PackRecord::kMaxMaps && record.maps.add(map);
  });
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

bool PackRecord::read(std::string_view text) {
  JsonReader reader(text), mapReader(text);
  std::string_view name;
  uint32_t version = 0, warps = 0, threadsPerWarp = 0, hiddenMaps = 0, shared = 0;
  std::optional<uint32_t> dynamicShared;
  uint64_t profileBytes = 0;
  bool hasMaps = false;
  auto readBytes = [&](uint64_t &bytes) {
    reader.object([&](std::string_view key) {
      if (key == "bytes")
        bytes = uint64_t(reader.integer());
      else
        reader.skip();
    });
  };
  auto readHidden = [&] {
    std::string_view each = reader.string();
    if (each.starts_with("tensor_map:")) {
      reader.isGood = reader.isGood && hiddenCount == 0; // they come first
      ++hiddenMaps;
      return;
    }
    reader.isGood = reader.isGood && hiddenCount < kMaxHidden &&
                    (each == "global_scratch" || each == "profile_scratch");
    if (reader.isGood)
      hidden[hiddenCount++] =
          each == "global_scratch" ? Hidden::GlobalScratch : Hidden::ProfileScratch;
  };
  reader.object([&](std::string_view key) {
    if (key == "abi_version")
      version = reader.number();
    else if (key == "name")
      name = reader.string();
    else if (key == "symbol")
      symbol = reader.string();
    else if (key == "arguments")
      reader.array([&] {
        PackParameter parameter;
        readParameter(reader, parameter);
        reader.isGood =
            reader.isGood && parameters.size() < kMaxParameters && parameters.add(parameter);
      });
    else if (key == "hidden_arguments")
      reader.array(readHidden);
    else if (key == "tensor_maps") {
      mapReader = reader; // after the arguments, which it names
      hasMaps = true;
      reader.skip();
    } else if (key == "num_warps")
      warps = reader.number();
    else if (key == "threads_per_warp")
      threadsPerWarp = reader.number();
    else if (key == "num_ctas")
      needs.numCTAs = reader.number();
    else if (key == "cluster") {
      uint32_t extent = 0;
      reader.array([&] {
        uint32_t value = reader.number();
        reader.isGood = reader.isGood && extent < 3;
        if (reader.isGood)
          needs.cluster[extent++] = value;
      });
    } else if (key == "shared")
      shared = reader.number();
    else if (key == "dynamic_shared") // where the binary reserves the memory itself
      dynamicShared = reader.number();
    else if (key == "global_scratch")
      readBytes(scratchBytes);
    else if (key == "profile_scratch")
      readBytes(profileBytes);
    else if (key == "cooperative")
      needs.isCooperative = reader.boolean();
    else if (key == "dependent_launch")
      needs.isDependent = reader.boolean();
    else
      reader.skip();
  });
  if (hasMaps && reader.isGood) {
    MapReader(mapReader, *this).read();
    reader.isGood = mapReader.isGood;
  }
  needs.threads = warps * threadsPerWarp;
  needs.sharedBytes = dynamicShared.value_or(shared);
  if (symbol.empty())
    symbol = name;
  bool isKnown = version >= 1 && version <= 2 && profileBytes == 0 && hiddenMaps == maps.size() &&
                 warps <= 64 && threadsPerWarp <= 64 && needs.numCTAs >= 1 &&
                 needs.numCTAs <= 1024 && needs.sharedBytes <= 1u << 30;
  for (uint32_t extent : needs.cluster)
    isKnown = isKnown && extent >= 1 && extent <= 1024;
  return reader.isGood && isKnown && !symbol.empty();
}
