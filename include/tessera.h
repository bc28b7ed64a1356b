/*===- tessera.h - the C interface of Tessera ------------------------------===
 * Functions that compile and launch Triton kernels in the calling process.
 * The interface is stable: functions are only added, and request structs carry
 * their size.
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
 * Strings are UTF-8 and end in a zero. The caller frees the strings that
 * functions return through `char **` with tessera_string_free; `message` may be
 * NULL. Several threads may use a session at once. No function aborts or throws,
 * with one exception: LLVM may end the process if a caller compiles invalid LLVM
 * IR text (.llir).
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
  TESSERA_QUESTIONS = 4,      /* the compiler needs more facts (docs/program.md) */
  TESSERA_NO_TENSOR_MAP = 5,  /* tessera_loaded_kernel_set_fallback would help this launch */
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

/* Copies the environment variables, for programs that the session starts (assemblers). No other
 * thread may change environment variables during this call. */
TESSERA_API tessera_session *tessera_session_create(void);
TESSERA_API void tessera_session_free(tessera_session *session);
/* Changes a setting. Call it before the first compilation. Settings: "ptxas", "libdevice",
 * "disassembler", "ocml", "cache-dir", "dump-dir", "print-passes" (a kernel's name, or 1),
 * "print-path", "remarks" (a regular expression over the names of passes, whose decisions are then
 * among the diagnostics of a report, docs/debugging.md), "remarks-file", "reproducer-dir",
 * "always-compile" (true: kernels are written to the cache folder and not read from it),
 * "cache-trust" (all: kernels that other users could have written are loaded, too), "pack-key" (a
 * file with a public key: packs that are opened later must be signed with it), "pack" (files,
 * separated by ':', in which programs are looked up before the cache folder; docs/packs.md),
 * "on-compile" (error, warn or allow: what happens if neither has a kernel), "cache-timeout" (of a
 * call to a server, in milliseconds), "cache-credentials" ("REGION ACCESS_KEY SECRET [TOKEN]" for
 * s3), "cache-remote" (a server behind the cache folder: redis://HOST:PORT,
 * http://HOST:PORT/FOLDER, https, or s3://BUCKET/FOLDER), "cache-limit" (of the folder: 500M, 10G).
 */
TESSERA_API tessera_status tessera_session_set(tessera_session *session, const char *name,
                                               const char *value, char **message);

/* What autotune chose for a kernel of this name, from the session's packs: a JSON array, "[]" if
 * they have nothing. */
TESSERA_API tessera_status tessera_session_choices(const tessera_session *session,
                                                   const char *kernel, char **choices,
                                                   char **message);

/* Reads and writes a blob of the server behind the cache folder, such as timings of autotune.
 * TESSERA_UNSUPPORTED if there is no server, it does not answer in time, or has no such blob. The
 * bytes are freed with tessera_string_free. */
TESSERA_API tessera_status tessera_session_fetch(const tessera_session *session, const char *name,
                                                 void **bytes, size_t *size);
TESSERA_API tessera_status tessera_session_share(const tessera_session *session, const char *name,
                                                 const void *bytes, size_t size);

/* While a compilation waits for another program, such as an assembler, the compiling thread calls
 * watch(data, work, seconds) several times per second. `work` says what is going on: "ptxas, on
 * matmul_kernel (1.2 MiB of PTX)". A result other than 0 ends the program, and the compilation with
 * TESSERA_UNSUPPORTED. Call this function before the first compilation; NULL for none. */
TESSERA_API void tessera_session_watch(tessera_session *session,
                                       int (*watch)(void *data, const char *work, double seconds),
                                       void *data);

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

/* Like tessera_compile, but the outcome comes as the JSON report of docs/program.md: each
 * diagnostic with its kind, its place, and the option or parameter that it is about. On
 * TESSERA_DONE `*report` is NULL, or a report of warnings. */
TESSERA_API tessera_status tessera_compile_with_report(tessera_session *session,
                                                       const tessera_compile_request *request,
                                                       tessera_kernel **kernel, char **report);

/* Compiles a JSON program (docs/program.md), in which a host such as Python describes live objects.
 * On failure and on TESSERA_QUESTIONS `*report` is a JSON report; on TESSERA_DONE it is NULL, or a
 * report of warnings. `options` and `outputs` are those of tessera_compile_request. */
