//===- Classes.cpp - named tuples and aggregates --------------------------===//
// A class that kernels may construct: a NamedTuple, whose instances are tuples
// with field names, or one made by @tl.core._aggregate, whose instances are one
// value per field with jit methods.
//
//   @tl.core._aggregate                   p = Point(x, 4)   x: a tensor, SCALE: 4
//   class Point:                          p.norm()          the jit function, with p
//       x: tl.tensor                                        as its first argument
//       SCALE: tl.constexpr
//       @triton.constexpr_function
//       def __init__(self, x, SCALE):     runs where the object is made; `self.x = x`
//           self.x = x                    sets a field, of the annotated type
//           self.SCALE = tl.constexpr(SCALE)
//===----------------------------------------------------------------------===//
#include "ModuleLoader.h"
#include "Program.h"
#include "UnitScope.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SaveAndRestore.h"
#include "Host/HostInterpreter.h"
#include "Host/PythonText.h"

using namespace tessera;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static FailureOr<Value> constructTuple(Emitter &emit, const ClassDefinition &type,
                                       llvm::ArrayRef<CallArgument> arguments) {
  std::vector<std::optional<Value>> values(type.fields.size());
  std::string takes = "'" + type.name + "' has the fields " + llvm::join(type.fields, ", ");
  size_t next = 0;
  for (const CallArgument &argument : arguments) {
    size_t slot = argument.keyword.empty()
                      ? next++
                      : llvm::find(type.fields, argument.keyword) - type.fields.begin();
    if (slot >= values.size())
      return emit.errorAt(argument.range, argument.keyword.empty()
                                              ? takes + ", and this is one value more"
                                              : takes + ", and not '" + argument.keyword + "'");
    if (values[slot])
      return emit.errorAt(argument.range,
                          "'" + type.name + "' got two values for '" + type.fields[slot] + "'");
    values[slot] = argument.value;
  }
  std::vector<Value> elements;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (!value && !type.defaults[i])
      return emit.error(takes + ", and '" + type.fields[i] + "' has no value");
    elements.push_back(value ? *value : *type.defaults[i]);
  }
  return makeTuple(std::move(elements), &type);
}

/// An object whose fields are not set yet.
static Value emptyObject(const ClassDefinition &type) {
  std::vector<Value> fields;
  for (const std::string &field : type.fields)
    fields.push_back(Value(HostObject{field, "__init__ has not set it yet"}));
  return Value(AggregateObject{&type, std::make_shared<const std::vector<Value>>(fields)});
}

void Evaluator::construct(llvm::StringRef self, const ClassDefinition &type) {
  constructedName = self;
  constructed = &type;
  define(self, emptyObject(type));
}

/// Whether the annotation of a field accepts the value; what cannot be told is accepted.
static FailureOr<bool> isFieldType(Emitter &emit, const ClassDefinition &type,
                                   const ast::Expr *annotation, const Value &value) {
  DiagnosticEngine ignored;
  Emitter quiet(emit.context(), ignored);
  quiet.file = type.file;
  quiet.modules = emit.modules;
  FailureOr<Value> expected = evaluateConstantExpression(quiet, *type.globals, annotation);
  if (failed(expected))
    return true;
  if (const BuiltinObject *object = expected->get<BuiltinObject>();
      object && object->builtin->path == "triton.language.constexpr")
    return !value.isTensor() && !value.is<DescriptorObject>() && !value.is<AggregateObject>();
  if (!expected->is<BuiltinObject>() && !expected->is<ClassObject>())
    return true;
  FailureOr<bool> result = isInstance(quiet, value, *expected);
  return failed(result) || *result;
}

LogicalResult Evaluator::assignField(const ast::Attribute *target, const Value &value) {
  auto *owner = dyn_cast<ast::Name>(target->value);
  llvm::StringRef field = ref(target->attr);
  if (!owner || ref(owner->id) != constructedName)
    return emit.errorAt(target->range, "only the fields of the object that __init__ makes can be "
                                       "assigned");
  auto found = llvm::find(constructed->fields, field);
  if (found == constructed->fields.end())
    return emit.errorAt(target->range, "'" + constructed->name + "' has no field '" + field +
                                           "'; its fields are " +
                                           llvm::join(constructed->fields, ", "));
  size_t position = found - constructed->fields.begin();
  const ast::Expr *annotation = constructed->annotations[position];
  FailureOr<bool> fits =
      annotation ? isFieldType(emit, *constructed, annotation, value) : FailureOr<bool>(true);
  if (failed(fits))
    return llvm::failure();
  if (!*fits) {
    (void)emit.errorAt(target->range, "the field '" + field + "' of '" + constructed->name +
                                          "' cannot be " + value.describe());
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, constructed->file);
    emit.noteAt(annotation->range, "the field is declared here");
    return llvm::failure();
  }
  const AggregateObject *object = locals[constructedName].value.get<AggregateObject>();
  if (!object)
    return emit.errorAt(target->range, "'" + constructedName + "' is no longer the object");
  std::vector<Value> fields = *object->fields;
  fields[position] = value;
  set(constructedName,
      Value(AggregateObject{constructed, std::make_shared<const std::vector<Value>>(fields)}));
  return llvm::success();
}

