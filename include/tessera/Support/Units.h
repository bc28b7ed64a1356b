//===- Units.h - durations and sizes for people ---------------------------===//
//   formatDuration(0.00123)  "1.23 ms"     formatBytes(49152)     "48.0 KiB"
//   formatRate(3.2e12)       "3.20 TB/s"   formatCount(67108864)  "67,108,864"
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Three significant digits and a unit from ns to h.
std::string formatDuration(double seconds);
/// Powers of 1024; exact below 1 KiB.
std::string formatBytes(uint64_t bytes);
/// Powers of 1000, as bandwidths are quoted.
std::string formatRate(double bytesPerSecond);
/// Digits in groups of three.
std::string formatCount(uint64_t count);

} // namespace tessera
