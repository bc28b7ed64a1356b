//===- LinearLayoutTest.cpp - the algebra against brute force -------------===//
// Every operation is checked on all inputs of many random layouts: surjective or
// not, injective or not, with zero bases and dimensions of size 1.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "PrintLayout.h"
#include "RandomLayout.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace tessera;
using namespace tessera::test;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int rounds = 300;

static std::set<uint64_t> image(const LinearLayout &layout) {
  std::set<uint64_t> values;
  for (uint64_t x = 0; x < uint64_t(1) << layout.totalInBits(); ++x)
    values.insert(layout.applyFlat(x));
  return values;
}

/// `layout` with its dimensions in the order of `model`.
static LinearLayout inOrderOf(const LinearLayout &layout, const LinearLayout &model) {
  std::optional<LinearLayout> ins = layout.transposeIns(model.inDims());
  EXPECT_TRUE(ins.has_value());
  std::optional<LinearLayout> both = ins->transposeOuts(model.outDims());
  EXPECT_TRUE(both.has_value());
  return *both;
}

//===----------------------------------------------------------------------===//
// Values and questions
//===----------------------------------------------------------------------===//

TEST(LinearLayout, ApplyXorsBases) {
  Random random(1);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    for (const Point &point : allPoints(layout.ins())) {
      Point value = layout.apply(point);
      for (const DimBits &out : layout.outs()) {
        uint64_t expected = 0;
        for (const DimBits &in : layout.ins())
          for (unsigned bit = 0; bit < in.bits; ++bit)
            if (at(point, in.dim) >> bit & 1)
              expected ^= layout.basis(in.dim, bit, out.dim);
        EXPECT_EQ(at(value, out.dim), expected);
        EXPECT_EQ(layout.apply(point, out.dim), expected);
      }
    }
  }
}

TEST(LinearLayout, FromBasesRoundTrips) {
  Random random(2);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    SmallVector<DimBases> ins;
    for (const DimBits &in : layout.ins()) {
      ins.push_back({in.dim, {}});
      for (unsigned bit = 0; bit < in.bits; ++bit)
        ins.back().bases.push_back(layout.basis(in.dim, bit));
    }
    std::optional<LinearLayout> same = LinearLayout::fromBases(ins, layout.outs());
    ASSERT_TRUE(same);
    EXPECT_EQ(*same, layout);
    std::optional<LinearLayout> tight = LinearLayout::fromBases(ins, layout.outDims());
    ASSERT_TRUE(tight);
    EXPECT_TRUE(tight->equalIgnoringOutSizes(layout));
  }
}

TEST(LinearLayout, FromBasesRejectsNonsense) {
  const Dim r = Dim::reg(), x = Dim::axis(0), y = Dim::axis(1);
  auto make = [](ArrayRef<DimBases> ins, ArrayRef<DimBits> outs) {
    return LinearLayout::fromBases(ins, outs).has_value();
  };
  EXPECT_TRUE(make({{r, {{1}}}}, {{x, 1}}));
  EXPECT_FALSE(make({{r, {{2}}}}, {{x, 1}})) << "does not fit";
  EXPECT_FALSE(make({{r, {{-1}}}}, {{x, 1}})) << "negative";
  EXPECT_FALSE(make({{r, {{1, 0}}}}, {{x, 1}})) << "too long";
  EXPECT_FALSE(make({{r, {{}}}}, {{x, 1}})) << "too short";
  EXPECT_FALSE(make({{r, {}}, {r, {}}}, {{x, 1}})) << "input twice";
  EXPECT_FALSE(make({{r, {}}}, {{x, 1}, {x, 1}})) << "output twice";
  EXPECT_FALSE(make({{r, {}}}, {{x, 40}, {y, 40}})) << "too many bits";
  SmallVector<BasisVector> many(63, {0});
  EXPECT_FALSE(make({{r, many}}, {{x, 1}})) << "too many inputs";
}