TESSERA_API tessera_status tessera_compile_program(tessera_session *session, const char *program,
                                                   const char *target, const char *options,
                                                   const char *outputs, tessera_kernel **kernel,
                                                   char **report);
/* Compiles and records what every pass does. `*report` is the JSON of docs/explain.md, also if the
 * compilation fails: then the status says how, and the report has the passes up to the failing one.
 * `request.path` may end in ".program", with a program (docs/program.md) as its text. The request's
 * outputs are ignored, and the cache is neither read nor written. */
TESSERA_API tessera_status tessera_explain(tessera_session *session,
                                           const tessera_compile_request *request, char **report,
                                           char **message);
/* Writes such a report as an HTML page, which has everything in itself and loads nothing. */
TESSERA_API tessera_status tessera_explain_page(const char *report, char **page, char **message);

/* Finds the free names that the source of one function or class reads, as a JSON array of dotted
 * paths: ["tl.load", "BLOCK", "cfg.tile.M"]. `path` and `line` are used in messages. */
TESSERA_API tessera_status tessera_program_references(const char *text, const char *path,
                                                      unsigned line, char **references,
                                                      char **message);

/* The structure of a .ttir or .ttgir file's text, as JSON: {"operations": [{"name": "tt.load",
 * "operands": [0, 3], "results": [4], "regions": [], "block": 0, "attributes": {"cache": 1}}, ...],
 * "blocks": [{"arguments": [0, 1], "region": 0}, ...]}. Values and regions are numbers, a block is
 * its index. Nested operations come before the operation that holds them; the module is the last,
 * and its block is null. Only string, integer, boolean and symbol attributes are listed. */
TESSERA_API tessera_status tessera_module_outline(const char *text, const char *path,
                                                  char **outline, char **message);

TESSERA_API void tessera_kernel_free(tessera_kernel *kernel);
/* The cache key: 64 hex digits that identify the kernel, and name its cache entry. Lives as long as
 * the kernel. */
TESSERA_API const char *tessera_kernel_key(const tessera_kernel *kernel);
/* Computes the key that the kernel of a JSON program will have, without compiling it. */
TESSERA_API tessera_status tessera_program_key(tessera_session *session, const char *program,
                                               const char *target, const char *options, char **key,
                                               char **message);
/* Serializes the kernel with all its outputs, and reads it back: for hosts that share kernels
 * between machines. The bytes are freed with tessera_string_free. tessera_kernel_unpack takes only
 * bytes that were packed under this key by this version of the format; anything else is
 * TESSERA_USAGE_ERROR. */
TESSERA_API void *tessera_kernel_pack(const tessera_kernel *kernel, size_t *size);
TESSERA_API tessera_status tessera_kernel_unpack(const char *key, const void *bytes, size_t size,
                                                 tessera_kernel **kernel, char **message);
/* 1 if the kernel came from the session's cache folder, or was unpacked. */
TESSERA_API int tessera_kernel_is_cached(const tessera_kernel *kernel);
/* The kernel's ABI record (docs/abi.md) as JSON; lives as long as the kernel. */
TESSERA_API const char *tessera_kernel_metadata(const tessera_kernel *kernel);
/* Parts of the record, without its text: the kernel's name; the arguments that a launch passes, in
 * order (0 after the last one); and the numbers "shared", "num_ctas", "global_scratch_bytes",
 * "global_scratch_align" and "tensor_maps" (how many), -1 for any other. */
TESSERA_API const char *tessera_kernel_name(const tessera_kernel *kernel);
TESSERA_API int tessera_kernel_argument(const tessera_kernel *kernel, size_t number,
                                        const char **name, const char **type, int *is_read_only);
TESSERA_API int64_t tessera_kernel_number(const tessera_kernel *kernel, const char *field);
/* The text or bytes of "ttir", "ptx", "cubin", ...; NULL if it was not made. */
TESSERA_API const void *tessera_kernel_artifact(const tessera_kernel *kernel, const char *extension,
                                                size_t *size);
/* The time in seconds that a stage took ("frontend", "make_ttir", "make_cubin", ...); negative if
 * the stage did not run, as after a cache hit. */
TESSERA_API double tessera_kernel_stage_seconds(const tessera_kernel *kernel, const char *stage);

