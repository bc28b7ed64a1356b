//===- LiveValues.cpp - a program's values, from data and back ------------===//
// Requires: the document has passed checkProgram. What it says wrongly anyhow
// (an int where there is none) becomes an object that only an error can show.
//===----------------------------------------------------------------------===//
#include "LiveState.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "../Builtins/Builtins.h"
#include "../Host/HostInterpreter.h"
#include <cmath>

using namespace tessera;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Value readInt(llvm::StringRef digits) {
  bool isNegative = digits.consume_front("-");
  PythonInt number = PythonInt::parse(digits, 10);
  return Value(isNegative ? -number : number);
}

static double readFloat(llvm::StringRef text) {
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "-inf")
    return text == "inf" ? INFINITY : -INFINITY;
  llvm::APFloat number(llvm::APFloat::IEEEdouble());
  auto status = number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status)
    llvm::consumeError(status.takeError());
  return number.convertToDouble();
}

/// C's "%a", whatever the process's locale.
static std::string writeFloat(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number > 0 ? "inf" : "-inf";
  char text[64];
  unsigned length = llvm::APFloat(number).convertToHexString(
      text, /*hexDigits=*/0, /*upperCase=*/false, llvm::APFloat::rmNearestTiesToEven);
  return std::string(text, length);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

namespace {
/// {"module": ..., "members": ...} and {"object": ..., "members": ...}
class DataObject : public LiveObject {
public:
  DataObject(LiveProgram::State &program, const json::Object *members, LivePath path,
             std::string module)
      : program(program), members(members), path(std::move(path)), module(std::move(module)) {}

  std::optional<Value> member(llvm::StringRef name) override {
    if (auto found = known.find(name); found != known.end())
      return found->second;
    // The compiler computes functions like math.log2 itself, without asking Python.
    if (isLanguageModule(module))
      if (std::optional<Value> own = lookupModuleAttribute(module, name))
        return own;
    const json::Value *data = members ? members->get(name) : nullptr;
    if (!data) {
      program.askMember(path, name);
      return std::nullopt;
    }
    if (const json::Object *object = data->getAsObject(); object && object->get("absent"))
      return std::nullopt;
    return known[name] = program.value(*data, path.then(name));
  }

private:
  LiveProgram::State &program;
  const json::Object *members;
  LivePath path;
  std::string module; // empty for other objects
  llvm::StringMap<Value> known;
};
} // namespace

Value LiveProgram::State::languageValue(llvm::StringRef written) {
  std::string path = canonicalModulePath(written);
  if (isLanguageModule(path))
    return Value(ModuleObject{path});
  auto [parent, name] = llvm::StringRef(path).rsplit('.');
  if (isLanguageModule(parent)) {
    if (std::optional<Value> attribute = lookupModuleAttribute(parent, name))
      return *attribute;
    if (parent.starts_with("triton.language"))
      if (std::optional<Value> function = loader.languageFunction(name))
        return *function;
  } else if (isLanguageModule(parent.rsplit('.').first)) {
    // A member of a class of the language: triton.language.PropagateNan.ALL
    Value owner = languageValue(parent);
    DiagnosticEngine ignored;
    Emitter quiet(nullptr, ignored);
    std::unique_ptr<SourceFile> nowhere = SourceFile::fromBytes("<program>", "", ignored);
    quiet.file = nowhere.get();
    if (owner.is<BuiltinObject>())
      if (FailureOr<Value> member = readAttribute(quiet, owner, name); succeeded(member))
        return *member;
  }
  return Value(HostObject{path, "a part of the language that the compiler does not know"});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Value LiveProgram::State::value(const json::Value &data, const LivePath &path) {
  if (std::optional<bool> flag = data.getAsBoolean())
    return Value(*flag);
  if (std::optional<llvm::StringRef> text = data.getAsString())
    return Value(text->str());
  const json::Object *object = data.getAsObject();
  if (!object)
    return Value(NoneObject{});
  auto elements = [&](const json::Array &list) {
    std::vector<Value> values;
    for (const json::Value &element : list)
      values.push_back(value(element, LivePath{}));
    return values;
  };
  if (std::optional<llvm::StringRef> digits = object->getString("int"))
    return readInt(*digits);
  if (std::optional<llvm::StringRef> digits = object->getString("float"))
    return Value(readFloat(*digits));
  if (std::optional<llvm::StringRef> name = object->getString("dtype"))
    return Value(TypeObject{KernelType::parse(*name).value_or(KernelType{})});
  if (std::optional<llvm::StringRef> name = object->getString("language"))
    return languageValue(*name);
  if (std::optional<int64_t> index = object->getInteger("function"))
    return functionValue(*index);
  if (const json::Array *tuple = object->getArray("tuple")) {
    std::optional<int64_t> type = object->getInteger("class");
    return makeTuple(elements(*tuple), type ? classDefinition(*type) : nullptr);
  }
  if (std::optional<int64_t> index = object->getInteger("class"))
    return Value(ClassObject{classDefinition(*index)});
  if (const json::Array *list = object->getArray("list"))
    return makeList(elements(*list));
  if (const json::Array *set = object->getArray("set"))
    return makeSet(elements(*set));
  if (const json::Array *dict = object->getArray("dict")) {
    DictObject made{std::make_shared<std::vector<std::pair<Value, Value>>>()};
    for (const json::Value &item : *dict)
      if (const json::Array *pair = item.getAsArray(); pair && pair->size() == 2)
        made.items->emplace_back(value((*pair)[0], LivePath{}), value((*pair)[1], LivePath{}));
    return Value(std::move(made));
  }
  if (const json::Value *inner = object->get("constexpr"))
    return value(*inner, path).asConstexpr();
  const json::Object *members = object->getObject("members");
  if (std::optional<llvm::StringRef> name = object->getString("module")) {
    objects.push_back(std::make_unique<DataObject>(*this, members, path, name->str()));
    return Value(ModuleObject{name->str(), nullptr, objects.back().get()});
  }
  std::string what = object->getString("object").value_or("").str();
  objects.push_back(std::make_unique<DataObject>(*this, members, path, ""));
  std::string name = path.steps.empty() ? what : path.steps.back();
  llvm::StringRef type = what;
  bool isArray = type.ends_with("ndarray") || type.ends_with("Tensor");
  HostObject host{name, what + (isArray ? "; pass arrays as arguments of the kernel"
                                        : "; kernels read globals only as constants, so write " +
                                              name + " = tl.constexpr(...)")};
  host.live = objects.back().get();
  host.identity = object->getString("same").value_or("").str();
  return Value(std::move(host));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// {"function": 3}
static json::Value numbered(llvm::StringRef key, unsigned index) {
  return json::Value(json::Object{{key, int64_t(index)}});
}

std::optional<json::Value> LiveProgram::State::write(const Value &value, unsigned depth) {
  if (depth > Value::kMaxNesting)
    return std::nullopt;
  if (value.isNone())
    return json::Value(nullptr);
  if (const bool *flag = value.get<bool>())
    return json::Value(*flag);
  if (const PythonInt *integer = value.get<PythonInt>())
    return json::Value(json::Object{{"int", integer->str()}});
  if (const double *real = value.get<double>())
    return json::Value(json::Object{{"float", writeFloat(*real)}});
  if (const std::string *text = value.get<std::string>())
    return json::isUTF8(*text) ? std::optional(json::Value(*text)) : std::nullopt;
  if (const TypeObject *type = value.get<TypeObject>())
    return type->type.isBlock() || type->type.isBlockPointer()
               ? std::nullopt
               : std::optional(json::Value(json::Object{{"dtype", type->type.str()}}));
  if (std::optional<json::Value> named = writeNamed(value))
    return named;
  return writeContainer(value, depth);
}

std::optional<json::Value> LiveProgram::State::writeNamed(const Value &value) {
  if (const JitObject *jit = value.get<JitObject>())
    return jit->function->live.answers == this
               ? std::optional(numbered("function", jit->function->live.index))
               : std::nullopt;
  if (const FunctionObject *function = value.get<FunctionObject>())
    return function->function->live.answers == this
               ? std::optional(numbered("function", function->function->live.index))
               : std::nullopt;
  if (const ClassObject *type = value.get<ClassObject>()) {
    auto found = classNumbers.find(type->type);
    return found == classNumbers.end() ? std::nullopt
                                       : std::optional(numbered("class", found->second));
  }
  if (const BuiltinObject *builtin = value.get<BuiltinObject>())
    return json::Value(json::Object{{"language", builtin->builtin->path.str()}});
  if (const EnumObject *member = value.get<EnumObject>())
    return json::Value(json::Object{
        {"language", ("triton.language." + member->type + "." + member->member).str()}});
  if (const ModuleObject *module = value.get<ModuleObject>(); module && !module->live)
    return json::Value(json::Object{{"language", module->path}});
  return std::nullopt;
}

std::optional<json::Array> LiveProgram::State::writeAll(llvm::ArrayRef<Value> parts,
                                                        unsigned depth) {
  json::Array written;
  for (const Value &part : parts) {
    std::optional<json::Value> one = write(part, depth + 1);
    if (!one)
      return std::nullopt;
    written.push_back(std::move(*one));
  }
  return written;
}

std::optional<json::Value> LiveProgram::State::writeContainer(const Value &value, unsigned depth) {
  auto wrapped = [&](llvm::StringRef key,
                     const std::vector<Value> &parts) -> std::optional<json::Value> {
    std::optional<json::Array> written = writeAll(parts, depth);
    if (!written)
      return std::nullopt;
    return json::Value(json::Object{{key, std::move(*written)}});
  };
  if (const TupleObject *tuple = value.get<TupleObject>()) {
    std::optional<json::Value> written = wrapped("tuple", *tuple->elements);
    auto found = classNumbers.find(tuple->type);
    if (written && tuple->type && found == classNumbers.end())
      return std::nullopt;
    if (written && tuple->type)
      (*written->getAsObject())["class"] = int64_t(found->second);
    return written;
  }
  if (const ListObject *elements = value.get<ListObject>())
    return wrapped("list", *elements->elements);
  if (const SetObject *elements = value.get<SetObject>())
    return wrapped("set", *elements->elements);
  const DictObject *dict = value.get<DictObject>();
  if (!dict)
    return std::nullopt;
  json::Array items;
  for (const auto &[key, item] : *dict->items) {
    std::optional<json::Array> pair = writeAll({key, item}, depth);
    if (!pair)
      return std::nullopt;
    items.push_back(std::move(*pair));
  }
  return json::Value(json::Object{{"dict", std::move(items)}});
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static std::string writeText(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value; // keys are sorted: one question, one text
  return text;
}

void LiveProgram::State::askMember(const LivePath &path, llvm::StringRef name) {
  if (path.steps.empty() || !json::isUTF8(name))
    return;
  json::Array steps(path.steps);
  steps.push_back(name);
  ask(writeText(json::Object{
      {"member", json::Object{{path.root, int64_t(path.index)}, {"path", std::move(steps)}}}}));
}

std::string LiveProgram::State::describeCall(unsigned function,
                                             llvm::ArrayRef<CallArgument> arguments) {
  json::Array positional;
  json::Object keywords;
  for (const CallArgument &argument : arguments) {
    std::optional<json::Value> value = write(argument.value);
    if (!value || !json::isUTF8(argument.keyword))
      return "";
    if (argument.keyword.empty())
      positional.push_back(std::move(*value));
    else
      keywords[argument.keyword] = std::move(*value);
  }
  return writeText(json::Object{{"call", json::Object{{"function", int64_t(function)},
                                                      {"arguments", std::move(positional)},
                                                      {"keywords", std::move(keywords)}}}});
}

const HostAnswers::Answer *LiveProgram::State::answer(const std::string &call) {
  auto found = answers.find(call);
  return found == answers.end() ? nullptr : &found->second;
}

void LiveProgram::State::ask(const std::string &question) {
  if (!llvm::is_contained(asked, question))
    asked.push_back(question);
}
