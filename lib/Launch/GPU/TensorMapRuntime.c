/* ---- tensor maps: descriptors of tensors, which the GPU reads when it copies tiles ---- */

struct tessera_rt_map {
  uint64_t opaque[16];
} __attribute__((aligned(64)));

/* An integer argument, or an address. */
__attribute__((unused)) static int64_t tessera_rt_read(const void *from, unsigned bytes,
                                                       int is_signed) {
  uint64_t bits = 0;
  unsigned unused = 64 - 8 * bytes;
  memcpy(&bits, from, bytes);
  return is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

/* Arithmetic of extents and strides; `*bad` is set where there is no result. */
__attribute__((unused)) static int64_t tessera_rt_add(int *bad, int64_t a, int64_t b) {
  int64_t result = 0;
  *bad |= __builtin_add_overflow(a, b, &result);
  return result;
}
__attribute__((unused)) static int64_t tessera_rt_subtract(int *bad, int64_t a, int64_t b) {
  int64_t result = 0;
  *bad |= __builtin_sub_overflow(a, b, &result);
  return result;
}
__attribute__((unused)) static int64_t tessera_rt_multiply(int *bad, int64_t a, int64_t b) {
  int64_t result = 0;
  *bad |= __builtin_mul_overflow(a, b, &result);
  return result;
}
__attribute__((unused)) static int tessera_rt_can_divide(int *bad, int64_t a, int64_t b) {
  int can = b != 0 && !(a == INT64_MIN && b == -1);
  *bad |= !can;
  return can;
}
__attribute__((unused)) static int64_t tessera_rt_divide(int *bad, int64_t a, int64_t b) {
  return tessera_rt_can_divide(bad, a, b) ? a / b : 0;
}
__attribute__((unused)) static int64_t tessera_rt_remainder(int *bad, int64_t a, int64_t b) {
  return tessera_rt_can_divide(bad, a, b) ? a % b : 0;
}
__attribute__((unused)) static int64_t tessera_rt_floor_divide(int *bad, int64_t a, int64_t b) {
  int64_t rest = tessera_rt_remainder(bad, a, b);
  return tessera_rt_divide(bad, a, b) - (rest != 0 && (rest < 0) != (b < 0));
}
__attribute__((unused)) static int64_t tessera_rt_ceil_divide(int *bad, int64_t a, int64_t b) {
  int64_t rest = tessera_rt_remainder(bad, a, b);
  return tessera_rt_divide(bad, a, b) + (rest != 0 && (rest < 0) == (b < 0));
}
__attribute__((unused)) static int64_t tessera_rt_min(int *bad, int64_t a, int64_t b) {
  (void)bad;
  return a < b ? a : b;
}
__attribute__((unused)) static int64_t tessera_rt_max(int *bad, int64_t a, int64_t b) {
  (void)bad;
  return a > b ? a : b;
}
__attribute__((unused)) static int64_t tessera_rt_narrow(int *bad, int64_t a) {
  *bad |= a < INT32_MIN || a > INT32_MAX;
  return a;
}
__attribute__((unused)) static int64_t tessera_rt_unsigned(int *bad, int64_t a) {
  (void)bad;
  return (int64_t)(uint32_t)a;
}

/* Whether the hardware takes the values: those of TensorMapRecipe.cpp, for the driver's function.
 */
__attribute__((unused)) static int tessera_rt_fits_map(uint64_t address, unsigned rank,
                                                       const uint64_t *extents,
                                                       const uint64_t *strides) {
  unsigned i;
  int fits = address != 0 && address % 16 == 0;
  for (i = 0; i < rank; ++i)
    fits &= extents[i] >= 1 && extents[i] <= (uint64_t)1 << 32;
  for (i = 0; i + 1 < rank; ++i)
    fits &= strides[i] >= 16 && strides[i] < (uint64_t)1 << 40 && strides[i] % 16 == 0;
  return fits;
}

/* 0 if there is no map for these values. */
__attribute__((unused)) static int tessera_rt_encode(struct tessera_rt_map *map, int bad, int type,
                                                     unsigned rank, uint64_t address,
                                                     const uint64_t *extents,
                                                     const uint64_t *strides, const uint32_t *box,
                                                     int swizzle, int promotion, int fill) {
  static const uint32_t ones[5] = {1, 1, 1, 1, 1};
  if (bad || !tessera_rt_fits_map(address, rank, extents, strides))
    return 0;
  return tessera_rt_encode_tiled(map, type, rank, (void *)(uintptr_t)address, extents, strides, box,
                                 ones, 0, swizzle, promotion, fill) == 0;
}
