//===- AotLauncher.cpp - a CPU kernel as a C function ---------------------===//
// The text is built top to bottom: names, header, source. For a kernel of one
// array and its length:
//
//   int32_t scale(uint32_t gridX, uint32_t gridY, uint32_t gridZ, float *x, int32_t n);
//   int32_t scale_range(..., uint64_t begin, uint64_t end);
//   int32_t scale_parallel(unsigned threads, ...);
//
// The object's function, scale_programs, takes addresses of values; the typed
// ones collect them. The source is C99 and C++.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "../AotGrid.h"
#include "../AotLaunchers.h"
#include "../AotNames.h"
#include "../LinkVariant.h"

using namespace tessera;
using namespace tessera::aot;

std::string tessera::aotObjectSymbol(const AotRequest &request, llvm::StringRef target,
                                     const CompileOptions &options) {
  std::string name = request.outName.empty() ? "*" : request.outName;
  if (request.usesVariantNames) {
    KernelRecord record; // the CPU has no warps, which is all the variant asks besides
    record.adopt(options);
    record.target = target.str();
    name += "_" + aotVariant(request.signature, record);
  }
  return name + "_programs";
}

//===----------------------------------------------------------------------===//
// Types and names
//===----------------------------------------------------------------------===//

namespace {
/// Everything the templates below are filled with.
struct Names {
  std::string function, symbol, guard;
  std::string linkerVariant;                      // LinkVariant.h
  std::string grid;                               // declarations of the extents; empty with --grid
  std::string declared, passed;                   // the kernel's own arguments
  std::string addresses;                          // of those
  std::string x, y, z;                            // the extents, as expressions
  std::string begin, end, threads;                // parameters of ours
  std::string list, extents, count, work, status; // variables of ours

  /// Parameters, or what is passed for them, separated by commas.
  static std::string parameters(llvm::ArrayRef<llvm::StringRef> parts) {
    llvm::SmallVector<llvm::StringRef> present(
        llvm::make_filter_range(parts, [](llvm::StringRef part) { return !part.empty(); }));
    return present.empty() ? "void" : llvm::join(present, ", ");
  }
};
} // namespace

