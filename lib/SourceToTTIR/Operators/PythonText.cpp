//===- PythonText.cpp - str(), repr() and format() of compile-time values -===//
// Digits come from the C library's correctly rounded conversions; what Python
// does with them (when an exponent appears, how zeros are kept) is written here.
//===----------------------------------------------------------------------===//
#include "PythonText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "../Values/Definitions.h"
#include <charconv>
#include <cmath>

using namespace tessera;

//===----------------------------------------------------------------------===//
// repr and str
//===----------------------------------------------------------------------===//

/// "inf", "nan" or the digits and the decimal exponent of `number`.
static std::string exponentText(int exponent, char letter = 'e') {
  std::string digits = std::to_string(std::abs(exponent));
  return std::string(1, letter) + (exponent < 0 ? "-" : "+") +
         (digits.size() < 2 ? "0" + digits : digits);
}

/// The shortest digits that read back as the same number; an exponent from 1e16 on
/// and below 1e-4.
static std::string floatText(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(std::begin(buffer), std::end(buffer), std::fabs(number),
                           std::chars_format::scientific)
                 .ptr;
  auto [mantissa, power] = llvm::StringRef(buffer, end - buffer).split('e');
  int exponent = 0;
  (void)power.ltrim('+').getAsInteger(10, exponent);
  std::string digits = mantissa.str();
  std::erase(digits, '.');
  std::string sign = std::signbit(number) ? "-" : "";
  int count = digits.size();
  if (exponent < -4 || exponent >= 16)
    return sign + digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") +
           exponentText(exponent);
  if (exponent < 0)
    return sign + "0." + std::string(-exponent - 1, '0') + digits;
  if (count <= exponent + 1)
    return sign + digits + std::string(exponent + 1 - count, '0') + ".0";
  return sign + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

static std::string stringRepr(llvm::StringRef text) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\r')
      result += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, 2);
    else
      result += c;
  }
  return result + quote;
}

namespace {
/// Writes nested values; shared parts are written each time, up to a limit.
struct ReprWriter {
  std::string text;
  unsigned depth = 0;

  bool isFull() const { return depth > 200 || text.size() > kMaxTextBytes; }

  void list(llvm::StringRef open, const std::vector<Value> &elements, llvm::StringRef close) {
    text += open;
    bool isFirst = true;
    for (const Value &element : elements) {
      text += isFirst ? "" : ", ";
      isFirst = false;
      write(element);
      if (isFull())
        break;
    }
    text += close;
  }

  void dict(const DictObject &dict) {
    text += "{";
    bool isFirst = true;
    for (const auto &[key, value] : *dict.items) {
      text += isFirst ? "" : ", ";
      isFirst = false;
      write(key);
      text += ": ";
      write(value);
      if (isFull())
        break;
    }
    text += "}";
  }

  void namedTuple(const TupleObject &tuple) {
    text += tuple.type->name + "(";
    for (auto [name, element] : llvm::zip(tuple.type->fields, *tuple.elements)) {
      text += (text.back() == '(' ? "" : ", ") + name + "=";
      write(element);
    }
    text += ")";
  }

  void write(const Value &value) {
    if (isFull()) {
      text += "...";
      return;
    }
    ++depth;
    if (const TupleObject *tuple = value.get<TupleObject>()) {
      if (tuple->type)
        namedTuple(*tuple);
      else
        list("(", *tuple->elements, tuple->elements->size() == 1 ? ",)" : ")");
    } else if (const ListObject *object = value.get<ListObject>()) {
      list("[", *object->elements, "]");
    } else if (const SetObject *object = value.get<SetObject>()) {
      if (object->elements->empty())
        text += "set()";
      else
        list("{", *object->elements, "}");
    } else if (const DictObject *object = value.get<DictObject>()) {
      dict(*object);
    } else {
      text += leaf(value);
    }
    --depth;
  }

  static std::string leaf(const Value &value) {
    if (const double *number = value.get<double>())
      return floatText(*number);
    if (const PythonInt *number = value.get<PythonInt>())
      return number->str();
    if (const std::string *string = value.get<std::string>())
      return stringRepr(*string);
    if (const TypeObject *type = value.get<TypeObject>())
      return type->type.isPointer() || type->type.isBlock()
                 ? type->type.str()
                 : ("triton.language." + type->type.scalar.languageName()).str();
    if (const ConstexprTypeObject *type = value.get<ConstexprTypeObject>())
      return "constexpr_type[" + pythonStr(*type->value) + "]";
    if (value.is<EllipsisObject>())
      return "Ellipsis";
    return value.is<bool>() || value.isNone() ? value.describe() : "<" + value.describe() + ">";
  }
};
} // namespace

