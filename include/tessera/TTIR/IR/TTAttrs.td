//===- TTAttrs.td - the tt dialect's enumerations --------------*- tablegen -*-//
// Enumerations are stored as 32-bit integers: printed as a keyword where an op's assembly format names
// the enum, and as an integer in attribute dictionaries. The numbers are part of the textual form.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTIR_TTATTRS_TD
#define TESSERA_TTIR_TTATTRS_TD

include "mlir/IR/EnumAttr.td"

class TT_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tessera::tt";
}

def TT_CacheModifier : TT_Enum<"CacheModifier", "how an access uses the caches", [
  I32EnumAttrCase<"None", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">,
  I32EnumAttrCase<"CG", 3, "cg">, I32EnumAttrCase<"WB", 4, "wb">,
  I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;

def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", "how soon a cache line may go", [
  I32EnumAttrCase<"Normal", 1, "evict_normal">,
  I32EnumAttrCase<"First", 2, "evict_first">,
  I32EnumAttrCase<"Last", 3, "evict_last">]>;

def TT_PaddingOption : TT_Enum<"PaddingOption", "what lies outside a tensor's bounds", [
  I32EnumAttrCase<"Zero", 1, "zero">, I32EnumAttrCase<"NaN", 2, "nan">]>;

def TT_MemSemantic : TT_Enum<"MemSemantic", "memory order of an atomic", [
  I32EnumAttrCase<"Relaxed", 1, "relaxed">, I32EnumAttrCase<"Acquire", 2, "acquire">,
  I32EnumAttrCase<"Release", 3, "release">,
  I32EnumAttrCase<"AcquireRelease", 4, "acq_rel">]>;

def TT_MemSyncScope : TT_Enum<"MemSyncScope", "who observes an atomic's order", [
  I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">,
  I32EnumAttrCase<"System", 3, "sys">]>;

def TT_RMWOp : TT_Enum<"RMWOp", "the operation of a read-modify-write", [
  I32EnumAttrCase<"And", 1, "and">, I32EnumAttrCase<"Or", 2, "or">,
  I32EnumAttrCase<"Xor", 3, "xor">, I32EnumAttrCase<"Add", 4, "add">,
  I32EnumAttrCase<"FAdd", 5, "fadd">, I32EnumAttrCase<"Max", 6, "max">,
  I32EnumAttrCase<"Min", 7, "min">, I32EnumAttrCase<"UMax", 8, "umax">,
  I32EnumAttrCase<"UMin", 9, "umin">, I32EnumAttrCase<"Exchange", 10, "exch">]>;

def TT_DescriptorReduceKind
    : TT_Enum<"DescriptorReduceKind", "the operation of a descriptor reduction", [
  I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Inc", 4, "inc">,
  I32EnumAttrCase<"Dec", 5, "dec">, I32EnumAttrCase<"And", 6, "and">,
  I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">]>;

def TT_ProgramIDDim : TT_Enum<"ProgramIDDim", "a dimension of the grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">,
  I32EnumAttrCase<"Z", 2, "z">]>;

def TT_RoundingMode : TT_Enum<"RoundingMode", "rounding of a float conversion", [
  I32EnumAttrCase<"TowardZero", 0, "rtz">,
  I32EnumAttrCase<"NearestEven", 1, "rtne">]>;

def TT_PropagateNan : TT_Enum<"PropagateNan", "which NaN inputs reach the result", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"All", 65535, "all">]>;

def TT_InputPrecision : TT_Enum<"InputPrecision", "how f32 dot operands are read", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;

def TT_ScaleDotElemType
    : TT_Enum<"ScaleDotElemType", "element format of a scaled dot's operand", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E2M3", 2, "e2m3">, I32EnumAttrCase<"E3M2", 3, "e3m2">,
  I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;

#endif // TESSERA_TTIR_TTATTRS_TD
