//===- PrintText.cpp - the output of device_print ------------------------===//
// See PrintText.h.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/PrintText.h"
#include "tessera/LLIR/SmallFloat.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera;

std::string tessera::escapePercent(StringRef text) {
  std::string result;
  for (char c : text)
    result.append(c == '%' ? 2 : 1, c);
  return result;
}

std::string tessera::alignedIndexFormat(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [dim, extent] : llvm::enumerate(shape))
    text += (dim ? ", %" : "%") + std::to_string(std::to_string(extent - 1).size()) + "u";
  return text + ")";
}

PrintConversion tessera::convertToPrint(LaneBuilder &b, Value value, Type element, bool isSigned,
                                        bool hex, bool hasHalfConversions) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return {"%p", value};
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isLong = bits > 32;
  Type word = isLong ? b.builder.getI64Type() : b.builder.getI32Type();
  if (hex) {
    Type integer = b.builder.getIntegerType(bits);
    std::string digits = std::to_string(std::max(1u, bits / 4));
    return {"0x%0" + digits + (isLong ? "llx" : "x"),
            b.resizeUnsigned(b.bitcast(value, integer), word)};
  }
  if (isa<FloatType>(element)) {
    if (isSmallFloat(element))
      value = b.bitcast(value, b.builder.getIntegerType(bits));
    return {"%f", b.resizeFloat(widenFloat(b, value, element, hasHalfConversions),
                                b.builder.getF64Type())};
  }
  if (isSigned && bits > 1)
    return {isLong ? "%lli" : "%i", b.resizeSigned(value, word)};
  return {isLong ? "%llu" : "%u", b.resizeUnsigned(value, word)};
}

static void collectPlaces(Location location, SmallVectorImpl<PrintedPlace> &places) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    places.push_back({place.getFilename().str(), place.getLine()});
  else if (auto name = dyn_cast<NameLoc>(location))
    collectPlaces(name.getChildLoc(), places);
  else if (auto fused = dyn_cast<FusedLoc>(location))
    collectPlaces(fused.getLocations().front(), places);
  else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectPlaces(call.getCallee(), places);
    collectPlaces(call.getCaller(), places);
  }
}

SmallVector<PrintedPlace> tessera::findPlaces(Location location) {
  SmallVector<PrintedPlace> places;
  collectPlaces(location, places);
  return places;
}

std::string tessera::joinPlaces(ArrayRef<PrintedPlace> places) {
  return llvm::join(llvm::map_range(places,
                                    [](const PrintedPlace &place) {
                                      return place.file + ":" + std::to_string(place.line);
                                    }),
                    ", ");
}

std::string tessera::describePlaces(Location location) {
  SmallVector<PrintedPlace> places = findPlaces(location);
  if (places.empty())
    return {};
  std::string callers = joinPlaces(ArrayRef(places).drop_front());
  return joinPlaces(ArrayRef(places).take_front()) +
         (callers.empty() ? "" : " (called from " + callers + ")") + ": ";
}
