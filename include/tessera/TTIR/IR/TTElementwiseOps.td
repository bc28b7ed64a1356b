//===- TTElementwiseOps.td - casts and arithmetic --------------*- tablegen -*-//
// What `arith` and `math` cannot say: pointers, fp8, chosen rounding, library
// calls and inline assembly.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTIR_TTELEMENTWISEOPS_TD
#define TESSERA_TTIR_TTELEMENTWISEOPS_TD

include "tessera/TTIR/IR/TTOpBase.td"

def TT_IntToPtrOp : TT_ElementwiseOp<"int_to_ptr"> {
  let summary = "read an address as a pointer";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_PtrToIntOp : TT_ElementwiseOp<"ptr_to_int"> {
  let summary = "read a pointer as an address";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_BitcastOp : TT_ElementwiseOp<"bitcast"> {
  let summary = "reinterpret bits";
  let description = [{
    Pointer to pointer, and the numeric pairs that `arith.bitcast` cannot do.
    A pointer never becomes a number here; that is `tt.ptr_to_int`.
  }];
  let arguments = (ins AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike]>:$src);
  let results = (outs AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike]>:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp"> {
  let summary = "convert between float formats, fp8 included";
  let description = [{
    A conversion that loses bits says how it rounds:
    `%h = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32> -> tensor<128xf16>`.
  }];
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_AddPtrOp : TT_ElementwiseOp<"addptr", [
    TypesMatchWith<"result has the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "pointer plus an offset counted in elements";
  let description = [{
    The offset may have any integer width and is sign-extended; it is scaled by
    the size of the pointee.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

#endif // TESSERA_TTIR_TTELEMENTWISEOPS_TD
