//===- Signature.cpp - what each parameter of a kernel is -----------------===//
#include "tessera/SourceToTTIR/Signature.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

/// Commas inside quotes belong to the text.
static std::vector<llvm::StringRef> splitEntries(llvm::StringRef text) {
  std::vector<llvm::StringRef> entries;
  char quote = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == ',') {
      entries.push_back(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  entries.push_back(text.substr(start).trim());
  return entries;
}

static bool isConstantText(llvm::StringRef text) {
  if (text == "True" || text == "False" || text == "None")
    return true;
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    return true;
  // Only what starts like a number: "inf" and "nan" would otherwise read as one.
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

static std::string knownTypes() {
  return llvm::join(
      llvm::map_range(DType::all(), [](DType::Kind kind) { return DType(kind).name(); }), " ");
}

llvm::Expected<std::vector<SignatureEntry>> tessera::parseSignature(llvm::StringRef text) {
  std::vector<SignatureEntry> signature;
  if (text.trim().empty())
    return signature;
  for (auto [position, entryText] : llvm::enumerate(splitEntries(text))) {
    auto fail = [&](const llvm::Twine &message) {
      return llvm::createStringError("signature entry " + llvm::Twine(position + 1) + " '" +
                                     entryText + "': " + message);
    };
    if (entryText.empty())
      return fail("empty; each parameter needs a type or a constant");
    SignatureEntry entry;
    entry.text = llvm::join(llvm::split(entryText, ' '), "");
    if (isConstantText(entryText)) {
      entry.text = entryText.str();
      entry.isConstant = true;
      signature.push_back(std::move(entry));
      continue;
    }
    auto [typeText, hint] = llvm::StringRef(entry.text).split(':');
    std::optional<KernelType> type = KernelType::parse(typeText);
    if (!type)
      return fail("not a type and not a constant; types are " + knownTypes() +
                  ", each with * in front for a pointer");
    entry.type = *type;
    if (entryText.contains(':')) {
      if (hint == "16")
        entry.divisibility = 16;
      else if (hint == "1" && entry.type.isInt())
        entry.isFixedToOne = entry.isConstant = true;
      else
        return fail("the hint after ':' is 16 (divisible by 16), or 1 (always 1) for an integer");
    }
    signature.push_back(std::move(entry));
  }
  return signature;
}
