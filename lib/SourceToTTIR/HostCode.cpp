//===- HostCode.cpp - Python that runs at compile time --------------------===//
// Functions decorated with @triton.constexpr_function are run here, on
// compile-time values, by the same Translator that reads kernels: in host code
// nothing decays, loops run, and every truth is Python's. A budget of statements
// ends what would run forever.
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "Translator.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tessera;

FailureOr<std::vector<Value>> tessera::itemsOf(Emitter &emit, const Value &iterable) {
  if (const TupleObject *tuple = iterable.get<TupleObject>())
    return *tuple->elements;
  std::vector<Value> items;
  if (const DictObject *dict = iterable.get<DictObject>()) {
    for (const auto &[key, value] : *dict->items)
      items.push_back(key);
    return items;
  }
  return emit.error("cannot loop over " + iterable.describe());
}

FailureOr<Value> tessera::callHostFunction(Emitter &emit, const JitFunction &function,
                                           llvm::ArrayRef<CallArgument> arguments) {
  if (failed(emit.checkDepth()))
    return llvm::failure();
  FailureOr<std::vector<FormalParameter>> parameters = llvm::failure();
  {
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
    parameters = formalParameters(emit, function);
  }
  if (failed(parameters))
    return llvm::failure();
  FailureOr<std::vector<Value>> bound = bindParameters(emit, function, *parameters, arguments);
  if (failed(bound))
    return llvm::failure();
  FailureOr<Value> result = llvm::failure();
  {
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
    RangeScope scope(emit, function.definition->range);
    Translator translator(emit, *function.globals, CodeKind::Host);
    for (auto [parameter, value] : llvm::zip_equal(*parameters, *bound))
      translator.define(ref(parameter.node->arg), value, parameter.node->range);
    result = translator.executeFunction(function.definition->body);
  }
  if (failed(result))
    emit.noteAt(emit.range, "in the call of '" + function.name + "' here");
  return result;
}