TEST(LinearLayout, SurjectiveInjectiveInvertible) {
  Random random(3);
  unsigned counts[2][2] = {};
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    uint64_t reached = image(layout).size();
    bool surjective = reached == uint64_t(1) << layout.totalOutBits();
    bool injective = reached == uint64_t(1) << layout.totalInBits();
    EXPECT_EQ(layout.isSurjective(), surjective);
    EXPECT_EQ(layout.isInjective(), injective);
    EXPECT_EQ(layout.isInvertible(), surjective && injective);
    ++counts[surjective][injective];
  }
  for (auto &row : counts)
    for (unsigned count : row)
      EXPECT_GT(count, 5u) << "the random layouts cover every case";
}

TEST(LinearLayout, IsTrivialOver) {
  Random random(4);
  unsigned trivial = 0;
  for (int round = 0; round < 4 * rounds; ++round) {
    // Names shared between the two sides, as in a conversion's map.
    SmallVector<DimBits> ins = randomDims(random, hardwareDims());
    LinearLayout layout =
        randomLayout(random, ins, below(random, 2) ? ins : randomDims(random, hardwareDims()));
    Dim dim = ins[0].dim;
    bool expected = layout.hasOut(dim) && layout.inSize(dim) == layout.outSize(dim);
    for (const Point &point : allPoints(layout.ins())) {
      if (!expected)
        break;
      Point rest = point;
      for (DimIndex &i : rest)
        if (i.dim == dim)
          i.index = 0;
      Point value = layout.apply(point), restValue = layout.apply(rest);
      for (const DimBits &out : layout.outs())
        expected &=
            at(value, out.dim) == (out.dim == dim ? at(point, dim) : at(restValue, out.dim));
    }
    EXPECT_EQ(layout.isTrivialOver({dim}), expected) << layout.str();
    EXPECT_EQ(layout.quotient({dim}).has_value(), expected);
    if (!expected)
      continue;
    ++trivial;
    std::optional<LinearLayout> rest = layout.quotient({dim});
    EXPECT_FALSE(rest->hasIn(dim) || rest->hasOut(dim));
    for (const Point &point : allPoints(rest->ins()))
      for (const DimBits &out : rest->outs())
        EXPECT_EQ(rest->apply(point, out.dim), layout.apply(point, out.dim));
  }
  EXPECT_GT(trivial, 50u);
}

TEST(LinearLayout, NumConsecutive) {
  Random random(5);
  std::map<uint64_t, unsigned> seen;
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    auto holds = [&](uint64_t n) {
      if (n > uint64_t(1) << layout.totalInBits() || n > uint64_t(1) << layout.totalOutBits())
        return false;
      for (uint64_t x = 0; x < uint64_t(1) << layout.totalInBits(); ++x)
        if (layout.applyFlat(x) != layout.applyFlat(x / n * n) + x % n ||
            layout.applyFlat(x / n * n) % n != 0)
          return false;
      return true;
    };
    uint64_t expected = 1;
    while (holds(2 * expected))
      expected *= 2;
    EXPECT_EQ(layout.numConsecutive(), expected) << layout.str();
    ++seen[expected];
  }
  EXPECT_GT(seen[1], 10u);
  EXPECT_GT(seen[2] + seen[4], 10u);
}

TEST(LinearLayout, FreeVariableMasks) {
  Random random(6);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    Point masks = layout.freeVariableMasks();
    std::map<uint64_t, unsigned> owners;
    for (uint64_t x = 0; x < uint64_t(1) << layout.totalInBits(); ++x)
      owners[layout.applyFlat(x)] += 0;
    for (const Point &point : allPoints(layout.ins())) {
      bool owns = true;
      for (const DimIndex &mask : masks)
        owns &= (at(point, mask.dim) & mask.index) == 0;
      uint64_t flat = 0, shift = 0;
      for (const DimBits &in : layout.ins()) {
        flat |= at(point, in.dim) << shift;
        shift += in.bits;
      }
      owners[layout.applyFlat(flat)] += owns;
    }
    for (auto [value, count] : owners)
      EXPECT_EQ(count, 1u) << "exactly one owner of each output\n" << layout.str();
  }
}

//===----------------------------------------------------------------------===//
// Product and division
//===----------------------------------------------------------------------===//

