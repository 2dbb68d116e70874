// Plain C of the programs of kinds.py: kinds NAME SECONDS OUTPUT INPUT…; files hold numbers of 32 bits. Prints the median time in milliseconds.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const void *in[8];
static long sizes[8];
static float out[1 << 20];
static long out_bytes;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

// x' of Lorenz's system, 10,000 steps of Runge and Kutta.
static void lorenz(const float *x, float *d) {
  d[0] = 10.0f * (x[1] - x[0]);
  d[1] = x[0] * (28.0f - x[2]) - x[1];
  d[2] = x[0] * x[1] - 2.6666667f * x[2];
}

static void runge_kutta(void) {
  float x[3], a[3], b[3], c[3], d[3], y[3];
  memcpy(x, in[0], sizeof x);
  const float h = 0.001f;
  for (int n = 0; n < 10000; n++) {
    lorenz(x, a);
    for (int i = 0; i < 3; i++) y[i] = x[i] + h / 2 * a[i];
    lorenz(y, b);
    for (int i = 0; i < 3; i++) y[i] = x[i] + h / 2 * b[i];
    lorenz(y, c);
    for (int i = 0; i < 3; i++) y[i] = x[i] + h * c[i];
    lorenz(y, d);
    for (int i = 0; i < 3; i++) x[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  memcpy(out, x, sizeof x);
  out_bytes = sizeof x;
}

// 1,024 particles, 100 observations, systematic resampling.
static void particle_filter(void) {
  enum { N = 1024, T = 100 };
  static float p[N], q[N], w[N];
  const float *first = in[0], *noise = in[1], *seen = in[2];
  memcpy(p, first, sizeof p);
  for (int t = 0; t < T; t++) {
    float most = -FLT_MAX, sum = 0;
    for (int i = 0; i < N; i++) {
      p[i] = 0.9f * p[i] + noise[t * N + i];
      float d = p[i] - seen[t];
      w[i] = -0.5f * d * d;
      if (w[i] > most) most = w[i];
    }
    for (int i = 0; i < N; i++) sum += w[i] = expf(w[i] - most);
    float c = 0;
    for (int i = 0; i < N; i++) w[i] = c += w[i] / sum;
    float mean = 0;
    for (int i = 0, k = 0; i < N; i++) {
      float u = (i + 0.5f) / N;
      while (k < N - 1 && w[k] < u) k++;
      mean += q[i] = p[k];
    }
    memcpy(p, q, sizeof p);
    out[t] = mean / N;
  }
  out_bytes = T * 4;
}

// 64 states, 200 steps: the best path.
static void viterbi(void) {
  enum { S = 64, T = 200 };
  static float a[S], b[S];
  static int32_t from[T][S], path[T];
  const float *transition = in[0], *emission = in[1];
  memcpy(a, emission, sizeof a);
  for (int t = 1; t < T; t++) {
    for (int j = 0; j < S; j++) b[j] = -FLT_MAX, from[t][j] = 0;
    for (int i = 0; i < S; i++)
      for (int j = 0; j < S; j++) {
        float v = a[i] + transition[i * S + j];
        from[t][j] = v > b[j] ? i : from[t][j];
        b[j] = v > b[j] ? v : b[j];
      }
    for (int j = 0; j < S; j++) a[j] = b[j] + emission[t * S + j];
  }
  int best = 0;
  for (int j = 1; j < S; j++)
    if (a[j] > a[best]) best = j;
  for (int t = T - 1; t >= 0; t--) {
    path[t] = best;
    best = from[t][best];
  }
  memcpy(out, path, sizeof path);
  out_bytes = sizeof path;
}

// 8 beams over 256 words, 32 steps of a table of transitions.
static void beam_search(void) {
  enum { B = 8, V = 256, T = 32 };
  const float *table = in[0];
  float score[B], next[B];
  int32_t word[B], chosen[B];
  for (int b = 0; b < B; b++) score[b] = b ? -1e9f : 0, word[b] = 0;
  for (int t = 0; t < T; t++) {
    for (int b = 0; b < B; b++) next[b] = -FLT_MAX;
    for (int b = 0; b < B; b++)
      for (int v = 0; v < V; v++) {
        float s = score[b] + table[word[b] * V + v];
        if (s <= next[B - 1]) continue;
        int k = B - 1;
        while (k > 0 && s > next[k - 1]) next[k] = next[k - 1], chosen[k] = chosen[k - 1], k--;
        next[k] = s;
        chosen[k] = b * V + v;
      }
    for (int b = 0; b < B; b++) score[b] = next[b], word[b] = chosen[b] % V;
  }
  memcpy(out, score, sizeof score);
  out_bytes = sizeof score;
}

// 100 iterations for the Laplacian of a grid of 128 by 128.
static void conjugate_gradients(void) {
  enum { N = 128 };
  static float x[N * N], r[N * N], p[N * N], q[N * N];
  const float *b = in[0];
  float s = 0;
  for (int i = 0; i < N * N; i++) x[i] = 0, r[i] = p[i] = b[i], s += b[i] * b[i];
  for (int n = 0; n < 100; n++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        q[i * N + j] = 4 * p[i * N + j] - (i ? p[(i - 1) * N + j] : 0) - (i < N - 1 ? p[(i + 1) * N + j] : 0) -
                       (j ? p[i * N + j - 1] : 0) - (j < N - 1 ? p[i * N + j + 1] : 0);
    float along = 0, t = 0;
    for (int i = 0; i < N * N; i++) along += p[i] * q[i];
    float alpha = s / along;
    for (int i = 0; i < N * N; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    for (int i = 0; i < N * N; i++) t += r[i] * r[i];
    for (int i = 0; i < N * N; i++) p[i] = r[i] + t / s * p[i];
    s = t;
  }
  memcpy(out, x, sizeof x);
  out_bytes = sizeof x;
}

// 50 scalings of rows and columns of 256 by 256.
static void sinkhorn(void) {
  enum { N = 256 };
  static float k[N * N], u[N], v[N];
  const float *cost = in[0];
  for (int i = 0; i < N * N; i++) k[i] = expf(-cost[i]);
  for (int i = 0; i < N; i++) v[i] = 1;
  for (int n = 0; n < 50; n++) {
    for (int i = 0; i < N; i++) {
      float sum = 0;
      for (int j = 0; j < N; j++) sum += k[i * N + j] * v[j];
      u[i] = 1 / sum;
    }
    for (int j = 0; j < N; j++) v[j] = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) v[j] += k[i * N + j] * u[i];
    for (int j = 0; j < N; j++) v[j] = 1 / v[j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) out[i * N + j] = u[i] * k[i * N + j] * v[j];
  out_bytes = N * N * 4;
}

// How many ways there are for 8 queens: rows are tried one after the other.
static void queens(void) {
  enum { N = 8 };
  int32_t at[N], row = 0, count = 0;
  for (int i = 0; i < N; i++) at[i] = -1;
  while (row >= 0) {
    at[row]++;
    if (at[row] >= N) {
      at[row] = -1;
      row--;
      continue;
    }
    int free = 1;
    for (int i = 0; i < row; i++) {
      int d = at[i] - at[row];
      free &= d != 0 && d != row - i && d != i - row;
    }
    if (!free) continue;
    if (row == N - 1)
      count++;
    else
      row++;
  }
  memcpy(out, &count, 4);
  out_bytes = 4;
}

// 2,000 points of 8 numbers, 16 centres, 10 rounds.
static void kmeans(void) {
  enum { N = 2000, D = 8, K = 16 };
  const float *x = in[0];
  static float c[K * D], sum[K * D], count[K];
  memcpy(c, in[1], sizeof c);
  for (int n = 0; n < 10; n++) {
    memset(sum, 0, sizeof sum);
    memset(count, 0, sizeof count);
    for (int i = 0; i < N; i++) {
      float best = FLT_MAX;
      int which = 0;
      for (int k = 0; k < K; k++) {
        float d = 0;
        for (int e = 0; e < D; e++) d += (x[i * D + e] - c[k * D + e]) * (x[i * D + e] - c[k * D + e]);
        if (d < best) best = d, which = k;
      }
      count[which]++;
      for (int e = 0; e < D; e++) sum[which * D + e] += x[i * D + e];
    }
    for (int k = 0; k < K; k++)
      for (int e = 0; e < D; e++) c[k * D + e] = sum[k * D + e] / fmaxf(count[k], 1);
  }
  memcpy(out, c, sizeof c);
  out_bytes = sizeof c;
}

// Dynamic time warping of two lines of 300.
static void warping(void) {
  enum { N = 300 };
  static float d[N + 1];
  const float *x = in[0], *y = in[1];
  for (int j = 0; j <= N; j++) d[j] = j ? 1e30f : 0;
  for (int i = 0; i < N; i++) {
    float corner = d[0];
    d[0] = 1e30f;
    for (int j = 1; j <= N; j++) {
      float up = d[j], least = fminf(fminf(up, d[j - 1]), corner);
      d[j] = fabsf(x[i] - y[j - 1]) + least;
      corner = up;
    }
  }
  memcpy(out, d + N, 4);
  out_bytes = 4;
}

// Global alignment of two sequences of 300 letters, by antidiagonals' recurrence along rows.
static void alignment(void) {
  enum { N = 300 };
  static int32_t d[N + 1];
  const int32_t *x = in[0], *y = in[1];
  for (int j = 0; j <= N; j++) d[j] = -2 * j;
  for (int i = 0; i < N; i++) {
    int32_t corner = d[0];
    d[0] = -2 * (i + 1);
    for (int j = 1; j <= N; j++) {
      int32_t up = d[j], best = corner + (x[i] == y[j - 1] ? 3 : -1);
      if (up - 2 > best) best = up - 2;
      if (d[j - 1] - 2 > best) best = d[j - 1] - 2;
      d[j] = best;
      corner = up;
    }
  }
  memcpy(out, d + N, 4);
  out_bytes = 4;
}

// x' = a x (1 - x) + b, a million times.
static void recurrence(void) {
  const float *in0 = in[0];
  float x = in0[0], y = in0[1];
  for (int i = 0; i < 1000000; i++) {
    float next = 3.7f * x * (1 - x) + 0.01f * y;
    y = 0.5f * y + x;
    x = next;
  }
  out[0] = x;
  out[1] = y;
  out_bytes = 8;
}

// The product of 10,000 matrices of 3 by 3.
static void products_3x3(void) {
  float r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, s[3][3];
  const float *m = in[0];
  for (int n = 0; n < 10000; n++, m += 9) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        float sum = 0;
        for (int k = 0; k < 3; k++) sum += r[i][k] * m[k * 3 + j];
        s[i][j] = sum;
      }
    memcpy(r, s, sizeof r);
  }
  memcpy(out, r, sizeof r);
  out_bytes = sizeof r;
}

// An LSTM cell of 8, 1,000 steps.
static void lstm_8(void) {
  enum { N = 8, T = 1000 };
  const float *x = in[0], *w = in[1], *u = in[2], *bias = in[3];
  float h[N] = {0}, c[N] = {0}, g[4 * N];
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < 4 * N; j++) g[j] = bias[j];
    for (int k = 0; k < N; k++)
      for (int j = 0; j < 4 * N; j++) g[j] += x[t * N + k] * w[k * 4 * N + j] + h[k] * u[k * 4 * N + j];
    for (int j = 0; j < N; j++) {
      float i = 1 / (1 + expf(-g[j])), f = 1 / (1 + expf(-g[N + j])), o = 1 / (1 + expf(-g[3 * N + j]));
      c[j] = f * c[j] + i * tanhf(g[2 * N + j]);
      h[j] = o * tanhf(c[j]);
    }
    memcpy(out + t * N, h, sizeof h);
  }
  out_bytes = 4 * N * T;
}

