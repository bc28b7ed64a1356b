//===- Construction.cpp - objects of named tuples and aggregates ----------===//
//   @tl.core._aggregate                   p = Point(x, 4)   x: a tensor, SCALE: 4
//   class Point:                          p.norm()          the jit function, with p
//       x: tl.tensor                                        as its first argument
//       SCALE: tl.constexpr
//       @triton.constexpr_function
//       def __init__(self, x, SCALE):     runs where the object is made; `self.x = x`
//           self.x = x                    sets a field, of the annotated type
//           self.SCALE = tl.constexpr(SCALE)
//===----------------------------------------------------------------------===//
#include "HostInterpreter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tessera;
using llvm::dyn_cast;

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

/// Checks a value against a field's annotation. An annotation that cannot be evaluated
/// accepts every value.
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

namespace {
/// The fields of the object that __init__ makes, under the name of its first parameter.
struct Fields : FieldAssigner {
  Fields(Emitter &emit, llvm::StringRef self, const ClassDefinition &type)
      : emit(emit), self(self), type(type) {}
  LogicalResult assign(const ast::Attribute *target, const Value &value, Scope &locals) override;

  Emitter &emit;
  llvm::StringRef self;
  const ClassDefinition &type;
};
} // namespace

LogicalResult Fields::assign(const ast::Attribute *target, const Value &value, Scope &locals) {
  auto *owner = dyn_cast<ast::Name>(target->value);
  llvm::StringRef field = ref(target->attr);
  if (!owner || ref(owner->id) != self)
    return emit.errorAt(target->range, "only the fields of the object that __init__ makes can be "
                                       "assigned");
  auto found = llvm::find(type.fields, field);
  if (found == type.fields.end())
    return emit.errorAt(target->range, "'" + type.name + "' has no field '" + field +
                                           "'; its fields are " + llvm::join(type.fields, ", "));
  size_t position = found - type.fields.begin();
  const ast::Expr *annotation = type.annotations[position];
  FailureOr<bool> fits =
      annotation ? isFieldType(emit, type, annotation, value) : FailureOr<bool>(true);
  if (failed(fits))
    return llvm::failure();
  if (!*fits) {
    (void)emit.errorAt(target->range, "the field '" + field + "' of '" + type.name +
                                          "' cannot be " + value.describe());
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, type.file);
    emit.noteAt(annotation->range, "the field is declared here");
    return llvm::failure();
  }
  const AggregateObject *object = locals[self].value.get<AggregateObject>();
  if (!object)
    return emit.errorAt(target->range, "'" + self + "' is no longer the object");
  std::vector<Value> fields = *object->fields;
  fields[position] = value;
  locals[self] = {Value(AggregateObject{&type, std::make_shared<const std::vector<Value>>(fields)}),
                  emit.range};
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
  Fields fields(emit, ref(self->arg), type);
  evaluator->define(fields.self, emptyObject(type));
  evaluator->construct(fields);
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
