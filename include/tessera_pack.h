/*===- tessera_pack.h - kernels of a pack, from C and other languages ------===
 * A small library without a compiler inside, for programs that ship a pack
 * (docs/packs.md): it opens and verifies packs, finds the variant of a kernel that
 * fits the arguments, hands out its binary, and runs it on the CPU or on a GPU. A GPU's
 * driver is opened at the first launch on it, and is not linked.
 *
 *   tessera_pack *pack;
 *   if (tessera_pack_open("model.tpack", NULL, &pack) != TESSERA_PACK_OK)
 *     fputs(tessera_pack_last_error(), stderr);
 *   const void *values[] = {&x, &y, &n, NULL};            // NULL: any value of a constant
 *   uint32_t grid[3] = {4, 1, 1};
 *   tessera_pack_place place = {"cuda", stream, 0};
 *   status = tessera_pack_launch(pack, "scale", grid, values, 4, &place);
 *
 * Functions may be called from several threads. They never end the process; a status
 * other than TESSERA_PACK_OK has a sentence in tessera_pack_last_error(). Link with
 * -ltessera_pack -lpthread -ldl -lm.
 *===----------------------------------------------------------------------===*/
#ifndef TESSERA_PACK_H
#define TESSERA_PACK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TESSERA_PACK_API __attribute__((visibility("default")))
#else
#define TESSERA_PACK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tessera_pack_status {
  TESSERA_PACK_OK = 0,
  TESSERA_PACK_NO_FILE = 1,    /* it cannot be opened */
  TESSERA_PACK_NO_PACK = 2,    /* it is damaged, or no pack of this version */
  TESSERA_PACK_NO_TRUST = 3,   /* it was not signed with the key */
  TESSERA_PACK_NO_KERNEL = 4,  /* it has no kernel of this name for the target */
  TESSERA_PACK_NO_VARIANT = 5, /* no variant fits the arguments */
  TESSERA_PACK_NO_BINARY = 6,  /* the variant has no such output, or it cannot be loaded */
  TESSERA_PACK_WRONG_CALL = 7, /* a null pointer, a wrong number, an impossible grid */
  TESSERA_PACK_NO_MEMORY = 8,
  TESSERA_PACK_KERNEL_FAILED = 9, /* the kernel ran out of memory, or an assertion of it failed */
  TESSERA_PACK_NO_DRIVER = 10,    /* there is no GPU of this kind, or no driver that works */
  TESSERA_PACK_DRIVER_FAILED = 11 /* a function of the driver failed */
} tessera_pack_status;

typedef struct tessera_pack tessera_pack;

/* A string that does not end in a zero. */
typedef struct tessera_pack_text {
  const char *data;
  size_t size;
} tessera_pack_text;

typedef struct tessera_pack_variant {
  tessera_pack_text kernel, signature, target, options;
  const unsigned char *key; /* 32 bytes */
  int is_launched;          /* the recorded program launched it; 0: other values may need it */
  int is_tuned;
} tessera_pack_variant;

/* The sentence about the last failure on the calling thread. */
TESSERA_PACK_API const char *tessera_pack_last_error(void);

/* Maps a pack and checks its index. With `public_key` (32 bytes, of FILE.pub) a pack that was not
 * signed with it is refused. The file must not be written to while it is open; rename another one
 * onto it. */
TESSERA_PACK_API tessera_pack_status tessera_pack_open(const char *path,
                                                       const unsigned char *public_key,
                                                       tessera_pack **pack);
/* No kernel of it may be running, and the contexts into which it was loaded must still exist. */
TESSERA_PACK_API void tessera_pack_close(tessera_pack *pack);

/* The entries are numbered from 0. An entry that is no kernel, but what autotune chose, has no
 * signature. The strings live as long as the pack. */
TESSERA_PACK_API uint32_t tessera_pack_count(const tessera_pack *pack);
TESSERA_PACK_API tessera_pack_status tessera_pack_get(const tessera_pack *pack, uint32_t number,
                                                      tessera_pack_variant *variant);
/* An output of an entry, "cubin", "ptx", "obj" or its ABI "record" as JSON (docs/abi.md), after its
 * checksum was verified. The bytes live as long as the pack. */
TESSERA_PACK_API tessera_pack_status tessera_pack_output(const tessera_pack *pack, uint32_t number,
                                                         const char *name, const void **bytes,
                                                         size_t *size);

/* Where a kernel runs. A null place, or one of zeros, is the CPU. */
typedef struct tessera_pack_place {
  /* "cpu", "cuda" or "hip"; NULL: "cpu". A GPU is the one of the calling thread: that of its
   * current CUcontext (if it has none, the first GPU's primary context becomes its), or its current
   * HIP device. A kernel is loaded once for each context. */
  const char *device;
  void *stream;     /* a CUstream or hipStream_t of that GPU; NULL: the default stream */
  unsigned threads; /* that run a kernel on the CPU; 0: one for each processor */
} tessera_pack_place;

/* Writes the target of a place, as "cuda:86", with a final zero into `size` bytes. */
TESSERA_PACK_API tessera_pack_status tessera_pack_target(const tessera_pack_place *place,
                                                         char *target, size_t size);

/* Finds the most specialised variant of a kernel for a target ("cuda:90", "cpu") that fits the
 * arguments. Code for an earlier chip serves if there is none for this one: a CUBIN of the same
 * generation, or PTX, which the driver compiles. `values` has a pointer for each parameter of the
 * Python function, in order, to its value in storage form: the address of a pointer variable, of an
 * int32_t for i32. A parameter that is constant in every variant takes an int64_t, or NULL for any
 * value. */
TESSERA_PACK_API tessera_pack_status tessera_pack_select(tessera_pack *pack, const char *kernel,
                                                         const char *target,
                                                         const void *const *values, uint32_t count,
                                                         uint32_t *number);

/* Selects a variant for the place and runs it. On the CPU it has ended when the function returns;
 * on a GPU it is in the stream, and pointers are the device's. */
TESSERA_PACK_API tessera_pack_status tessera_pack_launch(tessera_pack *pack, const char *kernel,
                                                         const uint32_t grid[3],
                                                         const void *const *values, uint32_t count,
                                                         const tessera_pack_place *place);
/* The same for a variant that was selected before. */
TESSERA_PACK_API tessera_pack_status tessera_pack_launch_variant(
    tessera_pack *pack, uint32_t number, const uint32_t grid[3], const void *const *values,
    uint32_t count, const tessera_pack_place *place);

/* Loads all variants of a kernel (NULL: of all kernels) that the place can run, before the first
 * launch would: while a CUDA graph is captured, nothing can be loaded. */
TESSERA_PACK_API tessera_pack_status tessera_pack_load(tessera_pack *pack, const char *kernel,
                                                       const tessera_pack_place *place);

#ifdef __cplusplus
}
#endif
#endif
