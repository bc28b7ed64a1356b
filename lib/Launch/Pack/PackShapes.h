//===- PackShapes.h - variants of a kernel, by what they require ----------===//
// Variants with the same types and promises, and with constants in the same places, have
// one shape. A launch compares its arguments with the shapes, of which a kernel has few,
// and finds the variants of a shape by a hash of their constants:
//
//   "*fp32:16,i32:16,64"  "*fp32:16,i32:16,128"      shape (*fp32:16, i32:16, integer): 64, 128
//   "*fp32:16,i32,64"                                shape (*fp32:16, i32, integer): 64
//
// Shapes come from the signatures in the index of the pack, so that no record is read for
// them. A signature that has more than types, hints and literals (tuples, descriptors) does
// not tell the parameters: there they are those of the record.
//
// Cost: about 0.2 us for each variant when a shape is filled; a launch costs a few ns for
// each shape, however many variants it has.
//===----------------------------------------------------------------------===//
#pragma once

#include "PackRecord.h"
#include "tessera/Launch/CodeFit.h"
#include <atomic>

namespace tessera {

/// A parameter that is passed, or the kind of its constant.
struct ShapeParameter {
  enum class Kind : uint8_t {
    Passed,
    Integer, // also None, which is 0
    Truth,   // True is any number but 0
    Other,   // no number that a caller could pass: 1.5, 'text'
  };
  Kind kind = Kind::Passed;
  std::string_view type; // of constants where it is known: "i32" of "i32:1"
  uint32_t divisibility = 1;
  bool isConstant() const { return kind != Kind::Passed; }
};

/// A parameter, and its value if it is constant.
struct ParameterValue {
  ShapeParameter parameter;
  uint64_t constant = 0;
};

struct PackMember {
  enum State : uint8_t { kUnread, kGood, kBad, kTooLarge };
  uint32_t number = 0; // of the entry
  CodeFit fit;
  uint32_t next = 0; // 1 more than the place of the next one with this hash; 0 at the end
};

class PackShape {
public:
  PackShape *next = nullptr;

  /// False if there is no memory. `values` are `count` parameters.
  bool open(const ParameterValue *values, uint32_t count);
  bool isOf(const ParameterValue *values, uint32_t count) const;
  bool add(const ParameterValue *values, uint32_t number, CodeFit fit);
  /// To be called after the last add; false if there is no memory.
  bool close();

  uint32_t parameterCount() const { return parameters.size(); }
  const ShapeParameter &parameter(uint32_t place) const { return parameters[place]; }
  uint32_t size() const { return members.size(); }
  const PackMember &member(uint32_t place) const { return members[place]; }
  std::atomic<uint8_t> &state(uint32_t place) const { return states[place]; }
  /// The values of the constants, in order.
  const uint64_t *constantsOf(uint32_t place) const {
    return constants.begin() + size_t(place) * constantCount;
  }

  /// What the arguments of a launch are to a shape.
  struct Match {
    bool isPossible = false, hasWildcard = false; // a null for a constant: any value of it
    int promises = 0;
    uint64_t constants[PackRecord::kMaxParameters];
    bool isGiven[PackRecord::kMaxParameters]; // by constant
  };
  /// `types` are those of constants whose own is not known.
  void match(const void *const *values, const PackList<std::string_view> &types,
             Match &found) const;
  /// The first member of those that may fit, and the next one after a place; size() at the end.
  uint32_t first(const Match &match) const;
  uint32_t after(uint32_t place, const Match &match) const;
  bool fits(uint32_t place, const Match &match) const;

  ~PackShape();
  PackShape() = default;
  PackShape(const PackShape &) = delete;

private:
  PackList<ShapeParameter> parameters;
  PackList<PackMember> members;
  PackList<uint64_t> constants;
  uint32_t constantCount = 0, mask = 0;
  uint32_t *heads = nullptr;
  mutable std::atomic<uint8_t> *states = nullptr;
};

/// Reads the parameters of a signature; false if it does not tell them all.
bool readSignature(std::string_view signature, ParameterValue *values, uint32_t &count);
/// The parameters of a record.
void readParameters(const PackRecord &record, ParameterValue *values);

} // namespace tessera
