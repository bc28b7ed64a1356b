//===- ModuleClasses.cpp - the classes that a module defines --------------===//
// A class that kernels may construct: a NamedTuple, whose instances are tuples
// with field names, or one made by @tl.core._aggregate, whose instances are one
// value per field with jit methods (Host/Construction.cpp).
//===----------------------------------------------------------------------===//
#include "ModuleLoader.h"
#include "UnitScope.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;
using llvm::dyn_cast;

Value ModuleScope::defineClass(Unit &unit, const ast::ClassDef *definition) {
  auto type = std::make_unique<ClassDefinition>(
      ClassDefinition{std::string(definition->name), definition, &file, this});
  bool isKnown = true;
  for (const ast::Expr *base : definition->bases) {
    std::string path = pathOf(unit, base);
    if (path == "typing.NamedTuple" || path == "typing_extensions.NamedTuple")
      type->kind = ClassDefinition::NamedTuple;
    else
      isKnown = isKnown && (path == "object" || path == "enum.Enum" || path == "enum.IntEnum");
  }
  for (const ast::Expr *decorator : definition->decorator_list) {
    std::string path = pathOf(unit, decorator);
    if (path == "triton.language.core._aggregate" || path == "triton.language._aggregate")
      type->kind = ClassDefinition::Aggregate;
    else
      isKnown = false;
  }
  if (!isKnown && type->kind == ClassDefinition::Plain)
    return Value(HostObject{type->name, "line " + std::to_string(definition->range.begin.line) +
                                            ": a class that only Python can make"});
  defineMembers(unit, *type);
  classes.push_back(std::move(type));
  return Value(ClassObject{classes.back().get()});
}

void ModuleScope::defineMembers(Unit &unit, ClassDefinition &type) {
  for (const ast::Stmt *statement : type.definition->body) {
    if (auto *field = dyn_cast<ast::AnnAssign>(statement)) {
      auto *name = dyn_cast<ast::Name>(field->target);
      if (!name)
        continue;
      type.fields.push_back(std::string(name->id));
      type.annotations.push_back(field->annotation);
      type.defaults.push_back(std::nullopt);
      if (!field->value)
        continue;
      std::optional<Value> value = evaluateQuietly(unit, field->value);
      type.defaults.back() =
          value ? *value
                : Value(HostObject{std::string(name->id), "its default is known to Python only"});
    } else if (auto *assign = dyn_cast<ast::Assign>(statement)) {
      auto *name = assign->targets.size() == 1 ? dyn_cast<ast::Name>(assign->targets[0]) : nullptr;
      std::optional<Value> value =
          name ? evaluateQuietly(unit, assign->value) : std::optional<Value>();
      if (value)
        type.members[ref(name->id)] = *value;
    } else if (auto *function = dyn_cast<ast::FunctionDef>(statement)) {
      Value member = defineFunction(unit, function);
      for (const ast::Expr *decorator : function->decorator_list)
        if (pathOf(unit, decorator) == "staticmethod")
          type.staticMethods.insert(ref(function->name));
      // A plain method runs at compile time, like a constexpr function.
      if (member.is<FunctionObject>() && type.kind != ClassDefinition::Plain) {
        const JitFunction *made = makeJitFunction(function, function, unit, {});
        functions[function]->isConstexprFunction = true;
        member = Value(JitObject{made});
      }
      type.members[ref(function->name)] = member;
    }
  }
}

/// namedtuple("P", "x y"), namedtuple("P", ["x", "y"], defaults=(0,)),
/// NamedTuple("P", [("x", int), ("y", int)]).
std::optional<Value> ModuleScope::makeNamedTuple(Unit &unit, const ast::Call *call) {
  if (call->args.size() != 2)
    return std::nullopt;
  std::optional<Value> name = evaluateQuietly(unit, call->args[0]);
  std::optional<Value> names = evaluateQuietly(unit, call->args[1]);
  if (!name || !name->is<std::string>() || !names)
    return std::nullopt;
  auto type = std::make_unique<ClassDefinition>(
      ClassDefinition{*name->get<std::string>(), nullptr, &file, this});
  type->kind = ClassDefinition::NamedTuple;
  if (const std::string *text = names->get<std::string>()) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::SplitString(*text, parts, " ,\t\n");
    for (llvm::StringRef part : parts)
      type->fields.push_back(part.str());
  } else {
    const ListObject *list = names->get<ListObject>();
    const TupleObject *tuple = names->get<TupleObject>();
    if (!list && !tuple)
      return std::nullopt;
    for (const Value &item : list ? *list->elements : *tuple->elements) {
      const TupleObject *pair = item.get<TupleObject>();
      const Value &field = pair && !pair->elements->empty() ? pair->elements->front() : item;
      if (!field.is<std::string>())
        return std::nullopt;
      type->fields.push_back(*field.get<std::string>());
    }
  }
  type->annotations.resize(type->fields.size(), nullptr);
  type->defaults.resize(type->fields.size());
  for (const ast::Keyword *keyword : call->keywords) {
    std::optional<Value> values =
        keyword->arg == "defaults" ? evaluateQuietly(unit, keyword->value) : std::optional<Value>();
    const TupleObject *tuple = values ? values->get<TupleObject>() : nullptr;
    const ListObject *list = values ? values->get<ListObject>() : nullptr;
    if (!tuple && !list)
      continue;
    const std::vector<Value> &given = tuple ? *tuple->elements : *list->elements;
    if (given.size() > type->fields.size())
      return std::nullopt;
    for (auto [slot, value] : llvm::zip(llvm::reverse(type->defaults),
                                        llvm::reverse(given))) // the last fields have them
      slot = value;
  }
  classes.push_back(std::move(type));
  return Value(ClassObject{classes.back().get()});
}
