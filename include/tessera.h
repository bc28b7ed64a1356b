/*===- tessera.h - the C interface of Tessera ------------------------------===
 * Everything a program needs to compile and launch Triton kernels in process.
 * Stable: functions are only added, and request structs carry their size.
 *
 *   tessera_session *session = tessera_session_create();
 *   tessera_compile_request request = TESSERA_COMPILE_REQUEST;
 *   request.path = "add.py";
 *   request.kernel_name = "add_kernel";
 *   request.signature = "*fp32:16,*fp32:16,*fp32:16,i32,1024";
 *   request.target = "cuda:90";
 *   tessera_kernel *kernel = NULL;
 *   char *message = NULL;
 *   if (tessera_compile(session, &request, &kernel, &message) != TESSERA_DONE)
 *     fputs(message, stderr);
 *
 * Strings are UTF-8 and end in a zero. What a function returns through `char **`
 * is freed with tessera_string_free; `message` may be NULL. A session may be
 * used from several threads at once. Nothing here aborts or throws; only over
 * LLVM IR text that is handed in may LLVM itself end the process.
 *===----------------------------------------------------------------------===*/
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TESSERA_API __attribute__((visibility("default")))
#else
#define TESSERA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tessera_status {
  TESSERA_DONE = 0,
  TESSERA_PROGRAM_ERROR = 1,  /* the kernel is wrong; the message says where */
  TESSERA_USAGE_ERROR = 2,    /* the call is wrong */
  TESSERA_UNSUPPORTED = 3,    /* the target or this machine cannot do it */
  TESSERA_QUESTIONS = 4,      /* a program (docs/program.md) leaves something open */
  TESSERA_INTERNAL_ERROR = 70 /* a bug in Tessera */
} tessera_status;

typedef struct tessera_session tessera_session;
typedef struct tessera_kernel tessera_kernel;
typedef struct tessera_device tessera_device;
typedef struct tessera_loaded_kernel tessera_loaded_kernel;

/* "0.1.0" */
TESSERA_API const char *tessera_version(void);
TESSERA_API void tessera_string_free(char *text);

/* Describes the library as a JSON object, so that hosts need no lists of their own.
 *
 * If `target` is NULL, the object holds what all targets have in common:
 *   "version"        as tessera_version
 *   "options"        [{"name": "num-warps", "default": 4, "help": TEXT, "hashed": true}, ...];
 *                    options that are not hashed do not change the code
 *   "scalar_types"   [{"name": "fp32", "language_name": "float32", "bits": 32,
 *                      "c_type": "float"}, ...]
 *   "targets"        [{"name": "cuda:90", "summary": TEXT, "chip": "sm_90a",
 *                      "features": ["AsyncCopy", ...]}, ...]
 *   "tools"          {"ptxas": PATH, "nvdisasm": PATH, "cuobjdump": PATH, "libdevice": PATH};
 *                    a path is "" if the tool was not found
 *   "cache_folder"   the default folder of compiled kernels; "" if there is no home folder
 *
 * For a target such as "cuda:90" or "cpu" it holds:
 *   "target", "chip", "features"   as in "targets"
 *   "stages"         [{"name": "make_ttir", "extension": "ttir", "on_demand": false}, ...]
 *   "language"       {"backend": "cuda", "warp_size": 32, "fp8_types": ["fp8e5", ...],
 *                     "dot_precisions": ["tf32", ...], "min_dot_inner": 16,
 *                     "min_dot_inner_8bit": 32, "max_imprecise_accumulations": 0};
 *                    the first precision is the default
 *
 * `package_folders` lists folders of Python packages, separated by ':', which may hold tools; NULL
 * for none. A byte of a path that is not UTF-8 is written as \udc80 to \udcff, as Python's
 * surrogateescape does. This function reads environment variables: no other thread may change them
 * during the call. */
TESSERA_API tessera_status tessera_describe(const char *target, const char *package_folders,
                                            char **description, char **message);

/*--- Compiling ------------------------------------------------------------*/

/* Programs that a session starts, as assemblers, get the environment variables that there are now.
 * No other thread may be changing them during this call; afterwards any may. */
TESSERA_API tessera_session *tessera_session_create(void);
TESSERA_API void tessera_session_free(tessera_session *session);
/* Before the first compilation: "ptxas", "libdevice", "disassembler", "cache-dir", "dump-dir",
 * "print-passes" (a kernel's name, or 1), "print-path", "reproducer-dir", "always-compile" (true:
 * the cache folder is only written to), "cache-trust" (all: entries of the cache folder that other
 * users could have written are loaded, too). */
TESSERA_API tessera_status tessera_session_set(tessera_session *session, const char *name,
                                               const char *value, char **message);

