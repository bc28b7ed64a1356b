// Adds vectors with the kernels of ../kernels.toml, from C++: a span of floats on a device, and
// exceptions for errors.
//
//   program cpu|cuda
#include "../device.h"
#include <iostream>
#include <stdexcept>
#include <vector>

namespace {
void check(int32_t status) {
  if (status != TESSERA_KERNEL_OK)
    throw std::runtime_error(demo_last_error());
}

/// Floats on a device, from a vector and back.
class Array {
public:
  Array(tessera_stream where, const std::vector<float> &values)
      : where(where), size(values.size()), data(device_array(where, values.data(), values.size())) {
  }
  float *begin() const { return data; }
  std::vector<float> take() {
    std::vector<float> values(size);
    device_take(where, values.data(), data, size);
    return values;
  }

private:
  tessera_stream where;
  size_t size;
  float *data;
};
} // namespace

int main(int argc, char **argv) try {
  tessera_stream where = device_open(argc > 1 ? argv[1] : "cpu");
  std::vector<float> x(98432), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = static_cast<float>(i % 7) / 8;
  }
  Array xs(where, x), ys(where, y), sums(where, std::vector<float>(x.size()));
  check(add(where, xs.begin(), ys.begin(), sums.begin(), static_cast<int32_t>(x.size())));
  std::vector<float> sum = sums.take();
  xs.take();
  ys.take();
  for (size_t i = 0; i < sum.size(); ++i)
    if (sum[i] != x[i] + y[i])
      throw std::runtime_error("sum[" + std::to_string(i) + "] is " + std::to_string(sum[i]));
  std::cout << "add: " << sum.size() << " sums are right\n";
  try {
    check(softmax(where, nullptr, nullptr, 9000, 9000, 1, 9000));
    return 1;
  } catch (const std::runtime_error &error) {
    std::cout << std::string(error.what()).substr(0, 48) << "\n";
  }
  return 0;
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
