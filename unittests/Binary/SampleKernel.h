//===- SampleKernel.h - a compiled kernel for the tests -------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"

inline tessera::CompiledKernel makeSampleKernel(size_t cubinBytes = 1000) {
  tessera::CompiledKernel kernel;
  tessera::KernelRecord &record = kernel.record;
  record.tesseraVersion = "0.1.0";
  record.kernelName = "add_kernel";
  record.target = "cuda:90";
  record.arguments = {{.name = "x_ptr", .type = "*fp32", .divisibility = 16},
                      {.name = "n", .type = "i32"},
                      {.name = "stride", .type = "i32", .constant = "1"},
                      {.name = "BLOCK_SIZE", .type = "constexpr", .constant = "1024"}};
  record.hiddenArguments = {tessera::HiddenArgument::GlobalScratch,
                            tessera::HiddenArgument::ProfileScratch};
  record.numWarps = 4;
  record.threadsPerWarp = 32;
  record.numCTAs = 2;
  record.cluster = {2, 1, 1};
  record.sharedBytes = 49152;
  record.globalScratch = {uint64_t(1) << 40, 128};
  record.registers = 32;
  record.spillBytes = 0;
  record.assembler = "ptxas 13.0";
  record.sourceFile = "ex\"amples/\xc3\xa4"
                      "dd.py";
  record.sourceLine = 9;
  record.options = {{"num-warps", "4"}, {"mcpu", "a=b"}};
  kernel.artifacts["ptx"] = ".version 8.7\n";
  kernel.artifacts["cubin"] = std::string(cubinBytes, '\0') + "\x7f"
                                                              "ELF";
  return kernel;
}
