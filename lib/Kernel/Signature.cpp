//===- Signature.cpp - what each parameter of a kernel is -----------------===//
#include "tessera/Kernel/Signature.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;

std::vector<llvm::StringRef> tessera::splitSignature(llvm::StringRef text) {
  std::vector<llvm::StringRef> entries;
  char quote = 0;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(' || c == '[' || c == '<')
      ++depth;
    else if (c == ')' || c == ']' || c == '>')
      --depth;
    else if (c == ',' && depth <= 0) {
      entries.push_back(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  entries.push_back(text.substr(start).trim());
  return entries;
}

/// The end of an error message that names the type which somebody may have meant: fp32* is *fp32,
/// and *float is *fp32.
static std::string suggestType(llvm::StringRef text) {
  bool isPointer = text.consume_front("*") || text.consume_back("*");
  llvm::StringRef name = llvm::StringSwitch<llvm::StringRef>(text)
                             .Cases({"float", "float32", "f32"}, "fp32")
                             .Cases({"double", "float64", "f64"}, "fp64")
                             .Cases({"half", "float16", "f16"}, "fp16")
                             .Cases({"bfloat16"}, "bf16")
                             .Cases({"int", "int32"}, "i32")
                             .Cases({"long", "int64"}, "i64")
                             .Cases({"bool", "int1", "i1"}, "u1")
                             .Cases({"int8", "char"}, "i8")
                             .Cases({"int16", "short"}, "i16")
                             .Default(text);
  if (!DType::parse(name))
    return "";
  return ("; did you mean '" + llvm::Twine(isPointer ? "*" : "") + name + "'?").str();
}

static bool isConstantText(llvm::StringRef text) {
  if (text == "True" || text == "False" || text == "None")
    return true;
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    return true;
  if (llvm::StringRef name = text; name.consume_front("tl.")) {
    std::optional<DType> type = DType::parse(name);
    return type && type->languageName() == name;
  }
  // The text must start like a number: "inf" and "nan" would otherwise be parsed as one.
  llvm::StringRef digits = text;
  if (!digits.consume_front("-"))
    digits.consume_front("+");
  if (digits.empty() || !(llvm::isDigit(digits[0]) || digits[0] == '.'))
    return false;
  if (digits.size() > 1 && digits[0] == '0' && llvm::all_of(digits, llvm::isDigit))
    return false; // Python has no 010
  llvm::APInt integer;
  double number;
  return !digits.getAsInteger(0, integer) || !digits.getAsDouble(number);
}

/// "tensordesc<fp16[64,32]>", or "tensordesc<fp16[64,32],nan>"
static std::optional<KernelType> parseDescriptor(llvm::StringRef text, bool &padsWithNaN) {
  if (!text.consume_front("tensordesc<") || !text.consume_back(">"))
    return std::nullopt;
  padsWithNaN = text.consume_back(",nan");
  if (!text.consume_back("]"))
    return std::nullopt;
  auto [element, extents] = text.split('[');
  std::optional<KernelType> type = KernelType::parse(element);
  if (!type || type->isPointer() || (padsWithNaN && !type->isFloat()))
    return std::nullopt;
  for (llvm::StringRef extent : llvm::split(extents, ',')) {
    int64_t size;
    bool isPowerOfTwo = !extent.getAsInteger(10, size) && size > 0 && (size & (size - 1)) == 0;
    if (!isPowerOfTwo || size > kMaxBlockElements)
      return std::nullopt;
    type->shape.push_back(size);
  }
  bool isSmall = type->shape.size() <= 5;
  int64_t count = 1;
  for (int64_t size : type->shape)
    isSmall = isSmall && (count *= size) <= kMaxBlockElements;
  return isSmall ? type : std::nullopt;
}

using Problem = std::string;

/// One entry; a text instead says what is wrong with it.
static std::optional<Problem> parseEntry(llvm::StringRef text, SignatureEntry &entry,
                                         unsigned depth) {
  if (text.empty())
    return "empty; each parameter needs a type or a constant";
  entry.text = text.str();
  if (text.front() == '(' && text.back() == ')' && text.size() >= 2) {
    if (depth > 16)
      return "nested too deeply";
    entry.isTuple = entry.isConstant = true;
    llvm::StringRef inner = text.drop_front().drop_back().trim();
    inner.consume_back(","); // (i32,) has one element
    for (llvm::StringRef part :
         inner.empty() ? std::vector<llvm::StringRef>() : splitSignature(inner)) {
      SignatureEntry element;
      if (std::optional<Problem> problem = parseEntry(part, element, depth + 1))
        return problem;
      entry.isConstant = entry.isConstant && element.isConstant;
      entry.elements.push_back(std::move(element));
    }
    return std::nullopt;
  }
  if (isConstantText(text)) {
    entry.isConstant = true;
    return std::nullopt;
  }
  entry.text = llvm::join(llvm::split(text, ' '), "");
  if (llvm::StringRef(entry.text).starts_with("tensordesc<")) {
    llvm::StringRef descriptor = entry.text;
    if (descriptor.consume_back(":16"))
      entry.divisibility = 16;
    std::optional<KernelType> block = parseDescriptor(descriptor, entry.padsWithNaN);
    if (!block)
      return "a descriptor is tensordesc<fp16[64,32]>: an element type and up to five extents, "
             "each a power of two; tensordesc<fp16[64,32],nan> if NaN lies outside; then :16 if "
             "its "
             "tensor's last extent is a multiple of 16 bytes";
    entry.type = *block;
    entry.isDescriptor = true;
    return std::nullopt;
  }
  auto [typeText, hint] = llvm::StringRef(entry.text).split(':');
  std::optional<KernelType> type = KernelType::parse(typeText);
  if (!type)
    return "not a type and not a constant; types are " + DType::allNames() +
           ", each with * in front for a pointer" + suggestType(typeText);
  entry.type = *type;
  if (!text.contains(':'))
    return std::nullopt;
  if (entry.type.isPointer())
    entry.isSmall = hint.consume_back("S");
  if (hint == "16")
    entry.divisibility = 16;
  else if (hint == "1" && entry.type.isInt())
    entry.isFixedToOne = entry.isConstant = true;
  else if (!(hint.empty() && entry.isSmall))
    return "the hint after ':' is 16 (divisible by 16), or 1 (always 1) for an integer; for a "
           "pointer also S (its tensor has less than 2 GiB) or 16S";
  return std::nullopt;
}

llvm::Expected<std::vector<SignatureEntry>> tessera::parseSignature(llvm::StringRef text) {
  std::vector<SignatureEntry> signature;
  if (text.trim().empty())
    return signature;
  for (auto [position, entryText] : llvm::enumerate(splitSignature(text))) {
    SignatureEntry entry;
    if (std::optional<Problem> problem = parseEntry(entryText, entry, 0)) {
      std::string quoted = ("'" + entryText + "': " + *problem).str();
      return llvm::make_error<DetailedError>(
          ("entry " + llvm::Twine(position + 1) + " " + quoted).str(),
          ErrorDetails{
              .code = "argument-type", .parameter = unsigned(position), .problem = quoted});
    }
    signature.push_back(std::move(entry));
  }
  return signature;
}
