//===- TypeFunctions.cpp - dtypes as objects: tl.pointer_type, tl.bloc----===//
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

llvm::ArrayRef<Builtin> tessera::typeBuiltins() { return {}; }