typedef struct tessera_compile_request {
  size_t size;             /* sizeof(tessera_compile_request) */
  const char *path;        /* .py, .ttir, .ttgir, .llir or .ptx */
  const char *text;        /* its contents; NULL reads the file */
  const char *kernel_name; /* NULL if the file has one kernel */
  const char *signature;   /* "*fp32:16,i32,64"; NULL for IR files */
  const char *target;      /* "cuda:90", "cpu" */
  const char *options;     /* "num-warps=8,num-stages=2", or a JSON object; NULL for none */
  const char *outputs;     /* "ttir,ptx"; NULL for the binary and all before it */
} tessera_compile_request;
#define TESSERA_COMPILE_REQUEST                                                                    \
  {sizeof(tessera_compile_request), NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/* On TESSERA_DONE `*kernel` is set; otherwise it is NULL and `*message` says why. */
TESSERA_API tessera_status tessera_compile(tessera_session *session,
                                           const tessera_compile_request *request,
                                           tessera_kernel **kernel, char **message);

/* For hosts with live objects (docs/program.md): compiles a JSON program. On failure and on
 * TESSERA_QUESTIONS `*report` is a JSON report; on TESSERA_DONE it is NULL, or a report of
 * warnings. `options` and `outputs` as above. */
TESSERA_API tessera_status tessera_compile_program(tessera_session *session, const char *program,
                                                   const char *target, const char *options,
                                                   const char *outputs, tessera_kernel **kernel,
                                                   char **report);
/* The free names that the text of one function or class reads, as a JSON array of dotted paths:
 * ["tl.load", "BLOCK", "cfg.tile.M"]. `path` and `line` serve messages. */
TESSERA_API tessera_status tessera_program_references(const char *text, const char *path,
                                                      unsigned line, char **references,
                                                      char **message);

/* The structure of a .ttir or .ttgir file's text, as JSON: {"operations": [{"name": "tt.load",
 * "operands": [0, 3], "results": [4], "regions": [], "block": 0, "attributes": {"cache": 1}}, ...],
 * "blocks": [{"arguments": [0, 1], "region": 0}, ...]}. Values and regions are numbers, a block is
 * its index. What is nested in an operation stands before it; the module is the last, and its block
 * is null. Of the attributes there are texts, integers, truth values and names of functions. */
TESSERA_API tessera_status tessera_module_outline(const char *text, const char *path,
                                                  char **outline, char **message);

TESSERA_API void tessera_kernel_free(tessera_kernel *kernel);
/* 64 hex digits that tell this kernel from any other; also the name of its cache entry. Lives as
 * long as the kernel. */
TESSERA_API const char *tessera_kernel_key(const tessera_kernel *kernel);
/* The key that the kernel of a program will have. Compiles nothing. */
TESSERA_API tessera_status tessera_program_key(tessera_session *session, const char *program,
                                               const char *target, const char *options, char **key,
                                               char **message);
/* The kernel and all its outputs as bytes, freed with tessera_string_free, and back: for hosts that
 * share kernels between machines. Only bytes that were packed under this key, by this version of
 * the format, are taken; anything else, damaged or not, is TESSERA_USAGE_ERROR. */
TESSERA_API void *tessera_kernel_pack(const tessera_kernel *kernel, size_t *size);
TESSERA_API tessera_status tessera_kernel_unpack(const char *key, const void *bytes, size_t size,
                                                 tessera_kernel **kernel, char **message);
/* 1 if the kernel came from the session's cache folder, or was unpacked. */
TESSERA_API int tessera_kernel_is_cached(const tessera_kernel *kernel);
/* The record of docs/abi.md as JSON; lives as long as the kernel. */
TESSERA_API const char *tessera_kernel_metadata(const tessera_kernel *kernel);
/* The text or bytes of "ttir", "ptx", "cubin", ...; NULL if it was not made. */
TESSERA_API const void *tessera_kernel_artifact(const tessera_kernel *kernel, const char *extension,
                                                size_t *size);
/* How long "frontend", "make_ttir", "make_cubin", ... took; negative if the stage did not
 * run, as after a cache hit. */
TESSERA_API double tessera_kernel_stage_seconds(const tessera_kernel *kernel, const char *stage);

/* The C source and header with which a C program launches the kernel (docs/abi.md). `request` is
 * JSON: {"signature": ["*fp32:16", "i32", "64"], "grid": ["1024", "1", "1"], "name": "add",
 * "path": "out/add"}. The signature's entries are as written, the grid's are C expressions over the
 * parameters' names; name and path default to the kernel's name. `*files` is JSON:
 * {"function": "add_3a1b2c4d_0d12", "variant": "3a1b2c4d_0d12", "header": TEXT, "source": TEXT}.
 * The source includes PATH.VARIANT.h by its name. */
TESSERA_API tessera_status tessera_kernel_launcher(const tessera_kernel *kernel,
                                                   const char *request, char **files,
                                                   char **message);

/*--- Launching ------------------------------------------------------------*/

/* "cuda:0", "cuda" or "cpu". The CUDA driver is opened at run time. */
TESSERA_API tessera_status tessera_device_open(const char *name, tessera_device **device,
                                               char **message);
/* With options: "threads=4" for the CPU, where all usable processors is the default. */
TESSERA_API tessera_status tessera_device_open_with(const char *name, const char *options,
                                                    tessera_device **device, char **message);
TESSERA_API void tessera_device_free(tessera_device *device);
/* What to compile for: "cuda:90", "cpu". Lives as long as the device. */
TESSERA_API const char *tessera_device_target(const tessera_device *device);

/* The device must outlive what is loaded on it. */
TESSERA_API tessera_status tessera_load(tessera_device *device, const tessera_kernel *kernel,
                                        tessera_loaded_kernel **loaded, char **message);
TESSERA_API void tessera_loaded_kernel_free(tessera_loaded_kernel *loaded);
/* A binary that did not come from a tessera_kernel, CUBIN or PTX; `symbol` is the kernel in it. It
 * can be asked for its handles, its resources and its occupancy, at 128 threads a block or as many
 * as it may have, and with `shared_bytes` of dynamic shared memory. Its parameters are not known,
 * so it cannot be launched. */
TESSERA_API tessera_status tessera_load_binary(tessera_device *device, const char *symbol,
                                               const void *binary, size_t size,
                                               uint32_t shared_bytes,
                                               tessera_loaded_kernel **loaded, char **message);
/* "registers", "local_bytes", "static_shared_bytes", "max_threads_per_block"; -1 if the device does
 * not know. */
TESSERA_API int tessera_loaded_kernel_resource(const tessera_loaded_kernel *loaded,
                                               const char *name);
/* How many blocks of the kernel a multiprocessor holds at once, each with `shared_bytes` of dynamic
 * shared memory; if `cluster_blocks` is not 0, how many clusters of so many blocks the device
 * holds. */
TESSERA_API tessera_status tessera_loaded_kernel_occupancy(const tessera_loaded_kernel *loaded,
                                                           uint32_t shared_bytes,
                                                           uint32_t cluster_blocks, int *count,
                                                           char **message);
/* "max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize", "sm_clock_rate" and
 * "mem_clock_rate" (kHz), "mem_bus_width" (bits), "memory_bytes", "capability" (90), and the
 * limits that can be set; -1 if the device does not know. */
TESSERA_API int64_t tessera_device_property(const tessera_device *device, const char *name);
/* Sets "printf_bytes", "heap_bytes" or "stack_bytes" of a GPU: what the driver keeps for the
 * output, the allocations and the calls of kernels. The driver refuses some once kernels have run.
 */
TESSERA_API tessera_status tessera_device_set_limit(tessera_device *device, const char *name,
                                                    uint64_t bytes, char **message);
/* 1 if kernels on the device may use what lies at the address: on a GPU its own memory, and the
 * host's where it is pinned or managed; on the CPU everything. */
TESSERA_API int tessera_device_can_access(const tessera_device *device, const void *address);
/* The driver's own "module" or "function" (CUmodule, CUfunction); NULL where there is none. */
TESSERA_API void *tessera_loaded_kernel_handle(const tessera_loaded_kernel *loaded,
                                               const char *name);

/* `arguments[i]` points to the value of the i-th run-time argument, as for
 * cuLaunchKernel; constants are left out and scratch pointers are added here.
 * `stream` is a CUstream or NULL. Returns when the work is queued. */
TESSERA_API tessera_status tessera_launch(tessera_loaded_kernel *loaded, uint32_t grid_x,
                                          uint32_t grid_y, uint32_t grid_z, void **arguments,
                                          size_t argument_count, void *stream, char **message);

/* Memory that a pointer argument may be used for. */
typedef struct tessera_extent {
  uint64_t address, bytes;
} tessera_extent;

typedef struct tessera_launch_request {
  size_t size; /* sizeof(tessera_launch_request) */
  uint32_t grid_x, grid_y, grid_z;
  void **arguments; /* as for tessera_launch */
  size_t argument_count;
  void *stream;
  uint64_t scratch, profile; /* the caller's memory for hidden arguments; 0 lets the device care */
  /* Asked by the calling thread between programs, some times a second: not 0 ends the launch with
   * TESSERA_PROGRAM_ERROR. NULL for never; a GPU's launches return at once and do not ask. */
  int (*is_interrupted)(void *data);
  void *data;
  /* For kernels that were compiled with the option "sanitize": one for each argument, zeros for
   * those that are no pointers. Accesses outside end in TESSERA_PROGRAM_ERROR and a message that
   * shows the lines; programs that meet in an element are told in the message of TESSERA_DONE. */
  const tessera_extent *extents;
} tessera_launch_request;
TESSERA_API tessera_status tessera_launch_with(tessera_loaded_kernel *loaded,
                                               const tessera_launch_request *request,
                                               char **message);
/* Waits for the device and reports what went wrong in queued work. */
TESSERA_API tessera_status tessera_synchronize(tessera_device *device, char **message);

#ifdef __cplusplus
}
#endif
#endif /* TESSERA_H */
