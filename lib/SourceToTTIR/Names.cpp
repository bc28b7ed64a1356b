//===- Names.cpp - what a name stands for, and what to say if nothing -----===//
// Local names come first, then the module's, then Python's own. A name that means
// nothing here gets the most that can be said about it: where a branch or a loop
// assigns it, what is spelt like it, what kernels write instead.
//===----------------------------------------------------------------------===//
#include "Translator.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

Value Translator::asTensor(const Value &value) {
  const UndefinedObject *undefined = value.get<UndefinedObject>();
  if (!undefined)
    return value;
  mlir::Type type = toIR(undefined->type, emit.context());
  return Value(
      Tensor{mlir::ub::PoisonOp::create(emit.builder, emit.location(), type), undefined->type});
}

FailureOr<Value> Translator::evaluateName(const ast::Name *name) {
  llvm::StringRef id = ref(name->id);
  if (auto found = locals.find(id); found != locals.end()) {
    const Value &value = found->second.value;
    if (value.is<ErrorObject>())
      return llvm::failure(); // it was reported where it failed
    if (found->second.isStale)
      staleReads.insert(id);
    return asTensor(value);
  }
  std::optional<Value> global = isHost() ? globals.lookupHost(id) : globals.lookup(id);
  if (global) {
    const HostObject *host = global->get<HostObject>();
    // An object of the host that tl.constexpr(...) wraps has attributes.
    if (host && !isHost() && !(host->live && global->isConstexpr()))
      return refuseHostObject(emit, *host);
    if (unsigned line = isHost() ? 0 : globals.guessedAt(id))
      emit.warnAt(emit.range, "'" + id + "' depends on a condition (line " + llvm::Twine(line) +
                                  ") that only Python can evaluate; its first branch was taken");
    return *global;
  }
  if (isHost())
    if (std::optional<Value> builtin = lookupHostBuiltin(id))
      return *builtin;
  if (std::optional<Value> builtin = lookupPythonBuiltin(id))
    return *builtin;
  return refuseName(name);
}

LogicalResult tessera::refuseHostObject(Emitter &emit, const HostObject &host) {
  if (!host.causes || host.causes->empty())
    return emit.error("'" + host.name + "' cannot be used in a kernel (" + host.why + ")");
  // The other file's own error, once; then the place that needs it.
  const Diagnostic &cause = host.causes->front();
  if (llvm::any_of(emit.diagnostics.diagnostics(), [&](const Diagnostic &reported) {
        return reported.path == cause.path && reported.range == cause.range &&
               reported.message == cause.message;
      }))
    return llvm::failure();
  emit.reportElsewhere(cause);
  emit.noteAt(emit.range, "'" + host.name + "' is used here (" + host.why + ")");
  return llvm::failure();
}

/// The last statement before `line`, else the first after it, that assigns `name`;
/// line 0 if none does.
static unsigned lineOfAssignment(ast::Seq<ast::Stmt *> body, llvm::StringRef name, unsigned line) {
  unsigned before = 0, after = 0;
  std::vector<const ast::Stmt *> pending(body.rbegin(), body.rend());
  auto add = [&](ast::Seq<ast::Stmt *> inner) {
    pending.insert(pending.end(), inner.rbegin(), inner.rend());
  };
  while (!pending.empty()) {
    const ast::Stmt *statement = pending.back();
    pending.pop_back();
    llvm::SmallVector<llvm::StringRef> names;
    collectAssignedNames(statement, names);
    if (!llvm::is_contained(names, name))
      continue;
    if (auto *conditional = dyn_cast<ast::If>(statement)) {
      add(conditional->orelse);
      add(conditional->body);
    } else if (auto *loop = dyn_cast<ast::While>(statement)) {
      add(loop->body);
    } else if (auto *loop = dyn_cast<ast::For>(statement);
               loop && !(llvm::isa<ast::Name>(loop->target) &&
                         llvm::cast<ast::Name>(loop->target)->id == std::string_view(name))) {
      add(loop->body);
    } else {
      unsigned at = statement->range.begin.line;
      if (at < line)
        before = at;
      else if (!after)
        after = at;
    }
  }
  return before ? before : after;
}

/// What to write instead of a function of Python that kernels do not have; empty
/// for any other name.
static llvm::StringRef adviceOnPythonBuiltin(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("abs", "; use tl.abs")
      .Case("sum", "; use tl.sum")
      .Case("bool", "; compare with 0, or use .to(tl.int1)")
      .Case("round", "; use tl.floor(x + 0.5)")
      .Case("pow", "; use ** on compile-time values")
      .Case("divmod", "; use // and %")
      .Cases({"any",        "all",    "sorted", "reversed", "zip",       "enumerate", "map",
              "filter",     "type",   "str",    "tuple",    "dict",      "set",       "complex",
              "bytes",      "repr",   "id",     "iter",     "next",      "open",      "input",
              "eval",       "exec",   "vars",   "dir",      "hash",      "ord",       "chr",
              "format",     "slice",  "object", "super",    "frozenset", "bytearray", "memoryview",
              "breakpoint", "setattr"},
             ": kernels compute with numbers, tensors and tuples")
      .Default("");
}

FailureOr<Value> Translator::refuseName(const ast::Name *name) {
  llvm::StringRef id = ref(name->id);
  if (auto found = lost.find(id); found != lost.end()) {
    (void)emit.error("'" + id + "' is not defined here: " + found->second.why);
    emit.noteAt(found->second.where, "'" + id + "' is assigned here");
    return llvm::failure();
  }
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

/// Errors that are about an operation's operands get a note for each that has a
/// name: its type, and where it got it.
void Translator::noteOperands(llvm::ArrayRef<const ast::Expr *> operands, size_t errorsBefore) {
  if (emit.errorCount() != errorsBefore + 1)
    return;
  llvm::SmallVector<llvm::StringRef> noted;
  for (const ast::Expr *operand : operands) {
    auto *name = dyn_cast<ast::Name>(operand);
    auto found = name ? locals.find(ref(name->id)) : locals.end();
    llvm::SmallVector<mlir::Value> handles;
    if (found != locals.end())
      flatten(found->second.value, handles);
    if (handles.empty() || llvm::is_contained(noted, found->first) ||
        !found->second.where.begin.line)
      continue;
    noted.push_back(found->first);
    const Value &value = found->second.value;
    emit.noteAt(found->second.where, "'" + found->first + "' is " +
                                         (value.is<TupleObject>() && value.leafCount() <= 16
                                              ? "the tuple " + typeText(value)
                                              : value.describe()) +
                                         ", from here");
  }
}
