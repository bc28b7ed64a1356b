//===- ProgramCheck.cpp - whether a document is a program -----------------===//
// One walk over everything, before anything is used: whoever reads a program
// afterwards finds each field of the kind that docs/program.md says, and each
// number of a function or class within range. Cost: linear in the document.
//===----------------------------------------------------------------------===//
#include "LiveState.h"
#include "tessera/Kernel/Signature.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace tessera;
namespace json = llvm::json;

namespace {
/// Each check returns whether it holds; the first that does not sets `problem`.
struct Check {
  size_t functions = 0, classes = 0;
  std::vector<size_t> fields = {}; // per class
  std::string problem = {};
  ErrorDetails details = {}; // of a problem with an argument's type
  std::optional<unsigned> parameter = {};
  llvm::SmallVector<std::string> where = {};

  bool fail(const llvm::Twine &why) {
    if (problem.empty())
      problem = (llvm::join(where, "") + ": " + why).str();
    return false;
  }
  /// Runs a check one step further in.
  template <typename F> bool in(const llvm::Twine &step, F check) {
    where.push_back(step.str());
    bool holds = check();
    where.pop_back();
    return holds;
  }

  bool isText(const json::Object &object, llvm::StringRef key, bool isNeeded) {
    const json::Value *value = object.get(key);
    if (value ? value->getAsString().has_value() : !isNeeded)
      return true;
    return fail("'" + key + "' is a string");
  }
  bool isFlag(const json::Object &object, llvm::StringRef key) {
    const json::Value *value = object.get(key);
    return !value || value->getAsBoolean() || fail("'" + key + "' is true or false");
  }
  bool isNumber(const json::Value *value, size_t end, llvm::StringRef what) {
    std::optional<int64_t> number = value ? value->getAsInteger() : std::nullopt;
    if (number && *number >= 0 && size_t(*number) < end)
      return true;
    return fail("there is no such " + what);
  }
  bool areTexts(const json::Object &object, llvm::StringRef key) {
    const json::Value *value = object.get(key);
    if (!value)
      return true;
    const json::Array *list = value->getAsArray();
    if (list && llvm::all_of(*list, [](const json::Value &v) { return v.getAsString(); }))
      return true;
    return fail("'" + key + "' is a list of strings");
  }

  bool isInteger(llvm::StringRef text) {
    constexpr size_t kMostDigits = 20000; // as many as PythonInt holds
    text.consume_front("-");
    return (!text.empty() && text.size() < kMostDigits && llvm::all_of(text, llvm::isDigit)) ||
           fail("an int is its decimal digits");
  }
  bool isFloat(llvm::StringRef text) {
    if (text == "inf" || text == "-inf" || text == "nan")
      return true;
    llvm::StringRef digits = text;
    digits.consume_front("-");
    llvm::APFloat number(llvm::APFloat::IEEEdouble());
    if (text.size() < 100 && digits.starts_with("0x")) {
      auto status = number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
      if (status)
        return true;
      llvm::consumeError(status.takeError());
    }
    return fail("a float is in C's hexadecimal form, inf, -inf or nan");
  }

  bool members(const json::Object &object, llvm::StringRef key, bool mayBeAbsent = false) {
    const json::Value *value = object.get(key);
    if (!value)
      return true;
    const json::Object *named = value->getAsObject();
    if (!named)
      return fail("'" + key + "' is an object");
    for (const auto &[name, member] : *named) {
      const json::Object *absent = mayBeAbsent ? member.getAsObject() : nullptr;
      if (absent && absent->get("absent"))
        continue;
      const json::Value &checked = member;
      if (!in("." + llvm::StringRef(name), [&] { return isValue(checked); }))
        return false;
    }
    return true;
  }
  bool elements(const json::Value &list) {
    const json::Array *array = list.getAsArray();
    if (!array)
      return fail("this is a list");
    for (const auto &[i, element] : llvm::enumerate(*array)) {
      const json::Value &checked = element;
      if (!in("[" + llvm::Twine(i) + "]", [&] { return isValue(checked); }))
        return false;
    }
    return true;
  }
  bool isTupleClass(const json::Object &object, size_t size) {
    const json::Value *type = object.get("class");
    if (!type)
      return true;
    if (!isNumber(type, classes, "class"))
      return false;
    return fields[*type->getAsInteger()] == size ||
           fail("the class has " + llvm::Twine(fields[*type->getAsInteger()]) + " fields");
  }

