//===- BlockPointers.cpp - tl.make_block_ptr and tl.advance --------------===//
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

llvm::ArrayRef<Builtin> tessera::blockPointerBuiltins() { return {}; }
