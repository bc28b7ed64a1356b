//===- Descriptors.cpp - tl.make_tensor_descriptor and a descriptor's ----===//
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

llvm::ArrayRef<Builtin> tessera::descriptorBuiltins() { return {}; }