TEST(LinearLayout, Product) {
  Random random(7);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout a = randomLayout(random, randomDims(random, hardwareDims(), 2),
                                  randomDims(random, axisDims(), 2));
    LinearLayout b = randomLayout(random, randomDims(random, hardwareDims(), 2),
                                  randomDims(random, axisDims(), 2));
    LinearLayout product = a * b;
    for (const Point &point : allPoints(product.ins())) {
      Point low, high;
      for (const DimIndex &i : point) {
        low.push_back({i.dim, i.index % a.inSize(i.dim)});
        high.push_back({i.dim, i.index / a.inSize(i.dim)});
      }
      for (const DimBits &out : product.outs())
        EXPECT_EQ(product.apply(point, out.dim),
                  a.apply(low, out.dim) + a.outSize(out.dim) * b.apply(high, out.dim));
    }
    EXPECT_EQ(LinearLayout() * a, a);
    EXPECT_EQ(a * LinearLayout(), a);
  }
}

TEST(LinearLayout, ProductIsAssociative) {
  Random random(8);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout a = randomLayout(random), b = randomLayout(random), c = randomLayout(random);
    EXPECT_EQ((a * b) * c, a * (b * c));
  }
}

TEST(LinearLayout, DivisionUndoesProduct) {
  Random random(9);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout a = randomLayout(random), b = randomLayout(random);
    LinearLayout product = a * b;
    std::optional<LinearLayout> right = product.divideLeft(a);
    ASSERT_TRUE(right) << a.str() << b.str();
    EXPECT_EQ(a * *right, product);
    std::optional<LinearLayout> left = product.divideRight(b);
    ASSERT_TRUE(left);
    EXPECT_EQ(inOrderOf(*left * b, product), product);
  }
}

TEST(LinearLayout, DivisionDeclines) {
  // Whenever a quotient is returned it multiplies back; whenever none is, no layout
  // of the only possible shape does.
  Random random(10);
  unsigned divided = 0, declined = 0;
  for (int round = 0; round < 40 * rounds; ++round) {
    SmallVector<DimBits> ins = {{Dim::reg(), below(random, 3)}, {Dim::lane(), below(random, 2)}};
    SmallVector<DimBits> outs = {{Dim::axis(0), below(random, 3)}};
    LinearLayout a = randomLayout(random, ins, outs);
    LinearLayout b =
        randomLayout(random, {{Dim::reg(), below(random, 2)}}, {{Dim::axis(0), below(random, 2)}});
    for (bool onLeft : {true, false}) {
      std::optional<LinearLayout> q = onLeft ? a.divideLeft(b) : a.divideRight(b);
      auto multiplies = [&](const LinearLayout &factor) {
        return inOrderOf(onLeft ? b * factor : factor * b, a) == a;
      };
      ++(q ? divided : declined);
      if (q) {
        EXPECT_TRUE(multiplies(*q));
        continue;
      }
      if (a.inBits(Dim::reg()) < b.inBits(Dim::reg()) ||
          a.outBits(Dim::axis(0)) < b.outBits(Dim::axis(0)))
        continue;
      ins[0].bits = a.inBits(Dim::reg()) - b.inBits(Dim::reg());
      outs[0].bits = a.outBits(Dim::axis(0)) - b.outBits(Dim::axis(0));
      unsigned bits = ins[0].bits + ins[1].bits, rows = outs[0].bits;
      for (uint64_t all = 0; all < uint64_t(1) << (bits * rows); ++all) {
        SmallVector<uint64_t> columns;
        for (unsigned c = 0; c < bits; ++c)
          columns.push_back(all >> (c * rows) & ((uint64_t(1) << rows) - 1));
        EXPECT_FALSE(
            multiplies(LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, rows), ins, outs)));
      }
      ins[0].bits = a.inBits(Dim::reg());
      outs[0].bits = a.outBits(Dim::axis(0));
    }
  }
  EXPECT_GT(divided, 500u);
  EXPECT_GT(declined, 500u);
}

//===----------------------------------------------------------------------===//
// Composition and inverses
//===----------------------------------------------------------------------===//