static llvm::Expected<Names> chooseNames(const KernelRecord &record, const AotRequest &request) {
  Names names;
  names.function = request.outName.empty() ? record.kernelName : request.outName;
  if (request.usesVariantNames)
    names.function += "_" + aotVariant(request.signature, record);
  names.symbol = record.symbolInBinary();
  names.guard = "TESSERA_" + llvm::StringRef(names.function).upper() + "_H";
  std::vector<std::string> cNames = parameterNames(record, names.function);
  for (std::string &name : cNames) // the object's function, which --symbol may call anything
    if (name == names.symbol)
      name = freshName("arg_" + name, cNames);
  for (auto [field, wanted] : {std::pair{&names.begin, "begin"}, std::pair{&names.end, "end"},
                               std::pair{&names.threads, "threads"}, std::pair{&names.list, "args"},
                               std::pair{&names.extents, "grid"}, std::pair{&names.count, "count"},
                               std::pair{&names.work, "work"}, std::pair{&names.status, "status"}})
    *field = freshName(wanted, cNames);

  llvm::SmallVector<std::string> declared, passed, addresses, constants;
  bool isNamedByVariant = request.usesVariantNames && !request.outName.empty();
  LinkVariant variantLine{isNamedByVariant ? request.outName : record.kernelName,
                          names.function,
                          "",
                          record.target,
                          {}};
  for (auto [argument, name] : llvm::zip_equal(record.arguments, cNames)) {
    bool isFixed = argument.constant && argument.type != "constexpr";
    if (argument.constant && !isFixed)
      constants.push_back(inOneLine(*argument.constant));
    else
      variantLine.parameters.push_back({llvm::StringRef(declarator(argument)).trim().str(), name,
                                        isFixed                       ? 1u
                                        : argument.divisibility == 16 ? 16u
                                                                      : 0u});
    if (!argument.isPassed())
      continue;
    declared.push_back(declarator(argument) + name);
    passed.push_back(name);
    addresses.push_back("&" + name);
  }
  names.declared = llvm::join(declared, ", ");
  names.passed = llvm::join(passed, ", ");
  names.addresses = addresses.empty() ? "0" : llvm::join(addresses, ", ");
  if (request.grid.empty()) {
    names.x = freshName("gridX", cNames);
    names.y = freshName("gridY", cNames);
    names.z = freshName("gridZ", cNames);
    names.grid = "uint32_t " + names.x + ", uint32_t " + names.y + ", uint32_t " + names.z;
    variantLine.parameters.insert(
        variantLine.parameters.begin(),
        {{"uint32_t", names.x}, {"uint32_t", names.y}, {"uint32_t", names.z}});
  } else {
    std::string *const extents[] = {&names.x, &names.y, &names.z};
    if (llvm::Error error = translateGrid(request.grid, record, cNames, extents))
      return std::move(error);
  }
  variantLine.algo = llvm::join(constants, "x") + "_cpu";
  names.linkerVariant = linkerLine(variantLine);
  return names;
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

static std::string processorOf(const KernelRecord &record) {
  llvm::StringRef name = record.option("mcpu");
  return name.empty() ? "the processor it was compiled on" : name.str();
}

/// Writes the description of the kernel and the requirements on its arguments.
static std::string describeKernel(const KernelRecord &record, llvm::StringRef function) {
  llvm::SmallVector<std::string> lines, fixed;
  lines.push_back(llvm::formatv("{0} for the CPU ({1}), made by Tessera {2}. Do not edit.",
                                record.kernelName, processorOf(record), record.tesseraVersion));
  if (record.sourceLine)
    lines.push_back(llvm::formatv("From {0}, line {1}.", record.sourceFile, record.sourceLine));
  lines.push_back("");
  for (auto [argument, name] :
       llvm::zip_equal(record.arguments, parameterNames(record, function))) {
    if (argument.constant)
      fixed.push_back(argument.name + " = " + *argument.constant);
    else if (std::string facts = describeArgument(argument); !facts.empty())
      lines.push_back("  " + name + ": " + facts);
  }
  lines.push_back("Arrays are aligned to their elements at least. The code relies on all of this.");
  if (!fixed.empty())
    lines.push_back("Compiled in: " + llvm::join(fixed, ", ") + ".");
  return comment(lines);
}

static std::string writeHeader(const KernelRecord &record, const Names &names) {
  std::string text = describeKernel(record, names.function);
  text += llvm::formatv("#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n"
                        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
                        names.guard);
  text += llvm::formatv(
      R"(/* Runs the programs of the grid one after the other on the calling thread. Returns 0,
 * or why not all of them have run: 1, no memory for a temporary tile; 2, a device_assert
 * failed; 3, no such grid (2^31 - 1 programs along an axis and 2^63 - 1 in all) or range. */
{3}int32_t {0}({1});

/* The same for the programs begin <= id < end alone, where id = x + X * (y + Y * z) in a
 * grid of X, Y, Z. Calls for different programs may run at the same time. */
int32_t {0}_range({2});

)",
      names.function, Names::parameters({names.grid, names.declared}),
      Names::parameters(
          {names.grid, names.declared, "uint64_t " + names.begin, "uint64_t " + names.end}),
      names.linkerVariant);
  if (names.grid.empty())
    text += llvm::formatv("/* How many programs there are; UINT64_MAX when there is no such "
                          "grid. */\nuint64_t {0}_count({1});\n\n",
                          names.function, Names::parameters({names.declared}));
  text += llvm::formatv(
      R"(#ifndef TESSERA_NO_THREADS
/* Runs all programs on so many threads, of which the caller is one; 0 for one per processor.
 * They are started and ended here: worth it from about a millisecond of work on. */
int32_t {0}_parallel({1});
#endif

#ifdef __cplusplus
}
#endif
#endif
)",
      names.function, Names::parameters({"unsigned " + names.threads, names.grid, names.declared}));
  return text;
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

/// `{0}_programs` of the object, and a check of the extents.
static std::string writePrelude(const Names &names, llvm::StringRef headerName) {
  return llvm::formatv(R"(#include "{1}"

#ifndef TESSERA_NO_THREADS
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#endif

#ifdef __cplusplus
extern "C"
#endif
/* In the object file: docs/abi.md of Tessera describes it. */
int32_t {2}(const void *const *args, const uint32_t grid[3], uint64_t begin, uint64_t end);

/* The number of programs; UINT64_MAX when there are too many. */
static uint64_t {0}_programs_in(const uint32_t grid[3]) {{
  uint64_t rows = (uint64_t)grid[1] * grid[2];
  if (grid[0] > INT32_MAX || grid[1] > INT32_MAX || grid[2] > INT32_MAX)
    return UINT64_MAX;
  if (rows != 0 && grid[0] > INT64_MAX / rows)
    return UINT64_MAX;
  return grid[0] * rows;
}
)",
                       names.function, headerName, names.symbol);
}

static std::string writeSequential(const Names &names) {
  std::string setUp = llvm::formatv(
      "  const uint32_t {0}[3] = {{(uint32_t)({1}), (uint32_t)({2}), (uint32_t)({3})};\n",
      names.extents, names.x, names.y, names.z);
  std::string count = llvm::formatv("  uint64_t {0} = {1}_programs_in({2});\n", names.count,
                                    names.function, names.extents);
  std::string list =
      llvm::formatv("  const void *const {0}[] = {{{1}};\n", names.list, names.addresses);
  std::string text =
      llvm::formatv("\nint32_t {0}({1}) {{\n{2}{3}{4}  if ({5} == UINT64_MAX)\n    return 3;\n"
                    "  return {5} == 0 ? 0 : {6}({7}, {8}, 0, {5});\n}\n",
                    names.function, Names::parameters({names.grid, names.declared}), setUp, list,
                    count, names.count, names.symbol, names.list, names.extents);
  text += llvm::formatv(
      "\nint32_t {0}_range({1}) {{\n{2}{3}{4}  if ({5} == UINT64_MAX || {6} > {7} || {7} > {5})\n"
      "    return 3;\n  return {6} == {7} ? 0 : {8}({9}, {10}, {6}, {7});\n}\n",
      names.function,
      Names::parameters(
          {names.grid, names.declared, "uint64_t " + names.begin, "uint64_t " + names.end}),
      setUp, list, count, names.count, names.begin, names.end, names.symbol, names.list,
      names.extents);
  if (names.grid.empty()) {
    text += llvm::formatv("\nuint64_t {0}_count({1}) {{\n", names.function,
                          Names::parameters({names.declared}));
    for (llvm::StringRef name : llvm::split(names.passed, ", "))
      if (!name.empty())
        text += ("  (void)" + name + ";\n").str();
    text += setUp + "  return " + names.function + "_programs_in(" + names.extents + ");\n}\n";
  }
  return text;
}

