//===- AotLink.h - tessera link: one C function for several variants ------===//
// The headers that `tessera compile` writes declare a function for one signature
// and one chip. The linker reads them and writes functions that choose:
//
//   add_1024_warps4xstages3(stream, x, y, n)   the variant with the most hints that the arguments
//                                              fulfil, among those for the GPU's chip
//   add(stream, x, y, n, algo_id)              one of the algos, in the order of the headers
//   add_default(stream, x, y, n)               the first algo
//   add_get_num_algos()                        their number
//   load_..., unload_...                       on a GPU: load and unload one algo, or all
//
// Variants with the same constants and options form an algo. Triton's headers are
// read, too, and get the functions that Triton's linker writes. Functions of CPU
// variants have no stream; those called NAME_parallel have a number of threads.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera {

struct LinkHeader {
  std::string path; // for messages
  std::string text;
};

struct LinkedSources {
  std::string header, source;
};

/// `headerName` is what the source includes, `prefix` comes in front of all functions.
llvm::Expected<LinkedSources> linkVariants(llvm::ArrayRef<LinkHeader> headers,
                                           llvm::StringRef headerName, llvm::StringRef prefix);

} // namespace tessera
