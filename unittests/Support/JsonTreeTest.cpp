//===- JsonTreeTest.cpp - JSON to be read once ----------------------------===//
// parseJson decides which texts are JSON, and what they say.
//===----------------------------------------------------------------------===//
#include "tessera/Support/JsonTree.h"
#include "tessera/Support/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;
namespace json = llvm::json;

namespace {
/// Texts that are JSON, or nearly.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  std::string value(unsigned depth = 0) {
    switch (below(depth < 4 ? 9 : 5)) {
    case 0:
      return pick({"null", "true", "false"});
    case 1:
      return number();
    case 2:
    case 3:
    case 4:
      return string();
    case 5:
    case 6:
      return list('[', ']', [&] { return value(depth + 1); });
    default:
      return list('{', '}', [&] { return string() + space() + ":" + space() + value(depth + 1); });
    }
  }

  /// One edit: a byte is removed, added, changed or doubled, or the text is cut.
  void damage(std::string &text) {
    size_t place = below(unsigned(text.size()) + 1);
    switch (below(5)) {
    case 0:
      text.erase(std::min(place, text.size()), 1 + below(3));
      break;
    case 1:
      text.insert(place, 1, byte());
      break;
    case 2:
      if (place < text.size())
        text[place] = byte();
      break;
    case 3:
      text.insert(place, text.substr(place, below(12)));
      break;
    default:
      text.resize(place);
    }
  }

  unsigned below(unsigned limit) { return unsigned(random() % limit); }

private:
  std::string pick(std::initializer_list<const char *> choices) {
    return choices.begin()[below(unsigned(choices.size()))];
  }
  char byte() {
    static constexpr llvm::StringLiteral kTelling = "{}[]\":,\\ued0D8 \n\t-+.1eEntf\x01\x7f";
    return below(4) ? kTelling[below(unsigned(kTelling.size()))] : char(below(256));
  }
  std::string space() { return pick({"", "", "", " ", "\n  ", "\t\r"}); }
  std::string number() {
    if (below(2))
      return std::to_string(int(below(20000)) - 10000);
    return pick({"0",
                 "-0",
                 "007",
                 "+3",
                 "1.5",
                 "-2.5e-3",
                 "1e400",
                 "1E3",
                 "2.0",
                 "1.",
                 ".5",
                 "-",
                 "--1",
                 "1e",
                 "9223372036854775807",
                 "9223372036854775808",
                 "-9223372036854775808",
                 "-9223372036854775809",
                 "18446744073709551615",
                 "18446744073709551616",
                 "99999999999999999999999999999999999",
                 "123456789012345678",
                 "1234567890123456789"});
  }
  std::string string() {
    std::string text = "\"";
    for (unsigned i = below(5); i > 0; --i)
      text += pick({"a",
                    "b",
                    "key",
                    "x y",
                    "\\n",
                    "\\\"",
                    "\\\\",
                    "\\/",
                    "\\u0041",
                    "\\u00e9",
                    "\\u20ac",
                    "\\ud83d\\ude00",
                    "\\ud83d",
                    "\\ude00",
                    "\\ud83d\\ud83d\\ude00",
                    "\\ud800x",
                    "\\uD83Dx",
                    "\xc3\xa9",
                    "\xe2\x82\xac",
                    "\xf0\x9f\x98\x80",
                    "\\b"});
    return text + "\"";
  }
  template <typename Element> std::string list(char open, char close, Element element) {
    std::string text(1, open);
    unsigned count = below(8) == 0 ? 40 : below(5);
    for (unsigned i = 0; i < count; ++i)
      text += space() + element() + space() + (i + 1 < count ? "," : "");
    return text + space() + close;
  }
  std::mt19937 random;
};

std::string printed(const json::Value &value) { return llvm::formatv("{0}", value); }

/// llvm::json reads the surrogate pairs of characters from U+20000 on as other characters.
bool hasMisreadPair(llvm::StringRef text) {
  std::string lower = text.lower();
  unsigned digits;
  for (size_t at = 0; (at = lower.find("\\ud", at)) != std::string::npos; ++at)
    if (!llvm::StringRef(lower).substr(at + 3, 3).getAsInteger(16, digits) && digits >= 0x840 &&
        digits < 0xC00)
      return true;
  return false;
}

