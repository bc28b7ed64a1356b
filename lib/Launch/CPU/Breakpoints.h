//===- Breakpoints.h - kernels that stop and show their variables ---------===//
// breakpoint() in a sanitized kernel calls the host program's handler with the
// variables that are visible there (Target/CPU writes the call). The handler
// belongs to the process, as debuggers do. Without one, kernels go on.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tessera {

/// The symbol that generated code calls. `variables` is the JSON of tessera.h, `values` has an
/// address for each run-time variable. Not 0: the program ends here.
int32_t stopAtBreakpoint(const char *variables, const char *file, uint32_t line,
                         const void *const *values, uint32_t count, uint32_t x, uint32_t y,
                         uint32_t z);

} // namespace tessera