/* Writes the C source and header with which a C program launches the kernel (docs/abi.md).
 * `request` is JSON: {"signature": ["*fp32:16", "i32", "64"], "grid": ["1024", "1", "1"],
 * "name": "add", "path": "out/add"}. The signature's entries are as written, the grid's are C
 * expressions over the parameters' names; name and path default to the kernel's name. `*files` is
 * JSON:
 * {"function": "add_cuda90x3a1b2c4d_0d12", "variant": "cuda90x3a1b2c4d_0d12", "header": TEXT,
 * "source": TEXT}.
 * The source includes PATH.VARIANT.h by its name. A kernel with tensor maps is alone in it: where
 * maps cannot be built, its function returns CUDA_ERROR_INVALID_VALUE. Compile it with tma=off to
 * launch it with any arguments. */
TESSERA_API tessera_status tessera_kernel_launcher(const tessera_kernel *kernel,
                                                   const char *request, char **files,
                                                   char **message);

/* Writes C functions that choose among variants that tessera_kernel_launcher or Triton's tools
 * wrote, by the arguments and the chip (docs/shipping.md). `request` is JSON: {"headers": [{"path":
 * "add.h", "text": TEXT}], "name": "linked.h", "prefix": ""}; the paths serve messages, and the
 * source includes `name`. `*files` is JSON: {"header": TEXT, "source": TEXT}. */
TESSERA_API tessera_status tessera_link(const char *request, char **files, char **message);

/*--- Launching ------------------------------------------------------------*/

/* Opens "cuda:0", "cuda", "hip:0", "hip" or "cpu". A GPU's driver is opened with dlopen. */
TESSERA_API tessera_status tessera_device_open(const char *name, tessera_device **device,
                                               char **message);
/* Opens a device with options: "threads=4" for the CPU, whose default is all usable processors. */
TESSERA_API tessera_status tessera_device_open_with(const char *name, const char *options,
                                                    tessera_device **device, char **message);
TESSERA_API void tessera_device_free(tessera_device *device);
/* The target that kernels for this device are compiled for: "cuda:90", "cpu". Lives as long as the
 * device. */
TESSERA_API const char *tessera_device_target(const tessera_device *device);

/* Loads a kernel. The device must outlive the loaded kernel. */
TESSERA_API tessera_status tessera_load(tessera_device *device, const tessera_kernel *kernel,
                                        tessera_loaded_kernel **loaded, char **message);
TESSERA_API void tessera_loaded_kernel_free(tessera_loaded_kernel *loaded);
/* Loads a CUBIN or PTX that did not come from a tessera_kernel; `symbol` is the kernel in it. The
 * caller can ask for its handles, its resources, and its occupancy with `shared_bytes` of dynamic
 * shared memory and 128 threads per CTA, or as many as the kernel allows. It cannot be launched,
 * because its parameters are not known. */
TESSERA_API tessera_status tessera_load_binary(tessera_device *device, const char *symbol,
                                               const void *binary, size_t size,
                                               uint32_t shared_bytes,
                                               tessera_loaded_kernel **loaded, char **message);
/* A resource of the kernel: "registers", "local_bytes", "static_shared_bytes" or
 * "max_threads_per_block"; -1 if the device does not know. */
TESSERA_API int tessera_loaded_kernel_resource(const tessera_loaded_kernel *loaded,
                                               const char *name);
/* Counts the CTAs of the kernel that a multiprocessor holds at once, each with `shared_bytes` of
 * dynamic shared memory. If `cluster_blocks` is not 0, counts the clusters of so many CTAs that the
 * device holds. */
TESSERA_API tessera_status tessera_loaded_kernel_occupancy(const tessera_loaded_kernel *loaded,
                                                           uint32_t shared_bytes,
                                                           uint32_t cluster_blocks, int *count,
                                                           char **message);
/* A property of the device: "max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize",
 * "sm_clock_rate" and "mem_clock_rate" (kHz), "mem_bus_width" (bits), "memory_bytes", "capability"
 * (90), and the limits that can be set; -1 if the device does not know. */
TESSERA_API int64_t tessera_device_property(const tessera_device *device, const char *name);
/* Sets "printf_bytes", "heap_bytes" or "stack_bytes" of a GPU: the memory that the driver reserves
 * for printed output, device-side allocations and call stacks. The driver refuses some of them once
 * kernels have run. */
TESSERA_API tessera_status tessera_device_set_limit(tessera_device *device, const char *name,
                                                    uint64_t bytes, char **message);
/* 1 if kernels on the device can access the address: on a GPU its own memory, and host memory that
 * is pinned or managed; on the CPU any address. */
