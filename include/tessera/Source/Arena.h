//===- Arena.h - memory for nodes that live and die together --------------===//
// A bump allocator and a table of interned strings. Nothing is freed before
// the arena is; nothing stored may need a destructor.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera {

class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  void *allocate(size_t size, size_t align) {
    uintptr_t start = (cursor + align - 1) & ~(uintptr_t(align) - 1);
    if (start + size > limit)
      return allocateSlow(size, align);
    cursor = start + size;
    return reinterpret_cast<void *>(start);
  }

  template <typename T, typename... Args> T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  /// A copy of `values` that lives as long as the arena.
  template <typename T> std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty())
      return {};
    T *data = static_cast<T *>(allocate(values.size_bytes(), alignof(T)));
    std::uninitialized_copy(values.begin(), values.end(), data);
    return {data, values.size()};
  }
  std::string_view copy(std::string_view text);

  /// The one copy of `text` in this arena: equal strings get equal data().
  std::string_view intern(std::string_view text);

  /// Bytes taken from the system, for reports.
  size_t bytesReserved() const { return reserved; }

private:
  void *allocateSlow(size_t size, size_t align);
  void growInternTable();

  std::vector<std::unique_ptr<std::byte[]>> slabs;
  uintptr_t cursor = 0;
  uintptr_t limit = 0;
  size_t reserved = 0;
  std::vector<std::string_view> internTable; // open addressing, a power of two
  size_t interned = 0;
};

} // namespace tessera