TEST(LinearLayout, Compose) {
  Random random(11);
  for (int round = 0; round < rounds; ++round) {
    SmallVector<DimBits> middle = randomDims(random, axisDims());
    LinearLayout a = randomLayout(random, randomDims(random, hardwareDims()), middle);
    // The second map lists the middle in another order and may have more room.
    std::reverse(middle.begin(), middle.end());
    for (DimBits &d : middle)
      d.bits += below(random, 2);
    LinearLayout b = randomLayout(random, middle, randomDims(random, hardwareDims()));
    LinearLayout both = a.compose(b);
    EXPECT_EQ(both.ins(), a.ins());
    EXPECT_EQ(both.outs(), b.outs());
    for (const Point &point : allPoints(a.ins()))
      EXPECT_EQ(both.apply(point), b.apply(a.apply(point)));
  }
}

TEST(LinearLayout, Invert) {
  Random random(12);
  unsigned inverted = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    std::optional<LinearLayout> inverse = layout.invert();
    ASSERT_EQ(inverse.has_value(), layout.isInvertible());
    if (!inverse)
      continue;
    ++inverted;
    for (const Point &point : allPoints(layout.ins()))
      EXPECT_EQ(inverse->apply(layout.apply(point)), point);
    for (const Point &point : allPoints(layout.outs()))
      EXPECT_EQ(layout.apply(inverse->apply(point)), point);
  }
  EXPECT_GT(inverted, 10u);
}

TEST(LinearLayout, PseudoInvert) {
  Random random(13);
  unsigned found = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    std::optional<LinearLayout> inverse = layout.pseudoinvert();
    ASSERT_EQ(inverse.has_value(), layout.isSurjective());
    if (!inverse)
      continue;
    ++found;
    Point masks = layout.freeVariableMasks();
    for (const Point &point : allPoints(layout.outs())) {
      Point place = inverse->apply(point);
      EXPECT_EQ(layout.apply(place), point);
      for (const DimIndex &mask : masks)
        EXPECT_EQ(at(place, mask.dim) & mask.index, 0u) << "the owner, not a replica";
    }
  }
  EXPECT_GT(found, 30u);
}

TEST(LinearLayout, InvertAndCompose) {
  Random random(14);
  unsigned found = 0, missing = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    SmallVector<DimBits> outs = randomDims(random, axisDims());
    LinearLayout src = randomLayout(random, randomDims(random, hardwareDims(), 4), outs);
    std::reverse(outs.begin(), outs.end());
    LinearLayout outer = randomLayout(random, randomDims(random, hardwareDims(), 4), outs);
    std::optional<LinearLayout> map = src.invertAndCompose(outer);

    std::set<std::vector<uint64_t>> reached;
    auto key = [&](const Point &value) {
      std::vector<uint64_t> coordinates;
      for (const DimBits &out : outs)
        coordinates.push_back(at(value, out.dim));
      return coordinates;
    };
    for (const Point &point : allPoints(outer.ins()))
      reached.insert(key(outer.apply(point)));
    bool solvable = true;
    for (const Point &point : allPoints(src.ins()))
      solvable &= reached.count(key(src.apply(point))) != 0;
    ASSERT_EQ(map.has_value(), solvable) << src.str() << outer.str();
    ++(map ? found : missing);
    if (!map)
      continue;
    for (const Point &point : allPoints(src.ins()))
      EXPECT_EQ(key(outer.apply(map->apply(point))), key(src.apply(point)));
    for (const DimBits &in : src.ins())
      for (unsigned bit = 0; bit < std::min(in.bits, outer.inBits(in.dim)); ++bit)
        if (key(src.apply(Point{{in.dim, uint64_t(1) << bit}})) ==
            key(outer.apply(Point{{in.dim, uint64_t(1) << bit}}))) {
          Point self = map->apply(Point{{in.dim, uint64_t(1) << bit}});
          for (const DimIndex &i : self)
            EXPECT_EQ(i.index, i.dim == in.dim ? uint64_t(1) << bit : 0) << "stays in place";
        }
  }
  EXPECT_GT(found, 30u);
  EXPECT_GT(missing, 30u);
}