  bool isValue(const json::Value &value) {
    if (value.kind() == json::Value::Null || value.getAsBoolean() || value.getAsString())
      return true;
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail("a value is null, a bool, a string or an object; {\"int\": \"5\"} is a number");
    auto textOf = [&](llvm::StringRef key) { return object->getString(key); };
    if (object->get("int"))
      return textOf("int") ? isInteger(*textOf("int")) : fail("an int is a string of digits");
    if (object->get("float"))
      return textOf("float") ? isFloat(*textOf("float")) : fail("a float is a string");
    if (object->get("dtype"))
      return (textOf("dtype") && KernelType::parse(*textOf("dtype"))) || fail("no such dtype");
    if (object->get("language"))
      return isText(*object, "language", true);
    if (const json::Value *function = object->get("function"))
      return isNumber(function, functions, "function");
    if (const json::Value *tuple = object->get("tuple"))
      return elements(*tuple) && isTupleClass(*object, tuple->getAsArray()->size());
    if (const json::Value *type = object->get("class"))
      return isNumber(type, classes, "class");
    for (llvm::StringRef list : {"list", "set"})
      if (const json::Value *found = object->get(list))
        return elements(*found);
    if (const json::Value *dict = object->get("dict"))
      return isDict(*dict);
    if (const json::Value *inner = object->get("constexpr"))
      return isValue(*inner);
    if (object->get("module"))
      return isText(*object, "module", true) && members(*object, "members", true);
    if (object->get("object"))
      return isText(*object, "object", true) && isText(*object, "same", false) &&
             members(*object, "members", true);
    return fail("there is no such kind of value");
  }
  bool isDict(const json::Value &value) {
    const json::Array *items = value.getAsArray();
    static const json::Array kNone;
    for (const json::Value &item : items ? *items : kNone) {
      const json::Array *pair = item.getAsArray();
      if (!pair || pair->size() != 2)
        return fail("a dict is a list of pairs");
      if (!isValue((*pair)[0]) || !isValue((*pair)[1]))
        return false;
    }
    return items || fail("a dict is a list of pairs");
  }

  bool isArgument(const json::Value &value) {
    if (std::optional<llvm::StringRef> text = value.getAsString()) {
      llvm::Expected<std::vector<SignatureEntry>> entries = parseSignature(*text);
      if (entries && entries->size() == 1)
        return true;
      if (entries)
        return fail("this is one argument");
      llvm::Error error = entries.takeError();
      details = detailsOf(error);
      details.parameter = parameter;
      return fail(llvm::toString(std::move(error)));
    }
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail("an argument is a string or an object");
    if (const json::Value *constant = object->get("constant"))
      return isValue(*constant);
    const json::Array *tuple = object->getArray("tuple");
    if (!tuple)
      return fail("an argument is a type, a constant or a tuple");
    for (const auto &[i, element] : llvm::enumerate(*tuple)) {
      const json::Value &checked = element;
      if (!in("[" + llvm::Twine(i) + "]", [&] { return isArgument(checked); }))
        return false;
    }
    return isTupleClass(*object, tuple->size());
  }

