//===- RandomProgramTest.cpp - every claim against every value ------------===//
// Random programs are analysed, then run on numbers; whatever the analysis said of a
// value must hold of each value it takes. Widths down to i4 make wrapping common.
//===----------------------------------------------------------------------===//
#include "RandomProgram.h"
#include "Interpreter.h"
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::test;

namespace {
/// How many claims beyond the trivial were checked.
struct Coverage {
  unsigned runs = 0, divisors = 0, stretches = 0, constants = 0, nonNegative = 0, prefixes = 0;
};

class ClaimChecker {
public:
  ClaimChecker(Value value, const AxisInfo &info, const Tensor &tensor, Coverage &coverage)
      : value(value), info(info), tensor(tensor), coverage(coverage) {
    if (auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(value.getType())))
      unit = std::max(8u, tt::getPointeeBits(value.getType())) / 8;
  }

  /// Empty, or what is wrong.
  std::string check() {
    if (info.rank() != tensor.shape.size())
      return "rank";
    for (const std::optional<int64_t> &element : tensor.elements) {
      if (element && info.constant() && *element != *info.constant())
        return "constant " + std::to_string(*info.constant()) + " but " + std::to_string(*element);
      if (element && info.isNonNegative() && *element < 0)
        return "non-negative but " + std::to_string(*element);
    }
    coverage.constants += info.constant().has_value();
    coverage.nonNegative += info.isNonNegative();
    for (unsigned d = 0; d < info.rank(); ++d) {
      std::string wrong = checkDimension(d);
      if (!wrong.empty())
        return wrong + " along " + std::to_string(d);
    }
    return "";
  }

private:
  bool isBool() const { return getElementTypeOrSelf(value.getType()).isInteger(1); }

  std::string checkDimension(unsigned d) {
    int64_t stride = 1;
    for (unsigned e = d + 1; e < tensor.shape.size(); ++e)
      stride *= tensor.shape[e];
    int64_t run = info.alignedRun(d, unit);
    coverage.runs += run > 1;
    coverage.divisors += info.divisibility(d) > 1;
    coverage.stretches += info.constancy(d) > 1;
    coverage.prefixes += isBool() && info.axis(d).prefix > info.constancy(d);
    for (int64_t flat = 0; flat < int64_t(tensor.elements.size()); ++flat) {
      if (!tensor.elements[flat])
        continue;
      int64_t here = *tensor.elements[flat], i = flat / stride % tensor.shape[d];
      if (i % info.contiguity(d) == 0 && here % info.divisibility(d) != 0)
        return "divisibility of " + std::to_string(here);
      std::optional<int64_t> first = tensor.elements[flat - i % run * stride];
      if (first && here != *first + i % run * unit)
        return "run " + std::to_string(*first) + " .. " + std::to_string(here);
      std::optional<int64_t> same = tensor.elements[flat - i % info.constancy(d) * stride];
      if (same && here != *same)
        return "constancy " + std::to_string(*same) + ", " + std::to_string(here);
      int64_t prefix = info.axis(d).prefix;
      std::optional<int64_t> before = i % prefix ? tensor.elements[flat - stride] : std::nullopt;
      if (isBool() && before && *before == 0 && here != 0)
        return "prefix of " + std::to_string(prefix);
      std::optional<int64_t> start = tensor.elements[flat - i % info.contiguity(d) * stride];
      if (start && here != *start + i % info.contiguity(d) * unit)
        brokenLongRun = true;
    }
    return "";
  }

  Value value;
  const AxisInfo &info;
  const Tensor &tensor;
  Coverage &coverage;
  int64_t unit = 1;

public:
  /// Longer runs than the aligned ones hold where nothing wraps.
  bool brokenLongRun = false;
};
} // namespace

static void checkPrograms(unsigned seed, unsigned programs, AxisInfoOptions options) {
  DialectRegistry registry;
  registry.insert<tt::TTDialect, ttg::TTGDialect, scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Random random(seed);
  Coverage coverage;
  unsigned evaluations = 0, unwrapped = 0;
  for (unsigned i = 0; i < programs; ++i) {
    RandomProgram program = makeRandomProgram(random, 10 + random() % 30);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program.text, &context);
    ASSERT_TRUE(module) << program.text;
    AxisInfoAnalysis analysis(*module, options);
    ASSERT_TRUE(analysis.isValid());
    Operation *function = &module->getBody()->front();
    for (unsigned round = 0; round < 12; ++round) {
      std::string wrong, broken;
      Interpreter interpreter([&](Value value, const Tensor &tensor) {
        AxisInfo info = analysis.get(value);
        ClaimChecker checker(value, info, tensor, coverage);
        std::string why = checker.check();
        if (why.empty() && !checker.brokenLongRun)
          return;
        std::string &report = why.empty() ? broken : wrong;
        if (!report.empty())
          return;
        llvm::raw_string_ostream os(report);
        os << (why.empty() ? "contiguity" : why) << "\nof " << value << "\n";
        info.print(os);
      });
      int64_t id = random() % 3 == 0 ? random() % 0x7fffffff : random() % 40;
      bool ran = interpreter.run(function, makeRandomArguments(random, program), id);
      if (!ran || (options.assumeNoSignedOverflow && interpreter.sawSignedOverflow()) ||
          (options.assumePositiveDivisors && interpreter.sawNegativeDivisor()))
        continue;
      ++evaluations;
      ASSERT_EQ(wrong, "") << program.text;
      if (!interpreter.sawWrapping()) {
        ++unwrapped;
        ASSERT_EQ(broken, "") << program.text;
      }
    }
  }
  EXPECT_GT(evaluations, programs * 2);
  EXPECT_GT(unwrapped, programs / 4);
  EXPECT_GT(coverage.runs, programs * 20);
  EXPECT_GT(coverage.divisors, programs * 20);
  EXPECT_GT(coverage.prefixes, programs / 4);
  EXPECT_GT(coverage.stretches, programs * 20);
  EXPECT_GT(coverage.constants, programs * 10);
  EXPECT_GT(coverage.nonNegative, programs * 10);
}

TEST(AxisInfoRandom, HoldsWhateverWraps) {
  checkPrograms(1, 1000, {.assumeNoSignedOverflow = false, .assumePositiveDivisors = false});
}

TEST(AxisInfoRandom, HoldsWhereIndicesDoNotOverflow) {
  checkPrograms(2, 1000, {.assumeNoSignedOverflow = true, .assumePositiveDivisors = false});
}

TEST(AxisInfoRandom, HoldsWhereDivisorsArePositive) {
  checkPrograms(3, 1000, {.assumeNoSignedOverflow = true, .assumePositiveDivisors = true});
}