/// Threads take chunks from a common counter, so that a thread that could not be
/// started, or is late, costs nothing but its share.
static std::string writeParallel(const Names &names) {
  std::string text = llvm::formatv(R"(
#ifndef TESSERA_NO_THREADS
struct {0}_work {{
  const void *const *args;
  const uint32_t *grid;
  uint64_t next, chunk, count;
  int32_t status;
};

static void *{0}_worker(void *opaque) {{
  struct {0}_work *work = (struct {0}_work *)opaque;
  for (;;) {{
    uint64_t begin = __atomic_fetch_add(&work->next, work->chunk, __ATOMIC_RELAXED), left;
    int32_t status;
    if (begin >= work->count)
      return NULL;
    left = work->count - begin;
    status = {1}(work->args, work->grid, begin,
                 begin + (left < work->chunk ? left : work->chunk));
    if (status != 0)
      __atomic_store_n(&work->status, status, __ATOMIC_RELAXED);
  }
}

static int32_t {0}_share(unsigned threads, struct {0}_work *work) {{
  pthread_t *started = NULL;
  unsigned count = 0, i;
  if (threads == 0) {{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    threads = online > 0 ? (unsigned)online : 1;
  }
  if (threads > work->count)
    threads = (unsigned)work->count;
  work->chunk = work->count / ((uint64_t)threads * 8) + 1;
  if (threads > 1)
    started = (pthread_t *)malloc((threads - 1) * sizeof(pthread_t));
  while (started && count < threads - 1 &&
         pthread_create(&started[count], NULL, {0}_worker, work) == 0)
    ++count;
  {0}_worker(work);
  for (i = 0; i < count; ++i)
    pthread_join(started[i], NULL);
  free(started);
  return work->status;
}
)",
                                   names.function, names.symbol);
  text += llvm::formatv(
      R"(
int32_t {0}_parallel({1}) {{
  const uint32_t {2}[3] = {{(uint32_t)({3}), (uint32_t)({4}), (uint32_t)({5})};
  const void *const {6}[] = {{{7}};
  struct {0}_work {8} = {{{6}, {2}, 0, 1, {0}_programs_in({2}), 0};
  if ({8}.count == UINT64_MAX)
    return 3;
  return {8}.count == 0 ? 0 : {0}_share({9}, &{8});
}
#endif
)",
      names.function, Names::parameters({"unsigned " + names.threads, names.grid, names.declared}),
      names.extents, names.x, names.y, names.z, names.list, names.addresses, names.work,
      names.threads);
  return text;
}

static std::string writeSource(const KernelRecord &record, const Names &names,
                               llvm::StringRef headerName) {
  std::string object = llvm::sys::path::stem(headerName).str() + ".obj";
  return comment({llvm::formatv("{0} for the CPU, made by Tessera {1}. Do not edit.",
                                record.kernelName, record.tesseraVersion),
                  "Typed functions around the code in " + object + ":", "",
                  "  cc -O2 program.c " + llvm::sys::path::stem(headerName).str() + ".c " + object +
                      " -lm -pthread"}) +
         writePrelude(names, headerName) + writeSequential(names) + writeParallel(names);
}

llvm::Expected<AotSources> aot::writeHostSources(const KernelRecord &record,
                                                 const AotRequest &request,
                                                 llvm::StringRef headerName) {
  llvm::Expected<Names> names = chooseNames(record, request);
  if (!names)
    return names.takeError();
  if (std::string why = whyNoFunction(names->function); !why.empty())
    return makeError("'" + inOneLine(names->function) + "' cannot be a function's name in C: " +
                     why + "; choose another with --out-name");
  if (names->function == names->symbol)
    return makeError("--symbol: '" + names->symbol +
                     "' is the name of the typed C function; choose another one, or --out-name");
  if (std::string why = whyNoFunction(names->symbol); !why.empty())
    return makeError("--symbol: '" + inOneLine(names->symbol) +
                     "' cannot be called from C: " + why);
  if (llvm::Error error = checkHeaderName(headerName))
    return std::move(error);
  return AotSources{wrapLines(writeHeader(record, *names)),
                    wrapLines(writeSource(record, *names, headerName)), names->function,
                    aotVariant(request.signature, record)};
}
