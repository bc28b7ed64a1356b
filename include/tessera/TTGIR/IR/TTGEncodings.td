//===- TTGEncodings.td - layouts over threads and in memory -----*- tablegen -*-//
// Each encoding is a named linear layout (TTGIR/Layout/NamedLayouts.h): the attribute contains the
// parameters, and TTGLayouts.h returns the map. That folder also decides which parameters are valid.
//===----------------------------------------------------------------------===//
#ifndef TESSERA_TTGIR_TTGENCODINGS_TD
#define TESSERA_TTGIR_TTGENCODINGS_TD

include "tessera/TTGIR/IR/TTGDialect.td"
include "tessera/TTGIR/IR/TTGInterfaces.td"

// A layout of a few machine words, which is read without copying.
def TTG_LinearLayoutParameter : AttrParameter<"::tessera::LinearLayout", "a linear layout"> {
  let cppAccessorType = "const ::tessera::LinearLayout &";
}

class TTG_Encoding<string name, string attrMnemonic, list<Trait> traits>
    : TTG_Attr<name # "Encoding", attrMnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class TTG_Distributed<string name, string attrMnemonic>
    : TTG_Encoding<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<LayoutEncodingAttr>,
         DeclareAttrInterfaceMethods<DistributedEncodingAttr>]>;

class TTG_Shared<string name, string attrMnemonic>
    : TTG_Encoding<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<LayoutEncodingAttr>,
         DeclareAttrInterfaceMethods<SharedEncodingAttr>]>;

//===----------------------------------------------------------------------===//
// Over threads
//===----------------------------------------------------------------------===//

def TTG_BlockedEncoding : TTG_Distributed<"Blocked", "blocked"> {
  let summary = "a grid of threads, each with a block of elements";
  let description = [{
    `#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4],
      warpsPerCTA = [2, 1], order = [1, 0]}>`; `order` lists dimensions fastest
    first.
  }];
  let parameters = (ins ArrayRefParameter<"unsigned">:$sizePerThread,
                        ArrayRefParameter<"unsigned">:$threadsPerWarp,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA,
                        ArrayRefParameter<"unsigned">:$order,
                        "CGALayoutAttr":$CGALayout);
  let extraClassDeclaration = [{
    ::tessera::BlockedParams getParams() const;
    /// Creates the attribute from a choice of TTGIR/Layout/BlockedChoice.h.
    static BlockedEncodingAttr get(::mlir::MLIRContext *context,
                                   const ::tessera::BlockedParams &params);
    /// One element per thread, the last dimension fastest.
    static BlockedEncodingAttr getDefault(::mlir::MLIRContext *context,
                                          ::llvm::ArrayRef<int64_t> shape, unsigned numWarps,
                                          unsigned threadsPerWarp, unsigned numCTAs);
  }];
}

def TTG_SliceEncoding : TTG_Distributed<"Slice", "slice"> {
  let summary = "the parent's layout without one of its dimensions";
  let description = "`#ttg.slice<{dim = 0, parent = #blocked}>`";
  let parameters = (ins "unsigned":$dim, "DistributedEncodingAttr":$parent);
}

def TTG_LinearEncoding : TTG_Distributed<"Linear", "linear"> {
  let summary = "a linear layout, basis by basis";
  let description = [{
    `#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>`
  }];
  let parameters = (ins TTG_LinearLayoutParameter:$layout);
}

def TTG_NvidiaMmaEncoding : TTG_Distributed<"NvidiaMma", "nvidia_mma"> {
  let summary = "accumulators of NVIDIA's tensor cores";
  let description = [{
    `#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2],
      instrShape = [16, 8]}>`; version 2 is mma.sync, version 3 wgmma with
    `instrShape = [16, N, K]`.
  }];
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA,
                        "CGALayoutAttr":$CGALayout,
                        ArrayRefParameter<"unsigned">:$instrShape);
  let extraClassDeclaration = [{
    ::tessera::NvidiaMmaParams getParams() const;
  }];
}

