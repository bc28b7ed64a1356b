//===- RandomProgram.h - TTIR functions about indices, at random ----------===//
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

using Random = std::mt19937_64;

struct RandomProgram {
  /// A module with one kernel @f.
  std::string text;
  /// The divisibilities of the kernel's scalar arguments.
  std::vector<int64_t> divisibilities;
};

/// `steps` ops over scalars, vectors and matrices of i8 to i64 and pointers, with loops
/// and branches. Same random state, same program.
RandomProgram makeRandomProgram(Random &random, unsigned steps);

/// Arguments that keep the promises: zero, small, large, and of both signs.
std::vector<int64_t> makeRandomArguments(Random &random, const RandomProgram &program);

} // namespace tessera::test