static FailureOr<Value> constructAggregate(Emitter &emit, const ClassDefinition &type,
                                           llvm::ArrayRef<CallArgument> arguments,
                                           TranslatorMaker makeTranslator) {
  auto found = type.members.find("__init__");
  const JitObject *init = found == type.members.end() ? nullptr : found->second.get<JitObject>();
  if (!init || init->function->definition->args->args.empty())
    return emit.error("'" + type.name + "' has no __init__(self, ...) that sets its fields");
  if (failed(emit.budget.checkDepth()))
    return llvm::failure();
  const JitFunction &function = *init->function;
  const ast::Arg *self = function.definition->args->args[0];
  llvm::SmallVector<CallArgument> all = {{"", emptyObject(type), emit.range}};
  for (const CallArgument &argument : arguments)
    if (argument.keyword != "_semantic" && argument.keyword != "_generator")
      all.push_back(argument);
  std::unique_ptr<Evaluator> evaluator;
  if (makeTranslator && !function.isConstexprFunction)
    evaluator = makeTranslator(function);
  else
    evaluator = std::make_unique<HostInterpreter>(emit, *function.globals);
  if (failed(bindHostParameters(emit, function, all, *evaluator)))
    return llvm::failure();
  evaluator->construct(ref(self->arg), type);
  FailureOr<Value> result = llvm::failure();
  {
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
    llvm::SaveAndRestore<llvm::StringRef> unnamed(emit.resultName, "");
    RangeScope scope(emit, function.definition->range);
    result = evaluator->executeFunction(function.definition->body);
  }
  if (failed(result)) {
    emit.noteAt(emit.range, "in the construction of '" + type.name + "' here");
    return llvm::failure();
  }
  auto made = evaluator->scope().find(ref(self->arg));
  const AggregateObject *object =
      made == evaluator->scope().end() ? nullptr : made->second.value.get<AggregateObject>();
  if (!object)
    return emit.error("'" + type.name + "' was not constructed");
  for (auto [name, value] : llvm::zip(type.fields, *object->fields))
    if (value.is<HostObject>())
      return emit.error("__init__ of '" + type.name + "' does not set the field '" + name + "'");
  return Value(*object);
}

FailureOr<Value> tessera::construct(Emitter &emit, const ClassDefinition &type,
                                    llvm::ArrayRef<CallArgument> arguments,
                                    TranslatorMaker makeTranslator) {
  switch (type.kind) {
  case ClassDefinition::NamedTuple:
    return constructTuple(emit, type, arguments);
  case ClassDefinition::Aggregate:
    return constructAggregate(emit, type, arguments, makeTranslator);
  default:
    return emit.error("objects of the plain class '" + type.name +
                      "' exist in Python only; kernels construct NamedTuple classes and those "
                      "made by @tl.core._aggregate");
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A method, bound to the object unless it is static.
static std::optional<Value> memberOf(const ClassDefinition &type, const Value *object,
                                     llvm::StringRef name) {
  auto found = type.members.find(name);
  if (found == type.members.end())
    return std::nullopt;
  const JitObject *function = found->second.get<JitObject>();
  if (!function || !object || type.staticMethods.contains(name))
    return found->second;
  return makeMethod(*object, nullptr, function->function);
}

std::optional<Value> tessera::objectAttribute(const Value &value, llvm::StringRef name) {
  const TupleObject *tuple = value.get<TupleObject>();
  const AggregateObject *aggregate = value.get<AggregateObject>();
  const ClassDefinition *type = tuple ? tuple->type : aggregate ? aggregate->type : nullptr;
  if (type) {
    const std::vector<Value> &parts = tuple ? *tuple->elements : *aggregate->fields;
    for (auto [field, part] : llvm::zip(type->fields, parts))
      if (field == name)
        return part;
    if (name == "_fields" && tuple) {
      std::vector<Value> names;
      for (const std::string &field : type->fields)
        names.push_back(Value(field));
      return makeTuple(std::move(names));
    }
    if (std::optional<Value> member = memberOf(*type, &value, name))
      return member;
  }
  if (const ClassObject *object = value.get<ClassObject>()) {
    if (name == "__name__")
      return Value(object->type->name);
    return memberOf(*object->type, nullptr, name);
  }
  if (name == "__name__") {
    if (const JitObject *object = value.get<JitObject>())
      return Value(object->function->name);
    if (const FunctionObject *object = value.get<FunctionObject>())
      return Value(object->function->name);
    if (const BuiltinObject *object = value.get<BuiltinObject>())
      return Value(object->builtin->name().str());
  }
  if (const SliceObject *slice = value.get<SliceObject>()) {
    auto bound = [](const std::optional<PythonInt> &number) {
      return number ? Value(*number) : Value();
    };
    if (name == "start")
      return bound(slice->start);
    if (name == "stop")
      return bound(slice->stop);
    if (name == "step")
      return bound(slice->step);
  }
  return lookupHostMethod(value, name);
}
