//===- Precompiled.h - the tt dialect, precompiled ------------------------===//
// CMake precompiles this header together with lib/Support/Precompiled.h for the folders that use
// the tt dialect (lib/CMakeLists.txt lists them): parsing the declarations of its ops takes more
// than a second. Files still include what they use, and no file includes this header by name.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