std::string tessera::pythonRepr(const Value &value) {
  ReprWriter writer;
  writer.write(value);
  return std::move(writer.text);
}

std::string tessera::pythonStr(const Value &value) {
  if (const std::string *text = value.get<std::string>())
    return *text;
  if (const TypeObject *type = value.get<TypeObject>())
    return dtypeName(type->type);
  return pythonRepr(value);
}

std::vector<llvm::StringRef> tessera::characters(llvm::StringRef text) {
  std::vector<llvm::StringRef> result;
  while (!text.empty()) {
    size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
      ++size;
    result.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Format specifications: [[fill]align][sign][#][0][width][grouping][.precision][type]
//===----------------------------------------------------------------------===//

namespace {
struct FormatSpec {
  std::string fill = " ";
  char align = 0; // < > ^ =, or 0 for the type's own
  char sign = '-';
  bool isAlternate = false;
  int64_t width = 0;
  char grouping = 0; // , or _
  std::optional<int64_t> precision = std::nullopt;
  char type = 0;
};
} // namespace

static bool isAlign(llvm::StringRef c) { return c == "<" || c == ">" || c == "^" || c == "="; }

static std::optional<FormatSpec> parseSpec(llvm::StringRef text) {
  constexpr int64_t kMaxWidth = 10000;
  FormatSpec spec;
  std::vector<llvm::StringRef> parts = characters(text);
  size_t at = 0;
  auto peek = [&] { return at < parts.size() ? parts[at] : llvm::StringRef(); };
  auto number = [&](int64_t &value) {
    bool any = false;
    value = 0;
    for (; !peek().empty() && llvm::isDigit(peek()[0]); ++at, any = true)
      value = std::min<int64_t>(value * 10 + (peek()[0] - '0'), kMaxWidth + 1);
    return any;
  };
  if (parts.size() > 1 && isAlign(parts[1])) {
    spec.fill = parts[0].str();
    spec.align = parts[1][0];
    at = 2;
  } else if (isAlign(peek())) {
    spec.align = parts[at++][0];
  }
  if (peek() == "+" || peek() == "-" || peek() == " ")
    spec.sign = parts[at++][0];
  if (peek() == "#")
    spec.isAlternate = true, ++at;
  if (peek() == "0") {
    ++at;
    if (!spec.align)
      spec.fill = "0", spec.align = '=';
  }
  number(spec.width);
  if (peek() == "," || peek() == "_")
    spec.grouping = parts[at++][0];
  if (peek() == ".") {
    ++at;
    int64_t precision;
    if (!number(precision))
      return std::nullopt;
    spec.precision = precision;
  }
  if (peek().size() == 1)
    spec.type = parts[at++][0];
  bool isTooLong = spec.width > kMaxWidth || spec.precision.value_or(0) > kMaxWidth;
  return at == parts.size() && !isTooLong ? std::optional(spec) : std::nullopt;
}

/// Pads `sign + body` to the width.
static std::string pad(const FormatSpec &spec, char defaultAlign, llvm::StringRef sign,
                       const std::string &body) {
  char align = spec.align ? spec.align : defaultAlign;
  int64_t missing = spec.width - static_cast<int64_t>(sign.size() + characters(body).size());
  auto fill = [&](int64_t count) {
    std::string result;
    for (int64_t i = 0; i < count; ++i)
      result += spec.fill;
    return result;
  };
  if (missing <= 0)
    return sign.str() + body;
  if (align == '<')
    return sign.str() + body + fill(missing);
  if (align == '=')
    return sign.str() + fill(missing) + body;
  if (align == '^')
    return fill(missing / 2) + sign.str() + body + fill(missing - missing / 2);
  return fill(missing) + sign.str() + body;
}

/// Separators between groups of digits, from the right.
static std::string group(const FormatSpec &spec, const std::string &digits, unsigned size,
                         int64_t minWidth) {
  if (!spec.grouping)
    return digits;
  std::string padded = digits;
  auto grouped = [&] {
    std::string result;
    for (size_t i = 0; i < padded.size(); ++i) {
      if (i && (padded.size() - i) % size == 0)
        result += spec.grouping;
      result += padded[i];
    }
    return result;
  };
  // Leading zeros are grouped too: f"{7:07,}" is 000,007.
  while (spec.fill == "0" && spec.align == '=' && static_cast<int64_t>(grouped().size()) < minWidth)
    padded = "0" + padded;
  return grouped();
}

static std::string signText(const FormatSpec &spec, bool isNegative) {
  if (isNegative)
    return "-";
  return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

static std::optional<std::string> formatInt(const FormatSpec &spec, const PythonInt &number) {
  if (spec.precision)
    return std::nullopt;
  unsigned radix = 10;
  std::string prefix;
  switch (spec.type) {
  case 'b':
    radix = 2, prefix = "0b";
    break;
  case 'o':
    radix = 8, prefix = "0o";
    break;
  case 'x':
    radix = 16, prefix = "0x";
    break;
  case 'X':
    radix = 16, prefix = "0X";
    break;
  case 0:
  case 'd':
  case 'n':
    break;
  default:
    return std::nullopt;
  }
  PythonInt magnitude = number.isNegative() ? -number : number;
  std::string digits = magnitude.str(radix);
  if (spec.type == 'X')
    digits = llvm::StringRef(digits).upper();
  std::string sign =
      signText(spec, number.isNegative()) + (spec.isAlternate && radix != 10 ? prefix : "");
  std::string body =
      group(spec, digits, radix == 10 ? 3 : 4, spec.width - static_cast<int64_t>(sign.size()));
  return pad(spec, '>', sign, body);
}

static std::string printed(const char *format, int64_t precision, double number) {
  int size = std::snprintf(nullptr, 0, format, static_cast<int>(precision), number);
  std::string text(size + 1, 0);
  std::snprintf(text.data(), text.size(), format, static_cast<int>(precision), number);
  text.pop_back();
  return text;
}

/// 'g', and no type with a precision: that one always shows a fraction or an exponent.
static std::string generalText(double number, int64_t precision, bool keepsPoint) {
  precision = std::max<int64_t>(precision, 1);
  std::string scientific = printed("%.*e", precision - 1, number);
  auto [mantissa, power] = llvm::StringRef(scientific).split('e');
  int exponent = 0;
  (void)power.ltrim('+').getAsInteger(10, exponent);
  std::string digits = mantissa.str();
  std::erase(digits, '.');
  llvm::StringRef kept = llvm::StringRef(digits).rtrim('0');
  if (kept.empty())
    kept = llvm::StringRef(digits).take_front(1);
  if (exponent < -4 || exponent >= precision - (keepsPoint ? 1 : 0))
    return kept.take_front(1).str() + (kept.size() > 1 ? "." + kept.drop_front(1).str() : "") +
           exponentText(exponent);
  std::string result;
  if (exponent < 0)
    return "0." + std::string(-exponent - 1, '0') + kept.str();
  size_t whole = exponent + 1;
  result = kept.take_front(whole).str() + std::string(whole - std::min(whole, kept.size()), '0');
  if (kept.size() > whole)
    return result + "." + kept.drop_front(whole).str();
  return keepsPoint ? result + ".0" : result;
}

static std::optional<std::string> formatFloat(const FormatSpec &spec, double number) {
  if (spec.isAlternate)
    return std::nullopt;
  double magnitude = std::fabs(number);
  bool isNegative = std::signbit(number) && !std::isnan(number);
  int64_t precision = spec.precision.value_or(6);
  std::string body, tail;
  char type = llvm::toLower(spec.type);
  if (type == '%')
    magnitude *= 100, tail = "%", type = 'f';
  if (!std::isfinite(number))
    body = std::isnan(number) ? "nan" : "inf";
  else if (type == 'f')
    body = printed("%.*f", precision, magnitude);
  else if (type == 'e')
    body = printed("%.*e", precision, magnitude);
  else if (type == 'g' || type == 'n')
    body = generalText(magnitude, precision, /*keepsPoint=*/false);
  else if (type == 0)
    body = spec.precision ? generalText(magnitude, precision, /*keepsPoint=*/true)
                          : floatText(magnitude);
  else
    return std::nullopt;
  if (llvm::isUpper(spec.type))
    body = llvm::StringRef(body).upper();
  size_t whole = body.find_first_not_of("0123456789");
  std::string rest = whole == std::string::npos ? "" : body.substr(whole);
  std::string sign = signText(spec, isNegative);
  int64_t room = spec.width - static_cast<int64_t>(sign.size() + rest.size() + tail.size());
  return pad(spec, '>', sign,
             (std::isfinite(number) ? group(spec, body.substr(0, whole), 3, room) : "") + rest +
                 tail);
}

LogicalResult tessera::countDigits(Emitter &emit, const Value &value) {
  const PythonInt *number = value.get<PythonInt>();
  unsigned bits = number ? number->bitWidth() : 0;
  return bits > 2048 ? emit.budget.countStatement(bits / 16) : llvm::success();
}

FailureOr<std::string> tessera::formatValue(Emitter &emit, const Value &value,
                                            llvm::StringRef text) {
  if (failed(countDigits(emit, value)))
    return llvm::failure();
  if (text.empty())
    return pythonStr(value);
  std::optional<FormatSpec> spec = parseSpec(text);
  std::optional<std::string> result;
  if (spec) {
    std::optional<PythonInt> integer = value.asInt();
    bool isFloatType = spec->type && llvm::StringRef("eEfFgG%").contains(spec->type);
    if (integer && spec->type == 'c' && integer->fitsUnsigned(20)) {
      std::string character;
      char buffer[4], *end = buffer;
      if (llvm::ConvertCodePointToUTF8(integer->toInt64(), end))
        result = pad(*spec, '<', "", std::string(buffer, end));
    } else if (integer && isFloatType) {
      result = formatFloat(*spec, integer->toDouble());
    } else if (integer) {
      result = formatInt(*spec, *integer);
    } else if (const double *number = value.get<double>()) {
      result = formatFloat(*spec, *number);
    } else if ((!spec->type || spec->type == 's') && value.is<std::string>()) {
      std::vector<llvm::StringRef> parts = characters(*value.get<std::string>());
      if (spec->precision && static_cast<size_t>(*spec->precision) < parts.size())
        parts.resize(*spec->precision);
      result = pad(*spec, '<', "", llvm::join(parts, ""));
    }
  }
  if (!result)
    return emit.error("the format '" + text + "' does not fit " + value.describe());
  return *result;
}

//===----------------------------------------------------------------------===//
// str.format and %
//===----------------------------------------------------------------------===//

/// One "{...}" of str.format, without the braces.
static FailureOr<std::string> formatField(Emitter &emit, llvm::StringRef field, size_t &next,
                                          llvm::ArrayRef<Value> arguments,
                                          llvm::ArrayRef<std::pair<std::string, Value>> named) {
  auto [head, spec] = field.split(':');
  auto [name, conversion] = head.split('!');
  const Value *value = nullptr;
  size_t index = 0;
  if (name.empty())
    index = next++;
  if (name.empty() || !name.getAsInteger(10, index)) {
    if (index < arguments.size())
      value = &arguments[index];
  } else {
    for (const auto &[key, candidate] : named)
      if (key == name)
        value = &candidate;
  }
  if (!value)
    return emit.error("format has no argument for '{" + field + "}'");
  if (conversion == "r" || conversion == "a")
    return formatValue(emit, Value(pythonRepr(*value)), spec);
  if (conversion == "s")
    return formatValue(emit, Value(pythonStr(*value)), spec);
  return formatValue(emit, *value, spec);
}

FailureOr<std::string> tessera::formatFields(Emitter &emit, llvm::StringRef text,
                                             llvm::ArrayRef<Value> arguments,
                                             llvm::ArrayRef<std::pair<std::string, Value>> named) {
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      result += text[++i];
      continue;
    }
    if (c == '}')
      return emit.error("a single '}' in a format text");
    if (c != '{') {
      result += c;
      continue;
    }
    size_t end = text.find('}', i);
    if (end == llvm::StringRef::npos)
      return emit.error("a single '{' in a format text");
    FailureOr<std::string> field =
        formatField(emit, text.slice(i + 1, end), next, arguments, named);
    if (failed(field))
      return llvm::failure();
    result += *field;
    i = end;
    if (result.size() > kMaxTextBytes)
      return emit.budget.error("this text is too long to compute with");
  }
  return result;
}

FailureOr<std::string> tessera::formatPercent(Emitter &emit, llvm::StringRef text,
                                              const Value &values) {
  std::vector<Value> arguments = {values};
  if (const TupleObject *tuple = values.get<TupleObject>())
    arguments = *tuple->elements;
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    size_t start = ++i;
    while (i < text.size() && llvm::StringRef("-+ #0123456789.").contains(text[i]))
      ++i;
    if (i < text.size() && text[i] == '%' && start == i) {
      result += '%';
      continue;
    }
    if (i == text.size() || next == arguments.size())
      return emit.error("'%' has no argument for part of the text '" + text + "'");
    char type = text[i] == 'i' || text[i] == 'u' ? 'd' : text[i];
    Value value = arguments[next++];
    if (type == 'r' || type == 's' || type == 'a') {
      value = Value(type == 's' ? pythonStr(value) : pythonRepr(value));
      type = 's';
    } else if (type == 'd' && value.is<double>()) {
      std::optional<PythonInt> truncated = PythonInt::fromDouble(*value.get<double>());
      if (truncated)
        value = Value(*truncated);
    }
    llvm::StringRef flags = text.slice(start, i);
    bool isLeft = flags.consume_front("-");
    FailureOr<std::string> field = formatValue(emit, value,
                                               ((isLeft        ? "<"
                                                 : type == 's' ? ">"
                                                               : "") +
                                                flags)
                                                       .str() +
                                                   type);
    if (failed(field))
      return llvm::failure();
    result += *field;
  }
  if (next != arguments.size() && values.is<TupleObject>())
    return emit.error("'%' has more arguments than the text '" + text + "' takes");
  return result;
}