TEST(LinearLayout, ReplicatedWarpsStayWhereTheyAre) {
  // Both layouts replicate over warps; a conversion between them must not look as if
  // it crossed warps.
  LinearLayout src = LinearLayout::identity(4, Dim::reg(), Dim::axis(0)) *
                     LinearLayout::identity(8, Dim::lane(), Dim::axis(0)) *
                     LinearLayout::zeros(2, Dim::warp(), Dim::axis(0));
  LinearLayout dst = LinearLayout::identity(8, Dim::lane(), Dim::axis(0)) *
                     LinearLayout::identity(4, Dim::reg(), Dim::axis(0)) *
                     LinearLayout::zeros(2, Dim::warp(), Dim::axis(0));
  std::optional<LinearLayout> map = dst.invertAndCompose(src);
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->isTrivialOver({Dim::warp()}));
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

TEST(LinearLayout, Sublayout) {
  Random random(15);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    SmallVector<Dim> ins, outs;
    for (const DimBits &d : layout.ins())
      if (below(random, 2))
        ins.push_back(d.dim);
    for (const DimBits &d : layout.outs())
      if (below(random, 2))
        outs.push_back(d.dim);
    LinearLayout sub = layout.sublayout(ins, outs);
    EXPECT_EQ(ArrayRef(sub.inDims()), ArrayRef(ins));
    EXPECT_EQ(ArrayRef(sub.outDims()), ArrayRef(outs));
    bool zero = true;
    for (const Point &point : allPoints(sub.ins()))
      for (const DimBits &out : sub.outs()) {
        EXPECT_EQ(out.bits, layout.outBits(out.dim));
        EXPECT_EQ(sub.apply(point, out.dim), layout.apply(point, out.dim));
        zero &= sub.apply(point, out.dim) == 0;
      }
    EXPECT_EQ(layout.isZero(ins, outs), zero);
  }
}

TEST(LinearLayout, Transpose) {
  Random random(16);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    SmallVector<Dim, 4> ins = layout.inDims(), outs = layout.outDims();
    std::shuffle(ins.begin(), ins.end(), random);
    std::shuffle(outs.begin(), outs.end(), random);
    std::optional<LinearLayout> t = layout.transposeIns(ins);
    ASSERT_TRUE(t);
    t = t->transposeOuts(outs);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->inDims(), ins);
    EXPECT_EQ(t->outDims(), outs);
    for (const Point &point : allPoints(layout.ins()))
      for (Dim out : outs)
        EXPECT_EQ(t->apply(point, out), layout.apply(point, out));
    EXPECT_EQ(inOrderOf(*t, layout), layout);
    SmallVector<Dim, 4> wrong = ins;
    wrong.push_back(Dim::offset());
    EXPECT_FALSE(layout.transposeIns(wrong));
    EXPECT_FALSE(layout.transposeIns(ArrayRef(ins).drop_back()));
    if (outs.size() > 1) {
      outs[0] = outs[1];
      EXPECT_FALSE(layout.transposeOuts(outs));
    }
  }
}

static uint64_t flatIndex(const Point &point, ArrayRef<DimBits> dims) {
  uint64_t flat = 0, scale = 1;
  for (const DimBits &d : dims) {
    flat += scale * at(point, d.dim);
    scale *= d.size();
  }
  return flat;
}

