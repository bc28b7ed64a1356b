//===- Breakpoints.cpp - kernels that stop and show their variables -------===//
#include "Breakpoints.h"
#include "tessera/Launch/Device.h"
#include <atomic>

namespace tessera {

static std::atomic<BreakpointHandler> handler{nullptr};

void setBreakpointHandler(BreakpointHandler stop) { handler = stop; }

int32_t stopAtBreakpoint(const char *variables, const char *file, uint32_t line,
                         const void *const *values, uint32_t count, uint32_t x, uint32_t y,
                         uint32_t z) {
  BreakpointHandler stop = handler;
  const uint32_t program[3] = {x, y, z};
  return stop ? stop(variables, file, line, values, count, program) : 0;
}

} // namespace tessera
