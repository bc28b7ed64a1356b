//===- Libdevice.cpp - tl.extra.libdevice ---------------------------------===//
// Libdevice.def is the table (spec language.md, appendix A); a call becomes one
// tt.extern_elementwise with the symbol of the overload that the arguments' types
// pick. The rows are made by the compiler from the table: a function that a kernel
// does not use costs its row in the index.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "ExternCall.h"

using namespace tessera;

namespace {
struct Overload {
  llvm::StringLiteral symbol = "";
  DType::Kind result = DType::Void;
  DType::Kind parameters[4] = {};
};

struct LibraryFunction {
  llvm::StringLiteral name;
  unsigned parameterCount;
  bool isTest; // returns 0 or 1, for a bool
  Overload overloads[4];
};

enum FunctionIndex : unsigned {
#define FUNCTION(name, ...) k_##name,
#define TEST(name, ...) k_##name,
#include "Libdevice.def"
#undef FUNCTION
#undef TEST
};
} // namespace

static constexpr DType::Kind I32 = DType::Int32, I64 = DType::Int64, U32 = DType::UInt32,
                             U64 = DType::UInt64, F32 = DType::FP32, F64 = DType::FP64;

static constexpr LibraryFunction kFunctions[] = {
#define FUNCTION(name, count, ...) {#name, count, false, {__VA_ARGS__}},
#define TEST(name, count, ...) {#name, count, true, {__VA_ARGS__}},
#include "Libdevice.def"
#undef FUNCTION
#undef TEST
};

static KernelType scalarOf(DType::Kind kind) {
  KernelType type;
  type.scalar = kind;
  return type;
}

static FailureOr<Value> callFunction(Emitter &emit, const LibraryFunction &function,
                                     BoundArguments args) {
  std::vector<ExternOverload> overloads;
  for (const Overload &row : function.overloads) {
    if (row.symbol.empty())
      break;
    ExternOverload &overload = overloads.emplace_back();
    overload.symbol = row.symbol;
    overload.result = scalarOf(row.result);
    for (unsigned i = 0; i < function.parameterCount; ++i)
      overload.parameters.push_back(scalarOf(row.parameters[i]));
  }
  // The reference names no library: the symbols are found in the one that is linked.
  std::string name = ("libdevice." + function.name).str();
  FailureOr<Tensor> result = callExtern(emit, ExternFunction{name, "", ""}, overloads, args);
  if (succeeded(result) && function.isTest)
    result = castTo(emit, *result, DType::Int1);
  return asValue(result);
}

template <FunctionIndex index> static FailureOr<Value> handle(Emitter &emit, BoundArguments args) {
  return callFunction(emit, kFunctions[index], args);
}

static constexpr Parameter kParameters[] = {{"arg0"}, {"arg1"}, {"arg2"}, {"arg3"}};

llvm::ArrayRef<Builtin> tessera::libdeviceBuiltins() {
#define FUNCTION(name, count, ...)                                                                 \
  {"triton.language.extra.cuda.libdevice." #name, llvm::ArrayRef<Parameter>(kParameters, count),   \
   handle<k_##name>},
#define TEST(name, count, ...) FUNCTION(name, count)
  static constexpr Builtin rows[] = {
#include "Libdevice.def"
  };
#undef FUNCTION
#undef TEST
  return rows;
}
