//===- PackList.h - a list without C++'s library --------------------------===//
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace tessera {

/// Grows with realloc; elements are copied as bytes. An add that finds no memory returns null.
template <typename T> class PackList {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  PackList() = default;
  PackList(const PackList &) = delete;
  PackList(PackList &&other) noexcept
      : elements(std::exchange(other.elements, nullptr)), count(std::exchange(other.count, 0)),
        room(std::exchange(other.room, 0)) {}
  ~PackList() { std::free(elements); }

  T *add(const T &element) {
    if (count == room) {
      uint32_t wanted = room ? 2 * room : 8;
      void *grown = std::realloc(static_cast<void *>(elements), wanted * sizeof(T));
      if (!grown)
        return nullptr;
      elements = static_cast<T *>(grown);
      room = wanted;
    }
    return new (static_cast<void *>(&elements[count++])) T(element);
  }
  uint32_t size() const { return count; }
  T &operator[](uint32_t index) { return elements[index]; }
  const T &operator[](uint32_t index) const { return elements[index]; }
  T *begin() { return elements; }
  T *end() { return elements + count; }
  const T *begin() const { return elements; }
  const T *end() const { return elements + count; }

private:
  T *elements = nullptr;
  uint32_t count = 0, room = 0;
};

} // namespace tessera