def TTG_DotOperandEncoding : TTG_Distributed<"DotOperand", "dot_op"> {
  let summary = "operand A or B of a dot whose result has the parent's layout";
  let description = [{
    `#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>`; `kWidth` elements
    along K lie together in a register group. A blocked parent has none.
  }];
  let parameters = (ins "unsigned":$opIdx, "DistributedEncodingAttr":$parent, "unsigned":$kWidth);
}

def TTG_AmdMfmaEncoding : TTG_Distributed<"AmdMfma", "amd_mfma"> {
  let summary = "accumulators of AMD's matrix cores (CDNA)";
  let parameters = (ins "unsigned":$version, ArrayRefParameter<"unsigned">:$warpsPerCTA,
                        ArrayRefParameter<"unsigned">:$instrShape, "bool":$isTransposed,
                        "CGALayoutAttr":$CGALayout, ArrayRefParameter<"unsigned">:$tilesPerWarp,
                        "unsigned":$elementBitWidth);
  let extraClassDeclaration = [{
    ::tessera::AmdMfmaParams getParams() const;
  }];
}

def TTG_AmdWmmaEncoding : TTG_Distributed<"AmdWmma", "amd_wmma"> {
  let summary = "accumulators of AMD's matrix cores (RDNA)";
  let parameters = (ins "unsigned":$version, "bool":$isTransposed,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA, "CGALayoutAttr":$CGALayout,
                        ArrayRefParameter<"unsigned">:$tilesPerWarp,
                        ArrayRefParameter<"unsigned">:$instrShape);
  let extraClassDeclaration = [{
    ::tessera::AmdWmmaParams getParams() const;
  }];
}

//===----------------------------------------------------------------------===//
// In shared memory
//===----------------------------------------------------------------------===//

def TTG_SwizzledSharedEncoding : TTG_Shared<"SwizzledShared", "swizzled_shared"> {
  let summary = "row-major with groups of elements xored by row, against bank conflicts";
  let description = [{
    `#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>`
  }];
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase,
                        ArrayRefParameter<"unsigned">:$order, "CGALayoutAttr":$CGALayout);
  let extraClassDeclaration = [{
    ::tessera::SwizzledSharedParams getParams() const;
  }];
}

def TTG_AmdRotatingSharedEncoding : TTG_Shared<"AmdRotatingShared", "amd_rotating_shared"> {
  let summary = "swizzled, with the phase rotated from one period to the next";
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase,
                        ArrayRefParameter<"unsigned">:$order, "CGALayoutAttr":$CGALayout);
  let extraClassDeclaration = [{
    ::tessera::SwizzledSharedParams getParams() const;
  }];
}

def TTG_NvmmaSharedEncoding : TTG_Shared<"NvmmaShared", "nvmma_shared"> {
  let summary = "what TMA writes and wgmma reads";
  let description = [{
    `#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false,
      elementBitWidth = 16}>`; `rank` is written when it is not 2.
  }];
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed,
                        "unsigned":$elementBitWidth, "bool":$fp4Padded,
                        "CGALayoutAttr":$CGALayout);
  let extraClassDeclaration = [{
    ::tessera::NvmmaSharedParams getParams() const;
  }];
}

def TTG_SharedLinearEncoding : TTG_Shared<"SharedLinear", "shared_linear"> {
  let summary = "a linear layout of a buffer, basis by basis";
  let description = [{
    `#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>`
  }];
  let parameters = (ins TTG_LinearLayoutParameter:$layout, "unsigned":$layoutAlignment);
}

def TTG_PaddedSharedEncoding : TTG_Shared<"PaddedShared", "padded_shared"> {
  let summary = "a linear layout with unused elements after each interval";
  let description = [{
    `#ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 32]}>`, or with
    the bases of the linear part: `{offset = [[0, 1], ...], block = []}`.
  }];
  let parameters = (ins ArrayRefParameter<"unsigned">:$intervals,
                        ArrayRefParameter<"unsigned">:$paddings,
                        TTG_LinearLayoutParameter:$layout);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::tessera::PaddingInterval> getPaddingIntervals() const;
  }];
}

#endif // TESSERA_TTGIR_TTGENCODINGS_TD
