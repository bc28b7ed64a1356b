//===- Names.cpp - what a name stands for, and what to say if nothing -----===//
// Local names come first, then the module's, then Python's own. A name that means
// nothing here gets the most that can be said about it: where a branch or a loop
// assigns it, what is spelt like it, what kernels write instead.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"
#include "tessera/Source/Children.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

FailureOr<Value> Evaluator::evaluateName(const ast::Name *name) {
  llvm::StringRef id = ref(name->id);
  if (auto found = locals.find(id); found != locals.end()) {
    if (found->second.value.is<ErrorObject>())
      return llvm::failure(); // it was reported where it failed
    return readLocal(id, found->second);
  }
  FailureOr<std::optional<Value>> global = readGlobal(id);
  if (failed(global))
    return llvm::failure();
  if (*global)
    return **global;
  if (std::optional<Value> builtin = lookupPythonBuiltin(id))
    return *builtin;
  return refuseName(name);
}

/// The last statement before `line`, else the first after it, that assigns `name`;
/// line 0 if none does.
static unsigned lineOfAssignment(ast::Seq<ast::Stmt *> body, llvm::StringRef name, unsigned line) {
  unsigned before = 0, after = 0;
  std::vector<const ast::Stmt *> pending(body.rbegin(), body.rend());
  while (!pending.empty()) {
    const ast::Stmt *statement = pending.back();
    pending.pop_back();
    bool bindsIt = false;
    ast::forEachBoundName(statement, [&](ast::Identifier bound) { bindsIt |= ref(bound) == name; });
    if (bindsIt) {
      unsigned at = statement->range.begin.line;
      if (at < line)
        before = at;
      else if (!after)
        after = at;
    } else if (!ast::opensScope(statement)) {
      size_t first = pending.size();
      ast::forEachChild(statement,
                        {.statement = [&](const ast::Stmt *inner) { pending.push_back(inner); }});
      std::reverse(pending.begin() + first, pending.end());
    }
  }
  return before ? before : after;
}

/// Advice on what to write instead of a function of Python that kernels do not have.
/// Empty for any other name.
static llvm::StringRef adviceOnPythonBuiltin(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("abs", "; use tl.abs")
      .Case("sum", "; use tl.sum")
      .Case("bool", "; compare with 0, or use .to(tl.int1)")
      .Case("round", "; use tl.floor(x + 0.5)")
      .Case("pow", "; use ** on compile-time values")
      .Case("divmod", "; use // and %")
      .Case("breakpoint", " here: with TRITON_INTERPRET=1 it stops in pdb, where tensors are "
                          "arrays; print(\"x\", x) shows values without stopping")
      .Cases({"any",    "all",     "sorted",    "reversed",  "zip",        "enumerate",
              "map",    "filter",  "type",      "str",       "tuple",      "dict",
              "set",    "complex", "bytes",     "repr",      "id",         "iter",
              "next",   "open",    "input",     "eval",      "exec",       "vars",
              "dir",    "hash",    "ord",       "chr",       "format",     "slice",
              "object", "super",   "frozenset", "bytearray", "memoryview", "setattr"},
             ": kernels compute with numbers, tensors and tuples")
      .Default("");
}

FailureOr<Value> Evaluator::refuseName(const ast::Name *name) {
  llvm::StringRef id = ref(name->id);
  unsigned line = name->range.begin.line;
  if (unsigned assigned = lineOfAssignment(functionBody, id, line)) {
    if (assigned >= line)
      return emit.error("'" + id + "' is used before it is assigned, at line " +
                        llvm::Twine(assigned));
    return emit.error("'" + id + "' has no value on every path to here: line " +
                      llvm::Twine(assigned) +
                      " assigns it inside a branch or a loop; assign it before that too");
  }
  if (llvm::StringRef advice = adviceOnPythonBuiltin(id); !advice.empty())
    return emit.errorAt(name->range,
                        "Python's '" + id + "' is not part of the kernel language" + advice);
  std::string closest;
  unsigned distance = std::min<size_t>(3, id.size() / 2 + 1); // short words differ, not err
  for (const auto &[local, value] : locals) {
    unsigned current = id.edit_distance(local, true, distance);
    if (current < distance)
      closest = local.str(), distance = current;
  }
  if (id == "tl")
    return emit.error("'tl' is not defined; the file lacks 'import triton.language as tl'");
  return emit.error("'" + id + "' is not defined" +
                    (closest.empty() ? "" : "; did you mean '" + closest + "'?"));
}
