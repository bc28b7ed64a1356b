//===- TTFunctions.cpp - tt.func, tt.call, tt.return ----------------------===//
// Syntax and rules are those of MLIR's `func` dialect.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tessera::tt;

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attrs, ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (!argAttrs.empty())
    call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, /*resultAttrs=*/{},
                                              getArgAttrsAttrName(state.name),
                                              getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                          function_interface_impl::VariadicFlag,
                          std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildFuncType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

bool FuncOp::isNoInline() {
  auto attr = (*this)->getAttrOfType<BoolAttr>(kNoInlineAttr);
  return attr && attr.getValue();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // [tt.call.C1] the callee is a tt.func
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "'" << getCallee() << "' is not a tt.func in this module";
  // [tt.call.C2] operands are the callee's arguments
  FunctionType type = callee.getFunctionType();
  if (TypeRange(getOperandTypes()) != TypeRange(type.getInputs())) {
    InFlightDiagnostic diag = emitOpError()
                              << "passes (" << getOperandTypes() << ") to '" << getCallee()
                              << "', which takes (" << type.getInputs() << ")";
    diag.attachNote(callee.getLoc()) << "callee is here";
    return diag;
  }
  // [tt.call.C3] results are the callee's results
  if (TypeRange(getResultTypes()) != TypeRange(type.getResults())) {
    InFlightDiagnostic diag = emitOpError()
                              << "expects (" << getResultTypes() << ") from '" << getCallee()
                              << "', which returns (" << type.getResults() << ")";
    diag.attachNote(callee.getLoc()) << "callee is here";
    return diag;
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  // [tt.return.C1] operands are the function's results
  auto func = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> expected = func.getFunctionType().getResults();
  if (TypeRange(getOperandTypes()) != TypeRange(expected))
    return emitOpError() << "returns (" << getOperandTypes() << ") from '" << func.getName()
                         << "', which returns (" << expected << ")";
  return success();
}
