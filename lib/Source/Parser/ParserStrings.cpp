//===- ParserStrings.cpp - numbers, strings, f-strings --------------------===//
// Adjacent literals are one: "a" f"{b}" "c" is a JoinedStr of three values in
// which neighbouring constants have been merged and empty ones dropped.
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "llvm/Support/Casting.h"
#include "../Lexer/Literals.h"

namespace tessera {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using namespace ast;

Expr *Parser::number() {
  auto *result = node<Constant>(tokenAt(pos).range);
  std::string error = parseNumber(textAt(pos), arena, *result);
  if (!error.empty())
    return raise(result, std::move(error));
  ++pos;
  return result;
}

Expr *Parser::strings() {
  if (!diagnosing)
    return stringsOnce();
  return remember<Expr>(Rule::Strings, [&] { return stringsOnce(); });
}

Expr *Parser::stringsOnce() {
  SourceLoc start = begin();
  Vec<Expr *> parts;
  while (at(Tok::String) || at(Tok::FStringStart)) {
    Pos mark = pos;
    Expr *part = at(Tok::String) ? string() : fstring();
    if (!part) {
      if (raised())
        return nullptr;
      pos = mark;
      break;
    }
    parts.push_back(part);
  }
  if (parts.empty())
    return nullptr;
  if (parts.size() == 1 && isa<Constant>(parts[0]))
    return parts[0];
  return concatenate(Seq<Expr *>(parts.data(), parts.size()), from(start));
}

Expr *Parser::string() {
  StringParts parts = splitString(textAt(pos));
  auto *result =
      constant(parts.bytes ? ConstantKind::Bytes : ConstantKind::Str, tokenAt(pos).range);
  ++pos;
  result->unicodePrefix = parts.unicode;
  if (!parts.bytes && (parts.raw || parts.body.find('\\') == std::string_view::npos)) {
    result->text = arena.copy(parts.body);
    return result;
  }
  std::string value;
  std::string error = parts.bytes ? decodeBytesBody(parts.body, parts.raw, value)
                                  : decodeStringBody(parts.body, parts.raw, value);
  if (!error.empty()) {
    bool ascii = error.starts_with('(');
    return ascii ? raiseAtLast(std::move(error)) : raise(result, std::move(error));
  }
  result->text = arena.copy(value);
  return result;
}

//===----------------------------------------------------------------------===//
// f-strings
//===----------------------------------------------------------------------===//

static bool isEmptyText(const Expr *expr) {
  auto *text = dyn_cast<Constant>(expr);
  return text && text->text.empty();
}

Expr *Parser::fstring() {
  DepthGuard guard(*this);
  if (!guard.ok)
    return nullptr;
  SourceLoc start = begin();
  std::string_view prefix = textAt(pos);
  bool raw = prefix.substr(0, 2).find_first_of("rR") != std::string_view::npos;
  ++pos;
  Vec<Expr *> values;
  while (at(Tok::FStringMiddle) || at(Tok::LBrace)) {
    Expr *value = at(Tok::LBrace) ? fstringField(raw) : fstringMiddle(raw);
    if (!value)
      return nullptr;
    if (auto *joined = dyn_cast<JoinedStr>(value)) // `{x=}` gives its text, too
      values.append(joined->values.begin(), joined->values.end());
    else if (!isEmptyText(value))
      values.push_back(value);
  }
  if (!accept(Tok::FStringEnd))
    return nullptr;
  auto *result = node<JoinedStr>(start);
  result->values = seq(values);
  return seal(result, {}, result->values);
}

Expr *Parser::fstringMiddle(bool raw) {
  auto *result = constant(ConstantKind::Str, tokenAt(pos).range);
  std::string value;
  std::string_view body = textAt(pos);
  // A backslash before a brace stands for itself.
  size_t slashes = body.size() - (body.find_last_not_of('\\') + 1);
  bool lone = !raw && slashes % 2 == 1;
  std::string error = decodeStringBody(body.substr(0, body.size() - lone), raw, value);
  if (lone)
    value += '\\';
  ++pos;
  if (!error.empty())
    return raiseAtLast(std::move(error));
  result->text = arena.copy(value);
  return result;
}

/// `{value = !conversion :spec}`
Expr *Parser::fstringField(bool raw) {
  Pos open = pos;
  SourceLoc start = begin();
  uint32_t textBegin = tokenAt(pos).end;
  ++pos;
  auto mismatch = [&]() -> Expr * {
    if (diagnosing && tryMistakes && !raised()) {
      pos = open;
      invalidReplacementField();
    }
    return nullptr;
  };
  Expr *value = yieldOrStarExpressions();
  if (!value)
    return mismatch();
  bool debug = accept(Tok::Equal);
  const Token after = tokenAt(pos); // ends the text that `=` shows
  SourceLoc debugEnd = after.range.begin;
  int conversion = -1;
  Pos conversionAt = pos + 1;
  if (at(Tok::Exclamation) && kindAt(pos + 1) == Tok::Name) {
    if (!fstringConversion(conversion))
      return nullptr;
  }
  Expr *spec = nullptr;
  if (at(Tok::Colon)) {
    SourceLoc specStart = begin();
    ++pos;
    spec = fstringFormatSpec(raw, specStart);
    if (!spec)
      return raised() ? nullptr : mismatch();
  }
  if (!accept(Tok::RBrace))
    return mismatch();
  if (conversion == 0)
    return raiseAtToken(conversionAt, "f-string: invalid conversion character '" +
                                          std::string(textAt(conversionAt)) +
                                          "': expected 's', 'r', or 'a'");

  auto *field = node<FormattedValue>(start);
  field->value = value;
  field->conversion = debug && conversion < 0 && !spec ? 'r' : conversion;
  field->format_spec = spec;
  if (!seal(field, {value, spec}) || !debug)
    return raised() ? nullptr : field;
  auto *text = constant(ConstantKind::Str, {{start.line, start.column + 1}, debugEnd});
  text->text = debugText(open + 1, textBegin, after.begin);
  Vec<Expr *> values{text, field};
  auto *result = node<JoinedStr>(start);
  result->values = seq(values);
  return seal(result, {}, result->values);
}

/// The source text between two offsets, as `{x=}` shows it: without comments.
std::string_view Parser::debugText(Pos first, uint32_t begin, uint32_t end) {
  std::string out;
  auto appendGap = [&](uint32_t from, uint32_t to) {
    for (std::string_view gap = lexer.text().substr(from, to - from); !gap.empty();) {
      size_t hash = std::min(gap.find('#'), gap.size());
      out += gap.substr(0, hash);
      gap.remove_prefix(std::min(gap.find('\n', hash), gap.size()));
    }
  };
  uint32_t at = begin;
  for (Pos i = first; tokenAt(i).begin < end; ++i) {
    const Token &token = tokenAt(i);
    if (token.begin < at || token.end == token.begin)
      continue;
    appendGap(at, token.begin);
    out += lexer.text().substr(token.begin, token.end - token.begin);
    at = token.end;
  }
  appendGap(at, end);
  return arena.copy(out);
}

bool Parser::fstringConversion(int &conversion) {
  Token bang = tokenAt(pos), letter = tokenAt(pos + 1);
  std::string_view text = textAt(pos + 1);
  pos += 2;
  if (bang.range.end != letter.range.begin) {
    raise(span(bang.range, letter.range),
          "f-string: conversion type must come right after the exclamation mark");
    return false;
  }
  bool known = text == "s" || text == "r" || text == "a";
  conversion = known ? text[0] : 0; // refused when the field is complete
  return true;
}

Expr *Parser::fstringFormatSpec(bool raw, SourceLoc start) {
  Vec<Expr *> parts;
  while (at(Tok::FStringMiddle) || at(Tok::LBrace)) {
    Expr *part = at(Tok::LBrace) ? fstringField(raw) : fstringMiddle(raw);
    if (!part)
      return nullptr;
    if (auto *joined = dyn_cast<JoinedStr>(part))
      parts.append(joined->values.begin(), joined->values.end());
    else
      parts.push_back(part);
  }
  SourceRange range = from(start);
  bool isEmpty =
      parts.size() == 1 && isa<Constant>(parts[0]) && cast<Constant>(parts[0])->text.empty();
  if (!parts.empty() && !isEmpty && (parts.size() > 1 || !isa<Constant>(parts[0]))) {
    auto *joined = node<JoinedStr>(range);
    joined->values = seq(parts);
    if (!seal(joined, {}, joined->values))
      return nullptr;
    Vec<Expr *> only{joined};
    return concatenate(Seq<Expr *>(only.data(), only.size()), range);
  }
  if (isEmpty)
    parts.clear();
  auto *result = node<JoinedStr>(range);
  result->values = seq(parts);
  return seal(result, {}, result->values);
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// One constant for a run of them.
Expr *Parser::joinConstants(Seq<Expr *> run) {
  if (run.size() == 1)
    return run[0];
  auto *first = cast<Constant>(run.front());
  auto *result = constant(first->type, span(first->range, run.back()->range));
  result->unicodePrefix = first->unicodePrefix;
  std::string text;
  for (Expr *part : run)
    text += cast<Constant>(part)->text;
  result->text = arena.copy(text);
  return result;
}

Expr *Parser::concatenate(Seq<Expr *> parts, SourceRange range) {
  bool anyBytes = false, anyText = false, anyJoined = false;
  Vec<Expr *> flat;
  for (Expr *part : parts) {
    if (auto *joined = dyn_cast<JoinedStr>(part)) {
      anyJoined = anyText = true;
      flat.append(joined->values.begin(), joined->values.end());
      continue;
    }
    bool isBytes = cast<Constant>(part)->type == ConstantKind::Bytes;
    (isBytes ? anyBytes : anyText) = true;
    flat.push_back(part);
  }
  if (anyBytes && anyText)
    return raiseAtLast("cannot mix bytes and nonbytes literals");
  if (!anyJoined)
    return joinConstants(Seq<Expr *>(flat.data(), flat.size()));
  Vec<Expr *> values, run;
  auto endRun = [&] {
    if (!run.empty()) {
      Expr *joined = joinConstants(Seq<Expr *>(run.data(), run.size()));
      if (!isEmptyText(joined))
        values.push_back(joined);
    }
    run.clear();
  };
  for (Expr *part : flat) {
    if (isa<Constant>(part)) {
      run.push_back(part);
      continue;
    }
    endRun();
    values.push_back(part);
  }
  endRun();
  auto *result = node<JoinedStr>(range);
  result->values = seq(values);
  return seal(result, {}, result->values);
}

} // namespace tessera
