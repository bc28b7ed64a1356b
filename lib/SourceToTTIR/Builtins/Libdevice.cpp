//===- Libdevice.cpp - tl.extra.cuda.*: libdevice, and what only a GPU----===//
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

llvm::ArrayRef<Builtin> tessera::libdeviceBuiltins() { return {}; }