  /// Checks the fields that functions and classes have in common.
  bool isDefinition(const json::Object &object, llvm::ArrayRef<llvm::StringRef> kinds) {
    if (!isText(object, "name", true) || !isText(object, "module", false) ||
        !isText(object, "qualname", false) || !isText(object, "path", false) ||
        !isText(object, "text", false) || !members(object, "names") || !members(object, "defaults"))
      return false;
    std::optional<llvm::StringRef> kind = object.getString("kind");
    if (!kind || !llvm::is_contained(kinds, *kind))
      return fail("'kind' is " + llvm::join(kinds, ", "));
    std::optional<int64_t> line = object.getInteger("line");
    if (object.get("text") && (!line || *line < 1 || *line > LiveText::kMaxLine))
      return fail("'line' is a number from 1");
    return true;
  }
  bool isFunction(const json::Value &value) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail("a function is an object");
    const json::Value *mustUse = object->get("must_use_result");
    return isDefinition(*object, {"jit", "constexpr", "plain"}) && isFlag(*object, "noinline") &&
           isFlag(*object, "debug") && isFlag(*object, "builtin") &&
           areTexts(*object, "constexprs") &&
           (!mustUse || mustUse->kind() == json::Value::Null ||
            isText(*object, "must_use_result", true));
  }
  bool isClass(const json::Value &value) {
    const json::Object *object = value.getAsObject();
    return isDefinition(*object, {"namedtuple", "aggregate", "plain"}) &&
           members(*object, "members") && areTexts(*object, "fields") &&
           areTexts(*object, "static");
  }
  bool isCall(const json::Value &value) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail("a call is an object");
    if (!isNumber(object->get("function"), functions, "function"))
      return false;
    if (const json::Value *arguments = object->get("arguments"))
      if (!elements(*arguments))
        return false;
    const json::Value *result = object->get("result");
    if (!result && !object->getString("raises"))
      return fail("a call has a 'result', or says what it 'raises'");
    return members(*object, "keywords") &&
           (!result || in(".result", [&] { return isValue(*result); }));
  }

  template <typename F>
  bool all(const json::Object &program, llvm::StringRef key, bool isNeeded, F check) {
    const json::Value *value = program.get(key);
    if (!value && !isNeeded)
      return true;
    const json::Array *list = value ? value->getAsArray() : nullptr;
    if (!list)
      return in(key, [&] { return fail("this is a list"); });
    for (const auto &[i, element] : llvm::enumerate(*list)) {
      const json::Value &checked = element;
      if (!in(key + "[" + llvm::Twine(i) + "]", [&] { return check(checked); }))
        return false;
    }
    return true;
  }
  bool isProgram(const json::Value &document) {
    const json::Object *program = document.getAsObject();
    if (!program)
      return fail("a program is an object");
    if (program->getInteger("version") != 1)
      return fail("its version is not 1");
    if (const json::Array *list = program->getArray("functions"))
      functions = list->size();
    bool areClasses = all(*program, "classes", false, [&](const json::Value &type) {
      const json::Object *object = type.getAsObject();
      if (!object)
        return fail("a class is an object");
      const json::Array *names = object->getArray("fields");
      fields.push_back(names ? names->size() : 0);
      return true;
    });
    classes = fields.size();
    return areClasses && isText(*program, "symbol", false) && isFlag(*program, "plain_globals") &&
           all(*program, "functions", true, [&](const json::Value &f) { return isFunction(f); }) &&
           all(*program, "classes", false, [&](const json::Value &c) { return isClass(c); }) &&
           all(*program, "calls", false, [&](const json::Value &c) { return isCall(c); }) &&
           all(*program, "arguments", true,
               [&](const json::Value &a) {
                 parameter = parameter ? *parameter + 1 : 0;
                 return isArgument(a);
               }) &&
           in("kernel", [&] { return isNumber(program->get("kernel"), functions, "function"); });
  }
};
} // namespace

llvm::Error tessera::checkProgram(const json::Value &document) {
  Check check;
  if (check.isProgram(document))
    return llvm::Error::success();
  std::string sentence = "the program is not one that docs/program.md describes: " + check.problem;
  if (check.details.code.empty())
    return makeError(sentence);
  return llvm::make_error<DetailedError>(std::move(sentence), std::move(check.details));
}
