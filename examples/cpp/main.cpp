// A C++ program that calls what was compiled ahead of time: no compiler, no LLVM, no Python.
#include "softmax.h"
#include "mapwright-c/runtime.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

int main() {
  constexpr int64_t A = 64, B = 128, C = 128;
  struct alignas(64) Line {
    float elements[C];
  };
  std::vector<Line> x(A * B), y(A * B);
  for (int64_t row = 0; row < A * B; ++row)
    for (int64_t i = 0; i < C; ++i)
      x[row].elements[i] = static_cast<float>((row * 31 + i * 17) % 23) / 4;

  std::unique_ptr<mw_context, decltype(&mw_context_destroy)> context(mw_context_create(2), mw_context_destroy);
  if (!context)
    return 1;
  const void *arguments[] = {x.data()};
  void *results[] = {y.data()};
  const int64_t argument_sizes[] = {A, B, C};
  int64_t result_sizes[3];
  if (softmax_main(context.get(), arguments, argument_sizes, results, result_sizes) != MW_OK) {
    std::fprintf(stderr, "%s\n", mw_error_message(context.get()));
    return 1;
  }

  // Each row is a distribution.
  double worst = 0;
  for (const Line &row : y) {
    double sum = 0;
    for (float element : row.elements)
      sum += element;
    worst = std::fmax(worst, std::fabs(sum - 1));
  }
  std::puts(worst < 1e-5 ? "every row adds up to 1" : "a row does not add up to 1");
  return worst < 1e-5 ? 0 : 1;
}
