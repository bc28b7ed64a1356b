//===- PythonModules.cpp - what files ask of Python before they choose code ===//
// `if os.environ.get("FAST") == "1"`, `operator.ge(Version(triton.__version__), ...)`,
// `importlib.import_module("triton")`: the few functions of Python's own modules that
// decide which definition of a name a kernel gets.
//
// Kernels see an empty environment: what a file compiles to depends on the file, its
// signature and the options, and on nothing that a shell left behind.
//===----------------------------------------------------------------------===//
#include "HostValues.h"

using namespace tessera;

/// operator.ge and its like.
template <ast::CmpOp Op> static FailureOr<Value> operatorOf(Emitter &emit, BoundArguments args) {
  return compareHost(emit, Op, args[0], args[1]);
}

static FailureOr<Value> unsetVariable(Emitter &, BoundArguments args) { return args[1]; }

/// A module by its path. Modules that only Python can load are objects without known
/// attributes, as they are for `import`.
static FailureOr<Value> importModule(Emitter &emit, BoundArguments args) {
  const std::string *path = args[0].get<std::string>();
  if (!path || path->empty() || path->front() == '.')
    return emit.error("expected the absolute path of a module, not " + args[0].describe());
  return Value(ModuleObject{*path});
}

/// Warnings of the host's own, as of a device that is not there: nobody is asking.
static FailureOr<Value> ignore(Emitter &, BoundArguments) { return Value(NoneObject{}); }

static constexpr Parameter kTwo[] = {{"a"}, {"b"}};
static constexpr Parameter kAny[] = {
    {"message", Default::Variadic}, {"category", Default::None}, {"stacklevel", Default::None}};
static constexpr Parameter kVariable[] = {{"key"}, {"default", Default::None}};
static constexpr Parameter kModule[] = {{"name"}};

llvm::ArrayRef<Builtin> tessera::pythonModuleFunctions() {
  static constexpr Builtin rows[] = {
      {"importlib.import_module", kModule, importModule, false, true},
      {"operator.eq", kTwo, operatorOf<ast::CmpOp::Eq>, false, true},
      {"operator.ge", kTwo, operatorOf<ast::CmpOp::GtE>, false, true},
      {"operator.gt", kTwo, operatorOf<ast::CmpOp::Gt>, false, true},
      {"operator.le", kTwo, operatorOf<ast::CmpOp::LtE>, false, true},
      {"operator.lt", kTwo, operatorOf<ast::CmpOp::Lt>, false, true},
      {"operator.ne", kTwo, operatorOf<ast::CmpOp::NotEq>, false, true},
      {"os.environ.get", kVariable, unsetVariable, false, true},
      {"os.getenv", kVariable, unsetVariable, false, true},
      {"warnings.warn", kAny, ignore, false, true},
  };
  return rows;
}
