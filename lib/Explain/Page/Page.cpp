//===- Page.cpp - the report as one HTML file -----------------------------===//
// The page is a template with its style and scripts, which are embedded at build time, and the JSON
// of the report, compressed and in base64. Base64 has no character that HTML knows, so no name of a
// kernel or file can become markup here; the scripts put texts into the page as text.
//===----------------------------------------------------------------------===//
#include "tessera/Explain/Page.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

using namespace tessera;

namespace {
struct PageFile {
  llvm::StringLiteral name, text;
};
} // namespace

static constexpr PageFile kFiles[] = {
#define PAGE_FILE(name, text) {name, text},
#include "PageTexts.inc"
};

/// The texts of all files with this ending, in their order.
static std::string collect(llvm::StringRef ending) {
  std::string text;
  for (const PageFile &file : kFiles)
    if (file.name.ends_with(ending))
      text += file.text;
  return text;
}

std::string tessera::writePage(llvm::StringRef json) {
  llvm::SmallVector<uint8_t, 0> compressed;
  // Better compression makes the page a quarter smaller and takes as long as the compilation.
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(json), compressed,
                                    llvm::compression::zlib::BestSpeedCompression);
  std::string data = llvm::encodeBase64(compressed);
  std::string page;
  llvm::StringRef rest = kFiles[0].text;
  auto replace = [&](llvm::StringRef mark, llvm::StringRef by) {
    auto [before, after] = rest.split(mark);
    page += before;
    page += by;
    rest = after;
  };
  replace("@CSS@", collect(".css"));
  replace("@DATA@", data);
  replace("@JS@", collect(".js"));
  page += rest;
  return page;
}
