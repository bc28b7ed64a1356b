//===- LiveFunctions.cpp - a program's functions and classes --------------===//
// A function is its text, parsed at its place, with the names that the program
// gives it. One without text has a body that nobody reads: calls of it are
// questions.
//===----------------------------------------------------------------------===//
#include "LiveState.h"
#include "llvm/ADT/StringExtras.h"
#include "../Builtins/Builtins.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;
namespace json = llvm::json;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<Value> LiveScope::lookupHost(llvm::StringRef name) {
  if (auto found = known.find(name); found != known.end())
    return found->second;
  const json::Value *data = names ? names->get(name) : nullptr;
  if (!data)
    return std::nullopt;
  LivePath path = root;
  path.steps = {name.str()};
  return known[name] = program.value(*data, path);
}

std::optional<Value> LiveScope::lookup(llvm::StringRef name) {
  std::optional<Value> value = lookupHost(name);
  if (!value)
    return std::nullopt;
  return globalForKernels(name, *value, *file, /*where=*/"", program.allowsPlainGlobals);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static std::string textField(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

/// A module's name as part of a symbol.
static std::string symbolText(llvm::StringRef module) {
  std::string text = module.str();
  for (char &c : text)
    if (!llvm::isAlnum(c) && c != '_' && c != '.')
      c = '_';
  return text;
}

LiveText *LiveProgram::State::textOf(unsigned index, DiagnosticEngine &diagnostics) {
  Function &function = functions[index];
  const json::Object &data = *functionData[index];
  std::optional<llvm::StringRef> text = data.getString("text");
  if (!function.text && text)
    function.text = LiveText::parse(*text, textField(data, "path"),
                                    data.getInteger("line").value_or(1), diagnostics);
  return function.text.get();
}

std::unique_ptr<JitFunction> LiveProgram::State::makeFunction(unsigned index,
                                                              bool isConstexprFunction) {
  const json::Object &data = *functionData[index];
  Function &function = functions[index];
  auto made = std::make_unique<JitFunction>(
      JitFunction{textField(data, "name"), function.text->function, function.text->file.get(),
                  function.scope.get(), symbolText(textField(data, "module"))});
  made->isConstexprFunction = isConstexprFunction;
  made->isNoInline = data.getBoolean("noinline").value_or(false);
  made->isDebug = data.getBoolean("debug").value_or(false);
  made->takesConstexprs = data.getBoolean("builtin").value_or(false);
  if (std::optional<llvm::StringRef> message = data.getString("must_use_result"))
    made->mustUseResult =
        message->empty() ? "it is marked as a result that must be used" : message->str();
  made->live = {this, index, !data.get("text")};
  return made;
}

Value LiveProgram::State::functionValue(unsigned index) {
  Function &function = functions[index];
  if (function.value)
    return *function.value;
  const json::Object &data = *functionData[index];
  std::string name = textField(data, "name"), kind = textField(data, "kind");
  bool isPlain = kind == "plain", isConstexprFunction = kind == "constexpr";
  // Python's own functions that the compiler has too.
  if (isPlain && !data.get("text")) {
    std::string module = textField(data, "module");
    std::optional<Value> own = module == "math"       ? lookupModuleAttribute(module, name)
                               : module == "builtins" ? lookupHostBuiltin(name)
                                                      : std::nullopt;
    if (!own && module == "builtins")
      own = lookupPythonBuiltin(name);
    if (own)
      return *(function.value = own);
  }
  DiagnosticEngine problems;
  LiveText *text = textOf(index, problems);
  bool isOpaque = !text || (!text->function && !(isPlain && text->lambda));
  if (isOpaque && !isPlain && !isConstexprFunction) {
    std::shared_ptr<std::vector<Diagnostic>> causes;
    if (problems.hasErrors())
      causes = std::make_shared<std::vector<Diagnostic>>(problems.diagnostics());
    function.value = Value(
        HostObject{name, causes ? "its text has an error" : "its source is not known", causes});
    return *function.value;
  }
  if (isOpaque) {
    function.text = LiveText::parse("def opaque(*args, **kwargs): pass\n", textField(data, "path"),
                                    1, problems);
    text = function.text.get();
  }
  function.scope =
      std::make_unique<LiveScope>(*this, data.getObject("names"), LivePath{"function", index});
  function.scope->file = text->file.get();
  if (!isPlain) {
    function.jit = makeFunction(index, isConstexprFunction);
    function.jit->live.isOpaque = isOpaque;
    function.value = Value(JitObject{function.jit.get()});
    return *function.value;
  }
  const ast::FunctionDef *definition = text->function;
  PythonFunction plain{name,
                       definition ? definition->args : text->lambda->args,
                       definition ? definition->body : ast::Seq<ast::Stmt *>(),
                       definition ? nullptr : text->lambda->body,
                       definition ? definition->range : text->lambda->range,
                       text->file.get(),
                       function.scope.get()};
  plain.definition = definition;
  plain.live = {this, index, isOpaque};
  plain.takesConstexprs = data.getBoolean("builtin").value_or(false);
  function.value = Value(FunctionObject{std::make_shared<const PythonFunction>(std::move(plain))});
  return *function.value;
}

/// A plain method of a class that kernels construct runs at compile time.
Value LiveProgram::State::methodValue(unsigned index) {
  Value value = functionValue(index);
  const FunctionObject *plain = value.get<FunctionObject>();
  if (!plain || !plain->function->definition)
    return value;
  std::unique_ptr<JitFunction> &method = functions[index].method;
  if (!method) {
    method = makeFunction(index, /*isConstexprFunction=*/true);
    method->live.isOpaque = plain->function->live.isOpaque;
  }
  return Value(JitObject{method.get()});
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Adds the members that only the text of a class has: constants, and methods that the
/// program does not list.
void LiveProgram::State::makeMembers(Class &type, const json::Object &data) {
  ClassDefinition &definition = *type.definition;
  if (const json::Array *names = data.getArray("static"))
    for (const json::Value &name : *names)
      definition.staticMethods.insert(*name.getAsString());
  static const json::Object kNone;
  const json::Object *listed = data.getObject("members");
  for (const auto &[name, member] : listed ? *listed : kNone) { // no copy: values point into it
    const json::Object *object = member.getAsObject();
    std::optional<int64_t> function = object ? object->getInteger("function") : std::nullopt;
    bool isMethod = function && definition.kind != ClassDefinition::Plain;
    definition.members[llvm::StringRef(name)] =
        isMethod ? methodValue(*function) : value(member, LivePath{});
  }
  if (!definition.definition || definition.kind == ClassDefinition::Plain)
    return;
  for (const ast::Stmt *statement : definition.definition->body) {
    if (auto *field = dyn_cast<ast::AnnAssign>(statement)) {
      auto *name = dyn_cast<ast::Name>(field->target);
      auto found = name ? llvm::find(definition.fields, ref(name->id)) : definition.fields.end();
      if (found != definition.fields.end())
        definition.annotations[found - definition.fields.begin()] = field->annotation;
    } else if (auto *function = dyn_cast<ast::FunctionDef>(statement)) {
      for (const ast::Expr *decorator : function->decorator_list)
        if (auto *name = dyn_cast<ast::Name>(decorator); name && name->id == "staticmethod")
          definition.staticMethods.insert(ref(function->name));
      if (definition.members.contains(ref(function->name)))
        continue;
      type.methods.push_back(std::make_unique<JitFunction>(
          JitFunction{std::string(function->name), function, definition.file, definition.globals}));
      type.methods.back()->isConstexprFunction = true;
      definition.members[ref(function->name)] = Value(JitObject{type.methods.back().get()});
    }
  }
}

void LiveProgram::State::declareClass(unsigned index) {
  Class &type = classes[index];
  const json::Object &data = *classData[index];
  DiagnosticEngine ignored;
  if (std::optional<llvm::StringRef> text = data.getString("text"))
    type.text = LiveText::parse(*text, textField(data, "path"), data.getInteger("line").value_or(1),
                                ignored);
  if (!type.text)
    type.nowhere = SourceFile::fromBytes(textField(data, "path"), "", ignored);
  const SourceFile *file = type.text ? type.text->file.get() : type.nowhere.get();
  type.scope =
      std::make_unique<LiveScope>(*this, data.getObject("names"), LivePath{"class", index});
  type.scope->file = file;
  type.definition = std::make_unique<ClassDefinition>(ClassDefinition{
      textField(data, "name"), type.text ? type.text->type : nullptr, file, type.scope.get()});
  ClassDefinition &definition = *type.definition;
  classNumbers[&definition] = index;
  std::string kind = textField(data, "kind");
  definition.kind = kind == "namedtuple"  ? ClassDefinition::NamedTuple
                    : kind == "aggregate" ? ClassDefinition::Aggregate
                                          : ClassDefinition::Plain;
  if (const json::Array *fields = data.getArray("fields"))
    for (const json::Value &field : *fields)
      definition.fields.push_back(field.getAsString()->str());
  definition.annotations.resize(definition.fields.size(), nullptr);
  definition.defaults.resize(definition.fields.size());
}

const ClassDefinition *LiveProgram::State::classDefinition(unsigned index) {
  Class &type = classes[index];
  if (type.definition)
    return type.definition.get();
  declareClass(index);
  // Members may be classes whose members are classes, round in circles or without end: the
  // outermost call finishes them one after the other.
  unfinishedClasses.push_back(index);
  if (unfinishedClasses.size() > 1)
    return type.definition.get();
  for (size_t next = 0; next < unfinishedClasses.size(); ++next) {
    Class &each = classes[unfinishedClasses[next]];
    const json::Object &data = *classData[unfinishedClasses[next]];
    if (const json::Object *defaults = data.getObject("defaults"))
      for (auto [field, slot] : llvm::zip(each.definition->fields, each.definition->defaults))
        if (const json::Value *given = defaults->get(field))
          slot = value(*given, LivePath{});
    makeMembers(each, data);
  }
  unfinishedClasses.clear();
  return type.definition.get();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool LiveProgram::State::isConstexpr(unsigned function, llvm::StringRef parameter) {
  const json::Array *names = functionData[function]->getArray("constexprs");
  return names && llvm::any_of(*names, [&](const json::Value &name) {
           return name.getAsString() == parameter;
         });
}

bool LiveProgram::State::knowsDefaults(unsigned function) {
  return functionData[function]->getObject("defaults");
}

std::optional<Value> LiveProgram::State::defaultOf(unsigned function, llvm::StringRef parameter) {
  const json::Object *defaults = functionData[function]->getObject("defaults");
  const json::Value *data = defaults ? defaults->get(parameter) : nullptr;
  if (!data)
    return std::nullopt;
  return value(*data, LivePath{});
}
