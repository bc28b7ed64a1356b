//===- TTElementwiseOps.td - casts and arithmetic --------------*- tablegen -*-//
// Operations that `arith` and `math` lack: pointers, fp8, explicit rounding modes, library calls and
// inline assembly.
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
  let hasFolder = 1;
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

def TT_ClampFOp : TT_ElementwiseOp<"clampf", [SameOperandsAndResultType]> {
  let summary = "min(max(x, lo), hi)";
  let description = [{
    With `propagateNan = none` a NaN `x` yields a bound; with `all` it stays.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max,
                       TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)
  }];
}

def TT_PreciseSqrtOp : TT_ElementwiseOp<"precise_sqrt", [SameOperandsAndResultType]> {
  let summary = "square root, rounded to nearest as IEEE 754 asks";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_ElementwiseOp<"precise_divf", [SameOperandsAndResultType]> {
  let summary = "quotient, rounded to nearest as IEEE 754 asks";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_ElementwiseOp<"mulhiui", [SameOperandsAndResultType]> {
  let summary = "the high half of an unsigned product";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

// A foreign function or inline assembly with an attribute that says whether it is pure.
class TT_ForeignOp<string mnemonic, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat(traits, [
        Elementwise, SameOperandsAndResultEncoding,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def TT_ExternElementwiseOp : TT_ForeignOp<"extern_elementwise"> {
  let summary = "call a device library's function on each element";
  let arguments = (ins Variadic<TT_Value>:$srcs, StrAttr:$libname, StrAttr:$libpath,
                       StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Value:$result);
  let assemblyFormat = "$srcs attr-dict `:` functional-type($srcs, $result)";
}

def TT_ElementwiseInlineAsmOp : TT_ForeignOp<"elementwise_inline_asm"> {
  let summary = "assembly on groups of packed_element elements";
  let description = [{
    `%r = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r",
     packed_element = 1 : i32, pure = true} %a, %b : tensor<128xi32>, tensor<128xi32>
     -> tensor<128xi32>`
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       TT_SignedI32Attr:$packed_element, Variadic<TT_Value>:$args);
  let results = (outs Variadic<TT_Value>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [
    Elementwise, SameOperandsAndResultEncoding, SameOperandsAndResultShape,
    RecursiveMemoryEffects]> {
  let summary = "apply a region to the elements of tensors";
  let description = [{
    The entry block takes `pack` elements of each operand, operand by operand,
    and returns `pack` of each result. It may branch, but not write memory.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, TT_SignedI32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region MinSizedRegion<1>:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
    HasParent<"MapElementwiseOp">, Pure, Terminator, ReturnLike]> {
  let summary = "the results for one group of elements";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif // TESSERA_TTIR_TTELEMENTWISEOPS_TD
