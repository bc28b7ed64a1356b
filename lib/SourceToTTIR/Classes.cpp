//===- Classes.cpp - named tuples and aggregates --------------------------===//
// A class that kernels may construct: a typing.NamedTuple, whose instances are
// tuples with field names, or one made by @tl.core._aggregate, whose instances
// are one value per field with jit methods.
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "Translator.h"

using namespace tessera;

FailureOr<Value> tessera::construct(Emitter &emit, const ClassDefinition &type,
                                    llvm::ArrayRef<CallArgument> arguments) {
  return emit.unsupportedAt(emit.range,
                            "objects of class '" + type.name + "' are not supported yet");
}
