//===- InlineAssembly.cpp - the target's own instructions -----------------===//
// inline_asm_elementwise, the instructions that tl.extra.cuda names, and
// extern_elementwise, which calls a device library
// (docs/language.md#assembly-and-foreign-functions).
// Operands broadcast to one shape and keep their types.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "ExternCall.h"
#include "MemoryArguments.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

/// Numbers take their natural types.
static FailureOr<llvm::SmallVector<Tensor>> toTensors(Emitter &emit, llvm::ArrayRef<Value> values) {
  llvm::SmallVector<Tensor> tensors;
  for (const Value &value : values) {
    FailureOr<Tensor> tensor = toTensor(emit, value);
    if (failed(tensor))
      return llvm::failure();
    tensors.push_back(*tensor);
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// inline_asm_elementwise
//===----------------------------------------------------------------------===//

namespace {
struct Assembly {
  llvm::StringRef text, constraints;
  bool isPure;
  int32_t pack;
};
} // namespace

/// One result of each type, in the operands' common shape; scalars without operands.
static FailureOr<llvm::SmallVector<Value>> emitAssembly(Emitter &emit, const Assembly &assembly,
                                                        llvm::MutableArrayRef<Tensor> operands,
                                                        llvm::ArrayRef<KernelType> elements) {
  if (failed(broadcastTogether(emit, operands)))
    return llvm::failure();
  llvm::ArrayRef<int64_t> shape;
  if (!operands.empty())
    shape = operands[0].type.shape;
  int64_t count = operands.empty() ? 1 : operands[0].type.numElements();
  if (!shape.empty() && count % assembly.pack != 0)
    return emit.error("inline_asm_elementwise with pack=" + llvm::Twine(assembly.pack) +
                      " takes blocks of at least as many elements, not " + operands[0].type.str());
  llvm::SmallVector<mlir::Value> handles;
  for (const Tensor &operand : operands)
    handles.push_back(operand.handle);
  llvm::SmallVector<KernelType> types;
  llvm::SmallVector<mlir::Type> irTypes;
  for (const KernelType &element : elements) {
    types.push_back(element.withShape(shape));
    irTypes.push_back(toIR(types.back(), emit.context()));
  }
  auto op = tt::ElementwiseInlineAsmOp::create(emit.builder, emit.location(), irTypes,
                                               assembly.text, assembly.constraints, assembly.isPure,
                                               assembly.pack, handles);
  llvm::SmallVector<Value> results;
  for (auto [handle, type] : llvm::zip_equal(op.getResult(), types))
    results.push_back(Value(Tensor{handle, type}));
  return results;
}

static FailureOr<llvm::SmallVector<KernelType>> resultTypes(Emitter &emit, const Value &dtype) {
  llvm::SmallVector<KernelType> types;
  for (const Value &value : listElements(dtype)) {
    const TypeObject *object = value.get<TypeObject>();
    if (!object || object->type.isBlock() || object->type.scalar == DType::Void)
      return emit.error("inline_asm_elementwise takes a dtype or a tuple of dtypes as dtype, not " +
                        value.describe());
    if (failed(checkTypeExists(emit, object->type.scalar)))
      return llvm::failure();
    types.push_back(object->type);
  }
  if (types.empty())
    return emit.error("inline_asm_elementwise has at least one result; give it a dtype that you "
                      "do not use");
  return types;
}

static FailureOr<Value> inlineAssembly(Emitter &emit, BoundArguments args) {
  const std::string *text = args[0].get<std::string>(), *constraints = args[1].get<std::string>();
  if (!text || !constraints)
    return emit.error(llvm::Twine("inline_asm_elementwise takes a compile-time string as ") +
                      (text ? "constraints" : "asm") + ", not " +
                      (text ? args[1] : args[0]).describe());
  if (!args[2].is<TupleObject>())
    return emit.error("inline_asm_elementwise takes a list as args, not " + args[2].describe());
  auto elements = resultTypes(emit, args[3]);
  if (failed(elements))
    return llvm::failure();
  if (args[4].isTensor())
    return emit.error("is_pure is a compile-time bool, not " + args[4].describe());
  std::optional<PythonInt> pack = args[5].asInt();
  bool fits = pack && pack->fitsSigned(16) && pack->toInt64() > 0;
  if (!fits || !llvm::isPowerOf2_64(pack->toInt64()))
    return emit.error("inline_asm_elementwise takes pack=1, 2, 4, ..., not " + args[5].describe());
  FailureOr<llvm::SmallVector<Tensor>> operands = toTensors(emit, listElements(args[2]));
  if (failed(operands))
    return llvm::failure();
  Assembly assembly{*text, *constraints, isTruthy(args[4]), static_cast<int32_t>(pack->toInt64())};
  auto results = emitAssembly(emit, assembly, *operands, *elements);
  if (failed(results))
    return llvm::failure();
  if (!args[3].is<TupleObject>())
    return results->front();
  return makeTuple(std::vector<Value>(results->begin(), results->end()));
}

//===----------------------------------------------------------------------===//
// tl.extra.cuda
//===----------------------------------------------------------------------===//

/// An instruction without operands that gives one scalar.
static FailureOr<Value> scalarInstruction(Emitter &emit, const Assembly &assembly, DType type) {
  KernelType element;
  element.scalar = type;
  auto results = emitAssembly(emit, assembly, {}, element);
  if (failed(results))
    return llvm::failure();
  return results->front();
}

static FailureOr<Value> smid(Emitter &emit, BoundArguments) {
  return scalarInstruction(emit, {"mov.u32 $0, %smid;", "=r", /*isPure=*/true, 1}, DType::Int32);
}

static FailureOr<Value> globalTimer(Emitter &emit, BoundArguments) {
  return scalarInstruction(emit, {"mov.u64 $0, %globaltimer;", "=l", /*isPure=*/false, 1},
                           DType::Int64);
}

/// PTX ISA, griddepcontrol: no operands, so the result that the op needs is in a comment.
static FailureOr<Value> gridDependency(Emitter &emit, llvm::StringRef text) {
  FailureOr<Value> unused =
      scalarInstruction(emit, {text, "=r", /*isPure=*/false, 1}, DType::Int32);
  return failed(unused) ? unused : FailureOr<Value>(Value(NoneObject{}));
}
static FailureOr<Value> gdcWait(Emitter &emit, BoundArguments) {
  return gridDependency(emit, "griddepcontrol.wait; // dummy $0");
}
static FailureOr<Value> gdcLaunchDependents(Emitter &emit, BoundArguments) {
  return gridDependency(emit, "griddepcontrol.launch_dependents; // dummy $0");
}

/// The conversions that x.to(...) makes of fp8e4b15, by their own name.
static FailureOr<Value> convertFloat8(Emitter &emit, BoundArguments args) {
  const Tensor *value = args[0].get<Tensor>();
  const TypeObject *type = args[1].get<TypeObject>();
  bool isFrom = value && !value->type.isPointer() && value->type.scalar == DType::FP8E4B15;
  bool isTo = type && !type->type.isPointer() && type->type.scalar == DType::FP8E4B15;
  if (!value || !type || isFrom == isTo)
    return emit.error("convert_custom_float8 converts between fp8e4b15 and fp16 or fp32, not " +
                      args[0].describe() + " to " + args[1].describe());
  return asValue(castTo(emit, *value, type->type.scalar));
}

//===----------------------------------------------------------------------===//
// extern_elementwise
//===----------------------------------------------------------------------===//

/// {(dtype, ...): (symbol, result dtype)} as overloads.
static FailureOr<std::vector<ExternOverload>> overloadsOf(Emitter &emit, const Value &value) {
  const DictObject *dict = value.get<DictObject>();
  auto refuse = [&] {
    return emit.error("extern_elementwise takes a dict {(dtype, ...): (symbol, dtype)}, not " +
                      value.describe());
  };
  if (!dict || dict->items->empty())
    return refuse();
  std::vector<ExternOverload> overloads;
  for (const auto &[key, target] : *dict->items) {
    llvm::ArrayRef<Value> result = listElements(target);
    const std::string *symbol = result.size() == 2 ? result[0].get<std::string>() : nullptr;
    const TypeObject *type = result.size() == 2 ? result[1].get<TypeObject>() : nullptr;
    if (!symbol || !type || type->type.isBlock())
      return refuse();
    ExternOverload overload{*symbol, {}, type->type};
    for (const Value &parameter : listElements(key)) {
      const TypeObject *object = parameter.get<TypeObject>();
      if (!object || object->type.isBlock())
        return refuse();
      overload.parameters.push_back(object->type);
    }
    overloads.push_back(std::move(overload));
  }
  return overloads;
}

static FailureOr<Value> externElementwise(Emitter &emit, BoundArguments args) {
  const std::string *library = args[0].get<std::string>(), *path = args[1].get<std::string>();
  if (!library || !path)
    return emit.error("extern_elementwise takes two strings, a library's name and path, not " +
                      (library ? args[1] : args[0]).describe());
  auto overloads = overloadsOf(emit, args[3]);
  if (failed(overloads))
    return llvm::failure();
  ExternFunction function{"extern_elementwise", *library, *path, isTruthy(args[4])};
  return asValue(callExtern(emit, function, *overloads, listElements(args[2])));
}

static std::string spell(llvm::ArrayRef<KernelType> types) {
  return "(" +
         llvm::join(llvm::map_range(types, [](const KernelType &type) { return type.str(); }),
                    ", ") +
         ")";
}

FailureOr<Tensor> tessera::callExtern(Emitter &emit, const ExternFunction &function,
                                      llvm::ArrayRef<ExternOverload> overloads,
                                      llvm::ArrayRef<Value> arguments) {
  FailureOr<llvm::SmallVector<Tensor>> operands = toTensors(emit, arguments);
  if (failed(operands))
    return llvm::failure();
  llvm::SmallVector<KernelType> types;
  for (const Tensor &operand : *operands)
    types.push_back(operand.type.withShape({}));
  const ExternOverload *match = llvm::find_if(overloads, [&](const ExternOverload &overload) {
    return llvm::equal(overload.parameters, types);
  });
  if (match == overloads.end()) {
    std::string known;
    for (const ExternOverload &overload : overloads)
      known += (known.empty() ? "" : " or ") + spell(overload.parameters);
    return emit.error(function.name + " takes " + known + ", not " + spell(types) +
                      "; convert with .to(...)");
  }
  if (failed(broadcastTogether(emit, *operands)))
    return llvm::failure();
  llvm::SmallVector<mlir::Value> handles;
  for (const Tensor &operand : *operands)
    handles.push_back(operand.handle);
  KernelType result = match->result;
  if (!operands->empty())
    result = result.withShape(operands->front().type.shape);
  return Tensor{tt::ExternElementwiseOp::create(
                    emit.builder, emit.location(), toIR(result, emit.context()), handles,
                    function.library, function.path, match->symbol, function.isPure),
                result};
}

/// @tl.core.extern and @tl.core.builtin: what they decorate is read where it is defined.
static FailureOr<Value> decorate(Emitter &emit, BoundArguments) {
  return emit.error("extern and builtin are decorators of functions that a module defines");
}

static constexpr Parameter kFunction[] = {{"fn"}};
static constexpr Parameter kAssembly[] = {{"asm"},   {"constraints"}, {"args"},
                                          {"dtype"}, {"is_pure"},     {"pack"}};
static constexpr Parameter kConvert[] = {
    {"arg"}, {"dst_ty"}, {"fp_downcast_rounding", Default::None}};
static constexpr Parameter kExtern[] = {
    {"lib_name"}, {"lib_path"}, {"args"}, {"arg_type_symbol_dict"}, {"is_pure"}};

llvm::ArrayRef<Builtin> tessera::inlineAssemblyBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.inline_asm_elementwise", kAssembly, inlineAssembly},
      {"triton.language.extern_elementwise", kExtern, externElementwise},
      {"triton.language.extern", kFunction, decorate, false, true},
      {"triton.language.builtin", kFunction, decorate, false, true},
      {"triton.language.extra.cuda.smid", {}, smid},
      {"triton.language.extra.cuda.globaltimer", {}, globalTimer},
      {"triton.language.extra.cuda.gdc_wait", {}, gdcWait},
      {"triton.language.extra.cuda.gdc_launch_dependents", {}, gdcLaunchDependents},
      {"triton.language.extra.cuda.convert_custom_float8_sm70", kConvert, convertFloat8},
      {"triton.language.extra.cuda.convert_custom_float8_sm80", kConvert, convertFloat8},
  };
  return rows;
}