TEST(LinearLayout, ReshapeKeepsTheFlatMap) {
  Random random(17);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    auto split = [&](unsigned bits, ArrayRef<Dim> names) {
      SmallVector<DimBits> dims;
      for (Dim name : names.drop_back()) {
        unsigned take = below(random, bits + 1);
        dims.push_back({name, take});
        bits -= take;
      }
      dims.push_back({names.back(), bits});
      return dims;
    };
    SmallVector<DimBits> ins = split(layout.totalInBits(), {Dim::offset(), Dim::block()});
    SmallVector<DimBits> outs = split(layout.totalOutBits(), axisDims());
    std::optional<LinearLayout> reshaped = layout.reshapeIns(ins);
    ASSERT_TRUE(reshaped);
    reshaped = reshaped->reshapeOuts(outs);
    ASSERT_TRUE(reshaped);
    for (const Point &point : allPoints(ins))
      EXPECT_EQ(flatIndex(reshaped->apply(point), outs), layout.applyFlat(flatIndex(point, ins)));
    for (const Point &point : allPoints(layout.ins()))
      EXPECT_EQ(flatIndex(layout.apply(point), layout.outs()),
                layout.applyFlat(flatIndex(point, layout.ins())));
    LinearLayout flat = layout.flattenIns(Dim::offset()).flattenOuts(Dim::axis(0));
    for (uint64_t x = 0; x < uint64_t(1) << layout.totalInBits(); ++x)
      EXPECT_EQ(flat.apply(Point{{Dim::offset(), x}}, Dim::axis(0)), layout.applyFlat(x));
    ins[0].bits += 1;
    EXPECT_FALSE(layout.reshapeIns(ins));
    outs[0].dim = outs[1].dim;
    EXPECT_FALSE(layout.reshapeOuts(outs));
  }
}

TEST(LinearLayout, Rename) {
  Random random(18);
  LinearLayout layout =
      randomLayout(random, {{Dim::reg(), 2}, {Dim::lane(), 1}}, {{Dim::axis(0), 3}});
  std::optional<LinearLayout> renamed = layout.renameIns({Dim::offset(), Dim::block()});
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->flatBases(), layout.flatBases());
  EXPECT_EQ(renamed->inBits(Dim::offset()), 2u);
  EXPECT_FALSE(layout.renameIns({Dim::offset()}));
  EXPECT_FALSE(layout.renameIns({Dim::offset(), Dim::offset()}));
  EXPECT_TRUE(layout.renameOuts({Dim::axis(7)}));
  EXPECT_FALSE(layout.renameOuts({}));
}

TEST(LinearLayout, Concat) {
  Random random(19);
  for (int round = 0; round < rounds; ++round) {
    SmallVector<DimBits> outs = randomDims(random, axisDims());
    LinearLayout a = randomLayout(random, randomDims(random, {Dim::reg(), Dim::lane()}), outs);
    for (DimBits &d : outs)
      d.bits = below(random, 4);
    LinearLayout b = randomLayout(random, randomDims(random, {Dim::warp(), Dim::block()}), outs);
    std::optional<LinearLayout> both = a.concatIns(b);
    ASSERT_TRUE(both);
    for (const Point &point : allPoints(both->ins()))
      for (const DimBits &out : both->outs())
        EXPECT_EQ(both->apply(point, out.dim), a.apply(point, out.dim) ^ b.apply(point, out.dim));
    EXPECT_FALSE(a.concatIns(a)) << "the same inputs";

    LinearLayout c = randomLayout(random, a.ins(), {{Dim::offset(), below(random, 4)}});
    std::optional<LinearLayout> beside = a.concatOuts(c);
    ASSERT_TRUE(beside);
    for (const Point &point : allPoints(a.ins())) {
      EXPECT_EQ(beside->apply(point, Dim::offset()), c.apply(point, Dim::offset()));
      for (const DimBits &out : a.outs())
        EXPECT_EQ(beside->apply(point, out.dim), a.apply(point, out.dim));
    }
    EXPECT_FALSE(a.concatOuts(a)) << "the same outputs";
    EXPECT_FALSE(a.concatIns(c)) << "other outputs";
    EXPECT_FALSE(a.concatOuts(b)) << "other inputs";
  }
}