// Kalman's filter: 4 states (places and speeds in a plane), 2 of them seen, 1,000 steps.
static void kalman_4(void) {
  enum { T = 1000 };
  const float *f = in[0], *q = in[1], *seen = in[2];
  float x[4] = {0}, p[4][4] = {{0}}, a[4], b[4][4], k[4][2];
  for (int i = 0; i < 4; i++) p[i][i] = 1;
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < 4; i++) {
      a[i] = 0;
      for (int j = 0; j < 4; j++) a[i] += f[i * 4 + j] * x[j];
      for (int j = 0; j < 4; j++) {
        b[i][j] = 0;
        for (int l = 0; l < 4; l++) b[i][j] += f[i * 4 + l] * p[l][j];
      }
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        p[i][j] = q[i * 4 + j];
        for (int l = 0; l < 4; l++) p[i][j] += b[i][l] * f[j * 4 + l];
      }
    float s00 = p[0][0] + 0.1f, s01 = p[0][1], s10 = p[1][0], s11 = p[1][1] + 0.1f;
    float det = s00 * s11 - s01 * s10;
    for (int i = 0; i < 4; i++) {
      k[i][0] = (p[i][0] * s11 - p[i][1] * s10) / det;
      k[i][1] = (p[i][1] * s00 - p[i][0] * s01) / det;
    }
    float r0 = seen[2 * t] - a[0], r1 = seen[2 * t + 1] - a[1];
    for (int i = 0; i < 4; i++) x[i] = a[i] + k[i][0] * r0 + k[i][1] * r1;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) b[i][j] = p[i][j] - (k[i][0] * p[0][j] + k[i][1] * p[1][j]);
    memcpy(p, b, sizeof p);
    memcpy(out + 4 * t, x, sizeof x);
  }
  out_bytes = 16 * T;
}

