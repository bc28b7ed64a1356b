//===- ForeignNames.cpp - names from torch, NumPy and CUDA ----------------===//
// What kernels write instead of names that people know from torch, NumPy and CUDA:
//
//   x.mean()       a tensor has no attribute 'mean'; tl.sum(x, axis) / n is the mean
//   tl.threadIdx   triton.language has no 'threadIdx'; a kernel works on whole tensors: ...
//
// A similar name would mislead there: 'max' for 'mean', 'sin' for 'size'.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;

llvm::StringRef tessera::adviceForMethod(llvm::StringRef name) {
  llvm::StringRef advice =
      llvm::StringSwitch<llvm::StringRef>(name)
          .Case("mean", "tl.sum(x, axis) / n is the mean")
          .Cases({"var", "std"}, "tl.sum of the squared differences from the mean computes it")
          .Case("norm", "tl.sqrt(tl.sum(x * x, axis)) is the norm")
          .Case("size", "x.shape is a tuple of ints")
          .Cases({"dim", "ndim"}, "len(x.shape) is the number of axes")
          .Cases({"t", "transpose"}, "x.T transposes a matrix, tl.permute(x, axes) other tensors")
          .Case("flatten", "tl.reshape(x, shape) gives it another shape")
          .Cases({"astype", "type_as"}, "write x.to(tl.float16)")
          .Case("float", "write x.to(tl.float32)")
          .Case("half", "write x.to(tl.float16)")
          .Case("double", "write x.to(tl.float64)")
          .Case("int", "write x.to(tl.int32)")
          .Case("long", "write x.to(tl.int64)")
          .Case("bool", "write x != 0")
          .Cases({"clone", "copy", "contiguous"}, "tensors do not change: use it as it is")
          .Cases({"tolist", "numpy"},
                 "a kernel stores results through pointers; tl.device_print shows them")
          .Cases({"matmul", "mm"}, "write tl.dot(a, b)")
          .Default("");
  if (advice.empty() && name.ends_with("_") && !name.starts_with("_"))
    return "tensors do not change in place: assign the result to a name";
  return advice;
}

llvm::StringRef tessera::adviceForLanguageName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("blockIdx", "tl.program_id(axis) is the index of the program")
      .Case("gridDim", "tl.num_programs(axis) is the size of the grid")
      .Cases(
          {"threadIdx", "blockDim", "thread_id"},
          "a kernel works on whole tensors: tl.arange(0, BLOCK) gives the offsets of a program's "
          "elements, and BLOCK is a tl.constexpr parameter")
      .Cases({"syncthreads", "__syncthreads", "barrier", "sync"},
             "tensors need no barrier; tl.debug_barrier() is one")
      .Cases({"shared", "shared_memory", "alloc", "local_array"},
             "the compiler places tensors in registers and shared memory by itself")
      .Case("mean", "tl.sum(x, axis) / n is the mean")
      .Cases({"matmul", "mm", "bmm"}, "write tl.dot(a, b)")
      .Case("relu", "write tl.maximum(x, 0)")
      .Case("empty", "write tl.zeros(shape, dtype)")
      .Case("ones", "write tl.full(shape, 1, dtype)")
      .Cases({"concat", "concatenate"}, "tl.cat and tl.join combine two tensors")
      .Case("stack", "tl.join(a, b) adds a last axis of 2")
      .Case("transpose", "write tl.trans(x), or tl.permute(x, axes)")
      .Cases({"printf", "print"}, "write tl.device_print(\"x\", x)")
      .Case("inf", "write float(\"inf\")")
      .Case("nan", "write float(\"nan\")")
      .Default("");
}
