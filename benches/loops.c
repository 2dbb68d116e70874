/* Plain single-threaded loop nests, as a C programmer would write them, for the programs that `against_c.py` compares.
   clang -O3 -march=native; strict IEEE semantics, as the compiled programs have them. Prints the best and the median time in ms. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static float *fresh(size_t n, uint32_t seed) {
  float *p = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
  if (!p) exit(2);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    p[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
  return p;
}

static void softmax(const float *restrict x, float *restrict y, long rows, long n) {
  for (long i = 0; i < rows; i++) {
    const float *a = x + i * n;
    float *b = y + i * n;
    float m = -INFINITY;
    for (long j = 0; j < n; j++) m = a[j] > m ? a[j] : m;
    float sum = 0;
    for (long j = 0; j < n; j++) {
      b[j] = expf(a[j] - m);
      sum += b[j];
    }
    for (long j = 0; j < n; j++) b[j] = b[j] / sum;
  }
}

static void layernorm(const float *restrict x, const float *restrict g, const float *restrict c, float *restrict y,
                      long rows, long n) {
  for (long i = 0; i < rows; i++) {
    const float *a = x + i * n;
    float *b = y + i * n;
    float sum = 0, square = 0;
    for (long j = 0; j < n; j++) sum += a[j];
    float mean = sum / n;
    for (long j = 0; j < n; j++) square += (a[j] - mean) * (a[j] - mean);
    float scale = 1.0f / sqrtf(square / n + 1e-5f);
    for (long j = 0; j < n; j++) b[j] = (a[j] - mean) * scale * g[j] + c[j];
  }
}

static void gelu(const float *restrict x, const float *restrict bias, float *restrict y, long rows, long n) {
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < n; j++) {
      float v = x[i * n + j] + bias[j];
      float t = 0.797884583f * (v + 0.044715f * (v * v * v));
      y[i * n + j] = v * (0.5f * (1.0f + tanhf(t)));
    }
}

static void add_transpose(const float *restrict x, float *restrict y, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) y[i * n + j] = x[i * n + j] + x[j * n + i];
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: loops softmax|layernorm|gelu|add_transpose SECONDS\n");
    return 2;
  }
  const char *what = argv[1];
  double budget = atof(argv[2]) * 1e3;
  long rows = 4096, n = 1024;
  if (!strcmp(what, "softmax")) rows = 64 * 128, n = 128;
  if (!strcmp(what, "add_transpose")) rows = n = 4096;
  float *x = fresh(rows * n, 1), *y = fresh(rows * n, 2), *g = fresh(n, 3), *c = fresh(n, 4);
  static double times[100000];
  long count = 0;
  double start = now();
  while ((now() - start < budget || count < 5) && count < 100000) {
    double t = now();
    if (!strcmp(what, "softmax")) softmax(x, y, rows, n);
    else if (!strcmp(what, "layernorm")) layernorm(x, g, c, y, rows, n);
    else if (!strcmp(what, "gelu")) gelu(x, g, y, rows, n);
    else if (!strcmp(what, "add_transpose")) add_transpose(x, y, n);
    else return 2;
    times[count++] = now() - t;
  }
  qsort(times, count, sizeof(double), by_value);
  printf("{\"min_ms\": %.6f, \"median_ms\": %.6f, \"runs\": %ld, \"check\": %g}\n", times[0], times[count / 2], count,
         (double)y[rows * n / 2 + 7]);
  return 0;
}