// Mandelbrot's set with a mask: 256 by 256 points, 100 rounds.
static void mandelbrot(void) {
  enum { N = 256 };
  static float re[N * N], im[N * N];
  static int32_t count[N * N];
  const float *cr = in[0], *ci = in[1];
  memset(re, 0, sizeof re), memset(im, 0, sizeof im), memset(count, 0, sizeof count);
  for (int t = 0; t < 100; t++)
    for (int i = 0; i < N * N; i++) {
      float x = re[i], y = im[i];
      int inside = x * x + y * y < 4;
      float nx = x * x - y * y + cr[i], ny = 2 * x * y + ci[i];
      re[i] = inside ? nx : x;
      im[i] = inside ? ny : y;
      count[i] += inside;
    }
  memcpy(out, count, sizeof count);
  out_bytes = sizeof count;
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {{"runge_kutta", runge_kutta}, {"particle_filter", particle_filter}, {"viterbi", viterbi},
                {"beam_search", beam_search}, {"conjugate_gradients", conjugate_gradients}, {"sinkhorn", sinkhorn},
                {"queens", queens},           {"kmeans", kmeans},                   {"warping", warping},
                {"alignment", alignment},           {"recurrence", recurrence}, {"products_3x3", products_3x3},
                {"lstm_8", lstm_8},                 {"kalman_4", kalman_4},         {"mandelbrot", mandelbrot}};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  for (int i = 4; i < argc; i++) {
    FILE *f = fopen(argv[i], "rb");
    if (!f) return 3;
    fseek(f, 0, SEEK_END);
    sizes[i - 4] = ftell(f);
    rewind(f);
    void *data = malloc(sizes[i - 4]);
    if (fread(data, 1, sizes[i - 4], f) != (size_t)sizes[i - 4]) return 3;
    in[i - 4] = data;
    fclose(f);
  }
  for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
    if (!strcmp(programs[p].name, argv[1])) {
      static double times[1 << 20];
      int count = 0;
      double limit = atof(argv[2]) * 1e3, start = now();
      do {
        double begin = now();
        programs[p].run();
        times[count++] = now() - begin;
      } while (count < 3 || (now() - start < limit && count < 1 << 20));
      qsort(times, count, sizeof *times, compare);
      printf("%.6f\n", times[count / 2]);
      FILE *f = fopen(argv[3], "wb");
      if (!f || fwrite(out, 1, out_bytes, f) != (size_t)out_bytes) return 3;
      fclose(f);
      return 0;
    }
  return 2;
}
