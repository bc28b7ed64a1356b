//===- Stdlib.cpp - the embedded files, found by name and parsed once -----===//
// StdlibTexts.inc is generated from the .py files of this folder by Embed.cmake.
//===----------------------------------------------------------------------===//
#include "Stdlib.h"
#include "tessera/Source/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <iterator>
#include <mutex>

using namespace tessera;

static constexpr StdlibFile kFiles[] = {
#define STDLIB_FILE(NAME, TEXT) {NAME, TEXT},
#include "StdlibTexts.inc"
};

static constexpr StdlibFunction kFunctions[] = {
#define STDLIB_FUNCTION(NAME, FILE, IS_JIT, IS_METHOD) {NAME, FILE, IS_JIT, IS_METHOD},
#include "StdlibTexts.inc"
};

namespace {
/// One file's tree, filled by whichever thread asks first.
struct ParseSlot {
  std::once_flag once;
  std::unique_ptr<SourceFile> file;
  std::unique_ptr<ast::Module> module;
  ParsedStdlibFile parsed = {nullptr, nullptr};
};
} // namespace

static void parseInto(ParseSlot &slot, const StdlibFile &source) {
  // The unit tests parse every file, so the diagnostics have no reader here.
  DiagnosticEngine diagnostics;
  slot.file = SourceFile::fromBytes(("tessera/stdlib/" + source.name).str(), source.text.str(),
                                    diagnostics);
  if (slot.file)
    slot.module = parseModule(*slot.file, diagnostics);
  slot.parsed = {slot.file.get(), slot.module.get()};
}

llvm::ArrayRef<StdlibFile> tessera::stdlibFiles() { return kFiles; }

llvm::ArrayRef<StdlibFunction> tessera::stdlibFunctions() { return kFunctions; }

const StdlibFunction *tessera::findStdlibFunction(llvm::StringRef name) {
  const StdlibFunction *found =
      llvm::lower_bound(kFunctions, name, [](const StdlibFunction &function, llvm::StringRef name) {
        return function.name < name;
      });
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

const ParsedStdlibFile *tessera::parsedStdlibFile(unsigned index) {
  static std::array<ParseSlot, std::size(kFiles)> slots;
  if (index >= slots.size())
    return nullptr;
  ParseSlot &slot = slots[index];
  std::call_once(slot.once, [&] { parseInto(slot, kFiles[index]); });
  return slot.parsed.module ? &slot.parsed : nullptr;
}
