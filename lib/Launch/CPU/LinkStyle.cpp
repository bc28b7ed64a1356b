//===- LinkStyle.cpp - linked variants for the CPU ------------------------===//
#include "../LinkVariant.h"

using namespace tessera;

aot::LinkStyle aot::hostLinkStyle() {
  return {.includes = "#include <stdint.h>\n"
                      "/* Functions return 0, or what those of the variants return (docs/abi.md of "
                      "Tessera); 4 if no\n * variant takes the arguments. */\n",
          .result = "int32_t",
          .firstType = "",
          .firstName = "",
          .invalidValue = "4",
          .noBinary = "4",
          .addressType = "",
          .findChip = "",
          .servesGeneration = false,
          .loads = false,
          .forms = {"", "_parallel"},
          .extraType = "unsigned",
          .extraName = "threads"};
}