TEST(LinearLayout, Resize) {
  Random random(20);
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(random);
    Dim in = layout.ins()[0].dim, out = layout.outs()[0].dim;
    uint64_t size = uint64_t(1) << below(random, 5);

    LinearLayout resized = layout.resizeIn(in, size);
    EXPECT_EQ(resized.inSize(in), size);
    for (Point point : allPoints(resized.ins())) {
      Point cut = point;
      for (DimIndex &i : cut)
        if (i.dim == in)
          i.index %= layout.inSize(in);
      EXPECT_EQ(resized.apply(point), layout.apply(cut));
    }

    LinearLayout fitted = layout.resizeOut(out, size);
    EXPECT_EQ(fitted.outSize(out), size);
    for (const DimBits &d : layout.ins())
      for (unsigned bit = 0; bit < d.bits; ++bit)
        for (const DimBits &o : layout.outs()) {
          uint64_t value = layout.basis(d.dim, bit, o.dim);
          EXPECT_EQ(fitted.basis(d.dim, bit, o.dim), o.dim == out && value >= size ? 0 : value);
        }
    if (size >= layout.outSize(out)) {
      EXPECT_TRUE(fitted.equalIgnoringOutSizes(layout));
      EXPECT_EQ(fitted == layout, size == layout.outSize(out));
    }

    LinearLayout zero = layout.zeroOut(in);
    for (Point point : allPoints(layout.ins())) {
      Point rest = point;
      for (DimIndex &i : rest)
        if (i.dim == in)
          i.index = 0;
      EXPECT_EQ(zero.apply(point), layout.apply(rest));
    }
    EXPECT_EQ(zero.ins(), layout.ins());

    LinearLayout dense = layout.removeZeroBases(in);
    EXPECT_EQ(image(dense), image(layout));
    for (unsigned bit = 0; bit < dense.inBits(in); ++bit)
      EXPECT_NE(dense.flatBasis(in, bit), 0u);
  }
}

TEST(LinearLayout, UnsqueezeAddsASizeOneDimension) {
  LinearLayout layout = LinearLayout::identity(4, Dim::reg(), Dim::axis(0));
  LinearLayout wider = layout.unsqueezeIn(Dim::lane()).unsqueezeOut(Dim::axis(1));
  EXPECT_TRUE(wider.hasIn(Dim::lane()) && wider.hasOut(Dim::axis(1)));
  EXPECT_EQ(wider.inSize(Dim::lane()), 1u);
  EXPECT_EQ(wider.flatBases(), layout.flatBases());
  EXPECT_NE(wider, layout);
  EXPECT_EQ(wider.unsqueezeIn(Dim::lane()), wider);
}

//===----------------------------------------------------------------------===//
// Comparing and printing
//===----------------------------------------------------------------------===//

TEST(LinearLayout, EqualityAndHash) {
  LinearLayout a = LinearLayout::identity(4, Dim::reg(), Dim::axis(0));
  LinearLayout b = LinearLayout::identity(4, Dim::reg(), Dim::axis(0));
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash_value(a), hash_value(b));
  LinearLayout roomy = a.resizeOut(Dim::axis(0), 8);
  EXPECT_NE(a, roomy);
  EXPECT_TRUE(a.equalIgnoringOutSizes(roomy));
  EXPECT_FALSE(roomy.isSurjective());
  EXPECT_FALSE(a.equalIgnoringOutSizes(LinearLayout::strided(4, 2, Dim::reg(), Dim::axis(0))));
  EXPECT_FALSE(a.equalIgnoringOutSizes(LinearLayout::identity(4, Dim::lane(), Dim::axis(0))));
}

TEST(LinearLayout, Prints) {
  LinearLayout layout = LinearLayout::identity(4, Dim::reg(), Dim::axis(1)) *
                        LinearLayout::identity(2, Dim::lane(), Dim::axis(0)) *
                        LinearLayout::zeros(1, Dim::warp(), Dim::axis(0));
  EXPECT_EQ(layout.str(), "register=1 -> (1,0), register=2 -> (2,0)\n"
                          "lane=1 -> (0,1)\n"
                          "warp has size 1\n"
                          "outs: dim1 (size 4), dim0 (size 2)\n");
}

TEST(Dim, NamesRoundTrip) {
  for (Dim dim : {Dim::reg(), Dim::lane(), Dim::warp(), Dim::block(), Dim::offset(), Dim::axis(0),
                  Dim::axis(63)})
    EXPECT_EQ(Dim::parse(dim.name()), dim);
  for (const char *text : {"", "dim", "dim-1", "dim64", "dimx", "thread", "Lane"})
    EXPECT_FALSE(Dim::parse(text)) << text;
  EXPECT_LT(Dim::reg(), Dim::lane());
  EXPECT_LT(Dim::axis(0), Dim::axis(1));
}
