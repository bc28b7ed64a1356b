//===- Units.cpp - durations and sizes for people -------------------------===//
#include "tessera/Support/Units.h"
#include <cmath>
#include <cstdio>

namespace tessera {

/// Three significant digits: 1.23, 12.3, 123.
static std::string formatScaled(double value, const char *unit) {
  char text[64];
  int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, unit);
  return text;
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds))
    return "unknown";
  if (seconds < 0)
    return "-" + formatDuration(-seconds);
  if (seconds >= 3600)
    return formatScaled(seconds / 3600, "h");
  if (seconds >= 60)
    return formatScaled(seconds / 60, "min");
  // 999.6 us rounds up to 1.00 ms rather than to "1000 us".
  if (seconds >= 0.9995)
    return formatScaled(seconds, "s");
  if (seconds >= 0.9995e-3)
    return formatScaled(seconds * 1e3, "ms");
  if (seconds >= 0.9995e-6)
    return formatScaled(seconds * 1e6, "us");
  return formatScaled(seconds * 1e9, "ns");
}

std::string formatBytes(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double value = double(bytes) / 1024;
  unsigned unit = 0;
  while (value >= 1023.95 && unit < 5) {
    value /= 1024;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string formatRate(double bytesPerSecond) {
  static constexpr const char *kUnits[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
  if (!std::isfinite(bytesPerSecond) || bytesPerSecond < 0)
    return "unknown";
  unsigned unit = 0;
  while (bytesPerSecond >= 999.5 && unit < 5) {
    bytesPerSecond /= 1000;
    ++unit;
  }
  return formatScaled(bytesPerSecond, kUnits[unit]);
}

std::string formatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

} // namespace tessera
