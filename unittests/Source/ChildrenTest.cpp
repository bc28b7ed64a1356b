//===- ChildrenTest.cpp - the visitor over the syntax tree ----------------===//
// The walks of these tests reach a node only through forEachChild(), and are
// compared with what the dump of the whole tree contains.
//===----------------------------------------------------------------------===//
#include "tessera/Source/Children.h"
#include "SourceTesting.h"
#include "llvm/Support/Casting.h"
#include <gtest/gtest.h>

using namespace tessera;
using llvm::dyn_cast;

namespace {

/// Every form of expression, statement and pattern that has children.
constexpr const char *kEverything = R"(
import m.n, o as p
from q import r as s, t
@decorated(d1)
def f[T: bound](a: an1, /, b: an2 = de1, *c: an3, d: an4 = de2, **e: an5) -> ret:
    global g1
    return v1
async def g(x):
    async for i in x: await x.y
    async with x as w: yield x
    yield from x
@decorated
class C[U](base, metaclass=meta):
    field: an6 = v2
    declared: an7
type Alias[V: b2] = v3
x1 = x2[x3:x4:x5] = x6.attr = v4
x7 += v5
del x8, x9[v6]
for t1, (t2, *t3) in v7:
    break
else:
    continue
while v8: pass
else: v9
if v10: v11
elif v12: v13
else: v14
with v15 as t4, v16: v17
match v18:
    case 1 | m1.a if v19: v20
    case [c1, *c2]: v21
    case {m2.b: c3, **c4}: v22
    case K(c5, kw=c6) as c7: v23
    case None | _: v24
try: v25
except E1 as e1: v26
else: v27
finally: v28
try: v29
except* E2: v30
assert v31, v32
raise v33 from v34
nonlocal_ = lambda a1, a2=v35: (a1, v36)
b1 = v37 and v38 or not v39
b2 = (w1 := v40) + v41
b3 = v42 if v43 else v44
b4 = {v45: v46, **v47}, {v48, *v49}, [v50]
b5 = [i1 for i1 in v51 if v52], {i2 for i2 in v53}, (i3 for i3 in v54 for i4 in v55)
b6 = {i5: (w2 := i6) for i5, i6 in v56}
b7 = v57 < v58 in v59
b8 = call(v60, *v61, key=v62, **v63)
b9 = f"{v64!r:{v65}}"
)";

struct NameWalk {
  std::vector<std::string> names = {};

  void walk(const ast::Expr *node) {
    if (auto *name = dyn_cast<ast::Name>(node))
      names.push_back(std::string(name->id));
    ast::forEachChild(node, [&](const ast::Expr *child) { walk(child); });
  }
  void walk(const ast::Pattern *node) {
    ast::forEachChild(node, {.expression = [&](const ast::Expr *child) { walk(child); },
                             .pattern = [&](const ast::Pattern *child) { walk(child); }});
  }
  void walk(const ast::Stmt *node) {
    ast::forEachChild(node, {.statement = [&](const ast::Stmt *child) { walk(child); },
                             .expression = [&](const ast::Expr *child) { walk(child); },
                             .pattern = [&](const ast::Pattern *child) { walk(child); }});
  }
};

size_t countOf(const std::string &text, const std::string &word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The names in a module, in the order of the walk.
std::string namesIn(const std::string &text) {
  Parsed parsed(text);
  NameWalk walk;
  if (!parsed.module)
    return check(text);
  for (const ast::Stmt *statement : parsed.module->body)
    walk.walk(statement);
  return joined(walk.names);
}

/// The names that the first statement binds itself.
std::string boundBy(const std::string &text) {
  Parsed parsed(text);
  std::vector<std::string> names;
  if (!parsed.module)
    return check(text);
  ast::forEachBoundName(parsed.module->body[0],
                        [&](ast::Identifier name) { names.push_back(std::string(name)); });
  return joined(names);
}

} // namespace

TEST(Children, EveryNameOfTheTreeIsReachedOnce) {
  Parsed parsed(kEverything);
  ASSERT_TRUE(parsed.module) << check(kEverything);
  for (const ast::Stmt *statement : parsed.module->body) {
    NameWalk walk;
    walk.walk(statement);
    std::string tree = dump(*statement);
    EXPECT_EQ(walk.names.size(), countOf(tree, "Name(id=")) << tree;
    for (const std::string &name : walk.names)
      EXPECT_NE(tree.find("Name(id='" + name + "'"), std::string::npos) << name;
  }
}

TEST(Children, ValuesComeBeforeTheirTargets) {
  EXPECT_EQ(namesIn("a = b = c"), "c a b");
  EXPECT_EQ(namesIn("a: b = c"), "b c a");
  EXPECT_EQ(namesIn("a += b"), "a b");
  EXPECT_EQ(namesIn("for a in b: c"), "b a c");
  EXPECT_EQ(namesIn("with a as b: c"), "a b c");
  EXPECT_EQ(namesIn("[a for b in c if d]"), "c b d a");
  EXPECT_EQ(namesIn("(a := b)"), "b a");
  EXPECT_EQ(namesIn("@a\ndef f(x: b = c) -> d: e"), "a b c d e");
}

TEST(Children, StatementsBindTheirOwnNamesOnly) {
  EXPECT_EQ(boundBy("a, (b, *c), d.e, f[0] = x"), "a b c");
  EXPECT_EQ(boundBy("a += 1"), "a");
  EXPECT_EQ(boundBy("a: int"), "a");
  EXPECT_EQ(boundBy("del a, b[0]"), "a");
  EXPECT_EQ(boundBy("for a in x:\n  b = 1"), "a");
  EXPECT_EQ(boundBy("with x as (a, b), y as c:\n  d = 1"), "a b c");
  EXPECT_EQ(boundBy("import a.b, c.d as e"), "a e");
  EXPECT_EQ(boundBy("from m import a, b as c"), "a c");
  EXPECT_EQ(boundBy("from m import *"), "");
  EXPECT_EQ(boundBy("def f(a, b=(c := 1)):\n  d = 1"), "f c");
  EXPECT_EQ(boundBy("class C(a):\n  b = 1"), "C");
  EXPECT_EQ(boundBy("try:\n  a = 1\nexcept E as b:\n  c = 1"), "b");
  EXPECT_EQ(boundBy("match x:\n  case [a, *b] | {'k': c, **d}: e = 1\n  case K(f, k=g) as h: pass"),
            "a b d c h f g");
  EXPECT_EQ(boundBy("type A = int"), "A");
}

TEST(Children, WalrusesBindOutsideComprehensionsAndInsideLambdas) {
  EXPECT_EQ(boundBy("f((a := 1), k=(b := 2))"), "a b");
  EXPECT_EQ(boundBy("if (a := f()):\n  pass"), "a");
  EXPECT_EQ(boundBy("[(a := i) for i in (b := x) if (c := i)]"), "b c a");
  EXPECT_EQ(boundBy("lambda x=(a := 1): (b := 2)"), "a");
}
