//===- TTCOps.td - the ttc dialect -----------------------------*- tablegen -*-//
// Ops of the CPU target beyond TTIR: checks of memory accesses (docs/sanitizer.md), and sorting. They
// exist only between make_ttir and the lowering; no file contains them.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TARGET_CPU_TTCOPS_TD
#define TESSERA_TARGET_CPU_TTCOPS_TD

include "tessera/TTIR/IR/TTOpBase.td"

def TTC_Dialect : Dialect {
  let name = "ttc";
  let cppNamespace = "::tessera::ttc";
  let summary = "Programs over tiles that run on a processor and are watched";
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

class TTC_Op<string mnemonic, list<Trait> traits = []> : Op<TTC_Dialect, mnemonic, traits>;

def TTC_CheckAccessOp : TTC_Op<"check_access", [
    MemoryEffects<[MemRead, MemWrite]>, TT_MaskMatches<"ptr", "mask">,
    TypesMatchWith<"safe has the shape of the pointers, in i1", "ptr", "safe",
                   "::tessera::tt::getMaskType($_self)">]> {
  let summary = "which elements of an access may happen";
  let description = [{
    Tells the sanitizer of an access that follows. `safe` is the mask, less the
    elements that lie outside of the buffer; `suspect` is an element for which
    the sanitizer wants an explanation, or -1.

    `argument` is the kernel's argument that the pointers come from, or -1;
    `flags` are those of AccessSite (Support/AccessSite.h).

    `%safe, %suspect = ttc.check_access "load" %s, %p, %m {argument = 0 : i32,
     flags = 1 : i32} : !tt.ptr<i8>, tensor<128x!tt.ptr<f32>>`
  }];
  let arguments = (ins StrAttr:$kind, TT_Ptr:$sanitizer, TT_PtrLike:$ptr,
                       Optional<TT_BoolLike>:$mask, TT_SignedI32Attr:$argument, I32Attr:$flags);
  let results = (outs TT_BoolLike:$safe, I64:$suspect);
  let assemblyFormat = [{
    $kind $sanitizer `,` $ptr (`,` $mask^)? attr-dict `:` type($sanitizer) `,` type($ptr)
  }];
}

def TTC_ExtractOp : TTC_Op<"extract", [
    Pure, TypesMatchWith<"the result is an element of the tensor", "tensor", "result",
                         "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "one element of a tensor";
  let description = [{ `%e = ttc.extract %t[%i, %j] : tensor<64x32xi32>` }];
  let arguments = (ins TT_Tensor:$tensor, Variadic<I64>:$indices);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$tensor `[` $indices `]` attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def TTC_ExplainWrapOp : TTC_Op<"explain_wrap", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "tells what an operation on the way to a suspect's address was given";
  let description = [{
    The operation is WrapSite's (Support/AccessSite.h), of `bits` bits, and has
    its place. `suspect` is a result of ttc.check_access.

    `ttc.explain_wrap %suspect, %a, %b {kind = 2 : i32, bits = 32 : i32}`
  }];
  let arguments = (ins I64:$suspect, I64:$left, I64:$right, I32Attr:$kind, I32Attr:$bits,
                       UnitAttr:$isUnsigned);
  let assemblyFormat = "$suspect `,` $left `,` $right attr-dict";
  let hasVerifier = 1;
}

def TTC_ExchangeOp : TTC_Op<"exchange", [Pure, AllTypesMatch<["src", "result"]>]> {
  let summary = "steps of a sorting network";
  let description = [{
    The tensor has 2^n elements, known by their row-major place. A step compares
    every element with its partner, whose place differs in bit `bits[i]` alone:

      the element becomes its partner if (element > partner) != (bit of the
      element's place) ^ (bit `turns[i]` of its place) ^ downs[i]

    so that of two numbers the smaller comes first, or the larger where the turn
    or `downs[i]` says so. A turn is above the bit, and n when there is none.
    `isUnsigned` is for integers.

    `%y = ttc.exchange %x {bits = array<i32: 1, 0>, turns = array<i32: 2, 2>,
     downs = array<i1: false, false>} : tensor<2x2xf32>`
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$bits, DenseI32ArrayAttr:$turns,
                       DenseBoolArrayAttr:$downs, UnitAttr:$isUnsigned);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
}

#endif // TESSERA_TARGET_CPU_TTCOPS_TD