void expectSameAsParseJson(llvm::StringRef text) {
  llvm::Expected<json::Value> known = parseJson(text);
  llvm::Expected<JsonTree> tree = JsonTree::parse(text);
  ASSERT_EQ(bool(known), bool(tree)) << text.str();
  if (known && !hasMisreadPair(text))
    // Printed, as NaN and infinity do not equal themselves.
    EXPECT_EQ(printed(*known), printed(tree->root().copy())) << text.str();
  llvm::consumeError(known ? llvm::Error::success() : known.takeError());
  llvm::consumeError(tree ? llvm::Error::success() : tree.takeError());
}
} // namespace

TEST(JsonTree, ReadsWhatParseJsonReads) {
  Generator generator(1);
  for (unsigned i = 0; i < 10000; ++i)
    expectSameAsParseJson(generator.value());
}

TEST(JsonTree, RefusesWhatParseJsonRefuses) {
  Generator generator(2);
  unsigned accepted = 0, count = 30000;
  for (unsigned i = 0; i < count; ++i) {
    std::string text = generator.value();
    for (unsigned edits = 1 + generator.below(3); edits > 0; --edits)
      generator.damage(text);
    expectSameAsParseJson(text);
    accepted += bool(llvm::expectedToOptional(JsonTree::parse(text)));
  }
  EXPECT_GT(accepted, count / 20); // the edits leave some texts right
  EXPECT_LT(accepted, count - count / 20);
}

TEST(JsonTree, ReadsCutTexts) {
  std::string text = R"( {"a": [1, -2.5e3, "x\u00e9\n"], "b": {"c": null, "d": true}} )";
  for (size_t size = 0; size <= text.size(); ++size)
    expectSameAsParseJson(llvm::StringRef(text).take_front(size));
}

TEST(JsonTree, LimitsTheDepth) {
  for (size_t depth : {1u, 2u, kMaxJsonDepth - 1, kMaxJsonDepth, kMaxJsonDepth + 1, 100000u}) {
    std::string brackets = std::string(depth, '[') + std::string(depth, ']');
    expectSameAsParseJson(brackets);
    EXPECT_EQ(depth <= kMaxJsonDepth, bool(llvm::expectedToOptional(JsonTree::parse(brackets))));
    std::string open;
    for (size_t i = 0; i < depth; ++i)
      open += "{\"a\":";
    expectSameAsParseJson(open);
    expectSameAsParseJson(open + "1" + std::string(depth, '}'));
  }
}

TEST(JsonTree, NeedsUTF8) {
  for (llvm::StringRef text :
       {"\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"", "\xef\xbb\xbf{}"})
    expectSameAsParseJson(text);
}

TEST(JsonTree, SortsMembersAndKeepsTheLast) {
  llvm::Expected<JsonTree> tree =
      JsonTree::parse(R"({"b": 1, "a": 2, "c": 3, "a": {"x": 4}, "b": "last"})");
  ASSERT_TRUE(bool(tree));
  const JsonObject *object = tree->root().getAsObject();
  ASSERT_TRUE(object);
  std::string keys;
  for (const JsonMember &member : *object)
    keys += member.key;
  EXPECT_EQ("abc", keys);
  EXPECT_EQ(3u, object->size());
  EXPECT_EQ("last", object->getString("b"));
  EXPECT_EQ(3, object->getInteger("c"));
  ASSERT_TRUE(object->get("a") && object->get("a")->getAsObject());
  EXPECT_EQ(4, object->get("a")->getAsObject()->getInteger("x"));
  EXPECT_FALSE(object->get("d"));
  EXPECT_FALSE(object->getArray("a"));
  EXPECT_FALSE(object->getString("c"));
}

TEST(JsonTree, ReadsIntegersAsLLVMDoes) {
  for (const char *text : {"0", "-5", "2.0", "1e3", "1.5", "-1e300", "9.3e18", "-9.3e18",
                           "9223372036854775807", "9223372036854775808", "\"1\"", "true"}) {
    llvm::Expected<json::Value> known = parseJson(text);
    llvm::Expected<JsonTree> tree = JsonTree::parse(text);
    ASSERT_TRUE(known && tree) << text;
    EXPECT_EQ(known->getAsInteger(), tree->root().getAsInteger()) << text;
  }
}

TEST(JsonTree, ReadsSurrogatePairs) {
  llvm::Expected<JsonTree> tree = JsonTree::parse(R"("\ud840\udc00\udbff\udfff")");
  ASSERT_TRUE(bool(tree));
  EXPECT_EQ("\xf0\xa0\x80\x80\xf4\x8f\xbf\xbf", tree->root().getAsString());
}
