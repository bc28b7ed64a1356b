//===- Options.h - what a compilation is asked to do ----------------------===//
// CompileOptions is semantic: two compilations with equal options and equal
// source give equal code, and all of it is hashed into the cache key.
// DebugOptions changes what is shown and is never hashed. Both structs are
// generated from Options.def. They live in Support because passes in Target/
// read them and includes point only upwards.
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace tessera {

struct CompileOptions {
#define COMPILE_OPTION(type, field, value, flag, help) type field = value;
#include "tessera/Support/Options.def"

  /// The fields as `flag=value` lines in table order: what the cache key hashes.
  std::string canonicalText() const;
};

struct DebugOptions {
#define DEBUG_OPTION(type, field, value, flag, help) type field = value;
#include "tessera/Support/Options.def"
};

} // namespace tessera