TESSERA_API int tessera_device_can_access(const tessera_device *device, const void *address);
/* The driver's handle: "module" (CUmodule) or "function" (CUfunction); NULL on the CPU. */
TESSERA_API void *tessera_loaded_kernel_handle(const tessera_loaded_kernel *loaded,
                                               const char *name);

/* A kernel may take tensor maps that launches build from its arguments (docs/abi.md, "Tensor
 * maps"). Where that is not possible, as for an extent of 0 or a stride that the driver refuses,
 * launches take `fallback` instead: the same kernel, compiled with the option tma=off and loaded on
 * the same device, which must outlive `loaded`. Without one they return TESSERA_NO_TENSOR_MAP and
 * launch nothing. A kernel without tensor maps never needs one. May be called while other threads
 * launch. */
TESSERA_API tessera_status tessera_loaded_kernel_set_fallback(tessera_loaded_kernel *loaded,
                                                              tessera_loaded_kernel *fallback,
                                                              char **message);

/* Launches a kernel. `arguments[i]` points to the value of the i-th run-time argument, as for
 * cuLaunchKernel; the caller leaves constants out, and this function adds scratch pointers.
 * `stream` is a CUstream or NULL. Returns when the work is queued. */
TESSERA_API tessera_status tessera_launch(tessera_loaded_kernel *loaded, uint32_t grid_x,
                                          uint32_t grid_y, uint32_t grid_z, void **arguments,
                                          size_t argument_count, void *stream, char **message);

/* The memory that a kernel may access through one pointer argument. */
typedef struct tessera_extent {
  uint64_t address, bytes;
} tessera_extent;

typedef struct tessera_launch_request {
  size_t size; /* sizeof(tessera_launch_request) */
  uint32_t grid_x, grid_y, grid_z;
  void **arguments; /* as for tessera_launch */
  size_t argument_count;
  void *stream;
  uint64_t scratch, profile; /* scratch memory of the caller's; 0: the device allocates it */
  /* On the CPU the calling thread calls this between programs, several times per second; a result
   * other than 0 ends the launch with TESSERA_PROGRAM_ERROR. May be NULL. Not called for launches
   * on a GPU, which return at once. */
  int (*is_interrupted)(void *data);
  void *data;
  /* For kernels that were compiled with the option "sanitize": one extent for each argument, zeros
   * for arguments that are not pointers. An out-of-bounds access ends in TESSERA_PROGRAM_ERROR with
   * a message that shows the source line. Data races are reported in the message of TESSERA_DONE.
   */
  const tessera_extent *extents;
  /* On the CPU: the number of threads that run programs; 0 means the device's. */
  unsigned threads;
  /* On the CPU: the caller's own pool, which runs programs instead of the device's threads. It
   * calls work(work_data) on up to `threads` threads, of which the calling thread is one, and
   * returns when all calls have returned; a parallel region of OpenMP does that. May be NULL. */
  void (*host_threads)(void (*work)(void *), void *work_data, unsigned threads);
} tessera_launch_request;
TESSERA_API tessera_status tessera_launch_with(tessera_loaded_kernel *loaded,
                                               const tessera_launch_request *request,
                                               char **message);
/* Installs handlers of SIGSEGV, SIGBUS, SIGFPE and SIGABRT for this process: if it crashes in a
 * kernel on the CPU, or after one, a line on standard error names the kernel and ends in `advice`.
 * The signal then goes to the handler that was installed before. Later calls have no effect. */
TESSERA_API void tessera_explain_crashes(const char *advice);
/* Sets the function that kernels compiled with the option "sanitize" call at breakpoint(), on the
 * thread that runs the program; NULL: they go on. `variables` is JSON: [{"name": "x", "type":
 * "fp32", "shape": [64]}, ...], with "type": "ptr" for addresses, an empty shape for scalars, and
 * {"name", "constant"} for compile-time values. values[i] is the address of the i-th variable that
 * is not a constant, in row-major order. A result other than 0 ends the launch with an error. */
TESSERA_API void tessera_handle_breakpoints(int (*handler)(const char *variables, const char *file,
                                                           uint32_t line, const void *const *values,
                                                           size_t count,
                                                           const uint32_t program[3]));
/* Waits for the device, and reports errors of the queued work. */
TESSERA_API tessera_status tessera_synchronize(tessera_device *device, char **message);

#ifdef __cplusplus
}
#endif
#endif /* TESSERA_H */
