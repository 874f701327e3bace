// SPDX-License-Identifier: Apache-2.0
/* {{title}}
 *
 * Needs a C compiler and the NVIDIA driver, nothing else: `make && ./reproduce`.
 *
 * Loads windows.cubin, launches each window as `ptxlat run` does, prints the cycles that passed between its two clock
 * reads, computes each number from them and compares it with the expected one. It changes no setting of the GPU.
 *
 * Exit status: 0 all numbers that count are as expected, 1 one is not, 2 they could not be measured.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  slot_bytes = {{slot_bytes}},           /* of input and of output of each thread */
  parameter_bytes = {{parameter_bytes}}, /* of the kernels' last parameter */
  memory_lines = {{memory_lines}},       /* launches rotate through this many lines of scratch memory ... */
  memory_pages = {{memory_pages}},       /* ... in this many pages ... */
  lines_in_a_row = {{lines_in_a_row}},   /* ... so many in one page before those in the next */
  page_distance = {{page_distance}},     /* of the pages' beginnings, in bytes */
  line_distance = {{line_distance}},     /* of the lines of a page, in bytes */
  scratch_bytes = {{scratch_bytes}},
  object_bytes = {{object_bytes}},       /* after it: for objects that the host makes; none here */
  survey_launches = {{survey_launches}}  /* if latencies leave the SM: each launch on a different line */
};

/* One kernel. `input` has 8 operands of 64 bits for each thread; `places` is the number of SMs or clusters on which the
 * launches of a survey take turns. */
struct window {
  const char *name, *kernel;
  unsigned threads, ctas, shared, launches, places;
  int uses_memory, evicts_l2, large_cluster, carve_out;
  const uint64_t *input;
  size_t input_words;
};

/* constant + the sum of factor * cycles. `counts`: the exit status depends on it. `survey`: the median over the first
 * hump of a survey. */
enum check { nothing, equal, at_least };
struct term {
  int window;
  double factor;
};
struct number {
  const char *cell, *name, *formula;
  double constant;
  struct term terms[4];
  int term_count, survey, counts;
  enum check check;
  double expected, tolerance;
};

static const char expected_from[] = {{expected_from}};
static const int cubin_sm = {{sm}};

{{data}}
enum { window_count = sizeof windows / sizeof windows[0], number_count = sizeof numbers / sizeof numbers[0] };

/* The part of the driver's interface that is used here, as in cuda.h. */
typedef int CUresult;
typedef uint64_t CUdeviceptr;
static struct {
  CUresult (*cuInit)(unsigned);
  CUresult (*cuGetErrorString)(CUresult, const char **);
  CUresult (*cuDriverGetVersion)(int *);
  CUresult (*cuDeviceGet)(int *, int);
  CUresult (*cuDeviceGetName)(char *, int, int);
  CUresult (*cuDeviceGetAttribute)(int *, int, int);
  CUresult (*cuDevicePrimaryCtxRetain)(void **, int);
  CUresult (*cuCtxSetCurrent)(void *);
  CUresult (*cuModuleLoadData)(void **, const void *);
  CUresult (*cuModuleGetFunction)(void **, void *, const char *);
  CUresult (*cuModuleUnload)(void *);
  CUresult (*cuFuncSetAttribute)(void *, int, int);
  CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
  CUresult (*cuMemcpyHtoD_v2)(CUdeviceptr, const void *, size_t);
  CUresult (*cuMemcpyDtoHAsync_v2)(void *, CUdeviceptr, size_t, void *);
  CUresult (*cuMemsetD8Async)(CUdeviceptr, unsigned char, size_t, void *);
  CUresult (*cuStreamCreate)(void **, unsigned);
  CUresult (*cuStreamSynchronize)(void *);
  CUresult (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                             void **, void **);
} cu;
enum {
  attribute_sm_count = 16,
  attribute_l2_bytes = 38,
  attribute_major = 75,
  attribute_minor = 76,
  function_dynamic_shared = 8,
  function_carve_out = 9,
  function_large_cluster = 14
};

static void *stream;
static int sm_count, l2_bytes;
static CUdeviceptr scratch, filler;

static void stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "reproduce: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(2);
}

static void check(CUresult result, const char *what) {
  const char *words = "";
  if (result == 0) return;
  cu.cuGetErrorString(result, &words);
  stop("%s failed with error %d: %s", what, result, words ? words : "");
}
#define CHECK(function, ...) check(cu.function(__VA_ARGS__), #function)

static void on_alarm(int signal) {
  static const char words[] = "reproduce: a kernel has not ended within a minute; giving up\n";
  (void)signal;
  if (write(2, words, sizeof words - 1) < 0) _exit(3);
  _exit(2);
}

static void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) stop("out of memory");
  return memory;
}

static void open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) stop("there is no NVIDIA driver: %s", dlerror());
#define FIND(name) \
  if (!(*(void **)&cu.name = dlsym(library, #name))) stop("the driver is too old: it has no " #name)
  FIND(cuInit);
  FIND(cuGetErrorString);
  FIND(cuDriverGetVersion);
  FIND(cuDeviceGet);
  FIND(cuDeviceGetName);
  FIND(cuDeviceGetAttribute);
  FIND(cuDevicePrimaryCtxRetain);
  FIND(cuCtxSetCurrent);
  FIND(cuModuleLoadData);
  FIND(cuModuleGetFunction);
  FIND(cuModuleUnload);
  FIND(cuFuncSetAttribute);
  FIND(cuMemAlloc_v2);
  FIND(cuMemcpyHtoD_v2);
  FIND(cuMemcpyDtoHAsync_v2);
  FIND(cuMemsetD8Async);
  FIND(cuStreamCreate);
  FIND(cuStreamSynchronize);
  FIND(cuLaunchKernel);
}

static void open_device(void) {
  int device = 0, major = 0, minor = 0, version = 0;
  char name[256] = "";
  void *context = NULL;
  CHECK(cuInit, 0);
  CHECK(cuDriverGetVersion, &version);
  CHECK(cuDeviceGet, &device, 0);
  CHECK(cuDeviceGetName, name, (int)sizeof name, device);
  CHECK(cuDeviceGetAttribute, &sm_count, attribute_sm_count, device);
  CHECK(cuDeviceGetAttribute, &l2_bytes, attribute_l2_bytes, device);
  CHECK(cuDeviceGetAttribute, &major, attribute_major, device);
  CHECK(cuDeviceGetAttribute, &minor, attribute_minor, device);
  printf("GPU       %s, sm_%d, a driver of CUDA %d.%d\n", name, 10 * major + minor, version / 1000,
         version % 1000 / 10);
  printf("expected  %s\n", expected_from);
  if (10 * major + minor != cubin_sm)
    stop("windows.cubin is machine code for sm_%d; assemble windows.ptx for this GPU with ptxlat reproduce", cubin_sm);
  CHECK(cuDevicePrimaryCtxRetain, &context, device);
  CHECK(cuCtxSetCurrent, context);
  CHECK(cuStreamCreate, &stream, 0);
}

/* windows.cubin from this program's own folder. */
static void *load_module(const char *program) {
  const char *slash = strrchr(program, '/');
  const size_t folder = slash ? (size_t)(slash - program) + 1 : 0;
  char *path = allocate(folder + sizeof "windows.cubin");
  void *module = NULL, *cubin;
  FILE *file;
  long bytes;
  memcpy(path, program, folder);
  strcpy(path + folder, "windows.cubin");
  file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0 || (bytes = ftell(file)) <= 0) stop("cannot read %s", path);
  cubin = allocate((size_t)bytes);
  rewind(file);
  if (fread(cubin, 1, (size_t)bytes, file) != (size_t)bytes) stop("cannot read %s", path);
  fclose(file);
  CHECK(cuModuleLoadData, &module, cubin);
  free(cubin);
  free(path);
  return module;
}

/* Where the line of a launch begins in scratch memory. */
static size_t line_offset(size_t launch) {
  const size_t line = launch % memory_lines, turn = line / lines_in_a_row;
  return (turn + turn / memory_pages) % memory_pages * page_distance +
         (turn / memory_pages * lines_in_a_row + line % lines_in_a_row) * line_distance;
}

/* Launches a window and puts the cycles of each launch, seen from thread 0, into `cycles`; UINT32_MAX for a launch that
 * did not fit on its SM. */
static void launch(void *module, const struct window *window, unsigned launches, unsigned places, uint32_t *cycles) {
  static CUdeviceptr out, in;
  static size_t out_room, in_room;
  const size_t slots = (size_t)window->threads * window->ctas, launch_bytes = slots * slot_bytes;
  const size_t in_bytes = window->input_words * sizeof(uint64_t);
  const unsigned groups = places > 0 ? (unsigned)sm_count / window->ctas : 1;
  unsigned char *host;
  void *function = NULL;
  CHECK(cuModuleGetFunction, &function, module, window->kernel);
  if (window->shared > 0) CHECK(cuFuncSetAttribute, function, function_dynamic_shared, (int)window->shared);
  if (window->carve_out >= 0) CHECK(cuFuncSetAttribute, function, function_carve_out, window->carve_out);
  if (window->large_cluster) CHECK(cuFuncSetAttribute, function, function_large_cluster, 1);
  if (places > groups) places = groups;
  if (out_room < launches * launch_bytes) CHECK(cuMemAlloc_v2, &out, out_room = launches * launch_bytes);
  if (in_room < in_bytes || in == 0) CHECK(cuMemAlloc_v2, &in, in_room = in_bytes > 64 ? in_bytes : 64);
  if (in_bytes > 0) CHECK(cuMemcpyHtoD_v2, in, window->input, in_bytes);
  CHECK(cuStreamSynchronize, NULL); /* a copy from pageable memory may return before it has arrived */
  if (window->uses_memory && scratch == 0) CHECK(cuMemAlloc_v2, &scratch, scratch_bytes + object_bytes);
  if (window->evicts_l2 && filler == 0) CHECK(cuMemAlloc_v2, &filler, 4 * (size_t)l2_bytes + line_distance);

  alarm(60);
  CHECK(cuMemsetD8Async, out, 0, launches * launch_bytes, stream);
  if (window->uses_memory) CHECK(cuMemsetD8Async, scratch, 0, scratch_bytes + object_bytes, stream);
  for (unsigned i = 0; i < launches; ++i) {
    uint64_t parameters[parameter_bytes / sizeof(uint64_t)] = {0};
    CUdeviceptr to = out + i * launch_bytes, objects = 0;
    void *arguments[] = {&to, &in, &objects, parameters};
    if (window->uses_memory) {
      objects = scratch + scratch_bytes;
      parameters[0] = scratch + line_offset(i);
      parameters[1] = places > 0 ? (uint64_t)(i % places) * groups / places : 0xffffffff;
    }
    if (window->evicts_l2) CHECK(cuMemsetD8Async, filler, 0, 4 * (size_t)l2_bytes + line_distance, stream);
    CHECK(cuLaunchKernel, function, groups * window->ctas, 1, 1, window->threads, 1, 1, window->shared, stream,
          arguments, NULL);
  }
  host = allocate(launches * launch_bytes);
  CHECK(cuMemcpyDtoHAsync_v2, host, out, launches * launch_bytes, stream);
  CHECK(cuStreamSynchronize, stream);
  alarm(0);
  for (unsigned i = 0; i < launches; ++i) {
    uint32_t clocks[2];
    memcpy(clocks, host + i * launch_bytes, sizeof clocks);
    cycles[i] = clocks[0] == 0 && clocks[1] == 0 ? UINT32_MAX : clocks[1] - clocks[0];
    if (cycles[i] == UINT32_MAX && places == 0) stop("%s ended without writing its clocks", window->kernel);
  }
  free(host);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The result of a window's launches: the value that most of them have, but the fastest if two values take turns.
 * Otherwise, if it uses memory, the fastest, since each launch had a different line; or the median of all but the
 * slowest, if these lie within a tenth of it. Negative if there is no result. */
static double elapsed(const struct window *window, const uint32_t *cycles) {
  const unsigned count = window->launches, left = count > 2 ? count - 1 : count;
  double *sorted = allocate(count * sizeof *sorted), result = -1;
  unsigned fastest = 0;
  int is_narrow;
  for (unsigned i = 0; i < count; ++i) sorted[i] = cycles[i];
  qsort(sorted, count, sizeof *sorted, by_size);
  for (unsigned i = 0, same = 0; i < count; ++i) {
    same = i > 0 && sorted[i] == sorted[i - 1] ? same + 1 : 1;
    if (2 * same > count) result = sorted[i];
    fastest += sorted[i] == sorted[0];
  }
  is_narrow = sorted[left - 1] - sorted[0] <= 0.1 * sorted[left / 2];
  if (is_narrow && 9 * fastest >= 4 * count) result = sorted[0];
  if (result < 0 && window->uses_memory) result = sorted[0];
  if (result < 0 && is_narrow) result = sorted[left / 2];
  free(sorted);
  return result;
}

/* The median of the first of two humps that lie a tenth or more apart with hardly any values between them, or of all. */
static double first_hump(double *values, unsigned count) {
  unsigned tenth = count / 10 > 0 ? count / 10 : 1, cut = 0, between = 0;
  double widest = 0, near, far;
  qsort(values, count, sizeof *values, by_size);
  for (unsigned i = tenth; i + tenth <= count; ++i) {
    if (values[i] - values[i - 1] <= widest) continue;
    widest = values[i] - values[i - 1];
    cut = i;
  }
  if (cut == 0) return values[count / 2];
  near = values[cut / 2];
  far = values[cut + (count - cut) / 2];
  for (unsigned i = 0; i < count; ++i)
    between += values[i] > near + (far - near) / 3 && values[i] < far - (far - near) / 3;
  return far < 1.1 * near || between > 0.06 * count ? values[count / 2] : near;
}

/* `*known` becomes 0 if a window has no result. */
static double value_of(const struct number *number, const double *cycles, int *known) {
  double value = number->constant;
  for (int i = 0; i < number->term_count; ++i) {
    const double elapsed_cycles = cycles[number->terms[i].window];
    if (elapsed_cycles < 0) *known = 0;
    value += number->terms[i].factor * elapsed_cycles;
  }
  return value;
}

/* The number for each launch of a survey; windows that do not use memory took equally long in each. */
static double surveyed(void *module, const struct number *number, const double *cycles, int *known) {
  uint32_t *launches[4] = {NULL};
  double *values = allocate(survey_launches * sizeof *values), result = 0;
  unsigned count = 0;
  for (int i = 0; i < number->term_count; ++i) {
    const struct window *window = &windows[number->terms[i].window];
    if (!window->uses_memory) continue;
    launches[i] = allocate(survey_launches * sizeof(uint32_t));
    launch(module, window, survey_launches, window->places, launches[i]);
  }
  for (unsigned at = 0; at < survey_launches; ++at) {
    double value = number->constant;
    int has_room = 1;
    for (int i = 0; i < number->term_count; ++i) {
      const int window = number->terms[i].window;
      if (launches[i] && launches[i][at] == UINT32_MAX) has_room = 0;
      value += number->terms[i].factor * (launches[i] ? launches[i][at] : cycles[window]);
    }
    if (has_room) values[count++] = value;
  }
  if (count == 0) *known = 0;
  if (count > 0) result = first_hump(values, count);
  for (int i = 0; i < 4; ++i) free(launches[i]);
  free(values);
  return result;
}

/* Prints a number next to its expected value; 0 if it counts and differs. */
static int holds(void *module, const struct number *number, const double *cycles) {
  const double slack = 1e-9;
  int known = 1, is_right;
  double value = value_of(number, cycles, &known);
  if (known && number->survey) value = surveyed(module, number, cycles, &known);
  if (!known) {
    printf("  %-13s no value: the launches spread widely\n", number->name);
    return number->check == nothing || !number->counts;
  }
  printf("  %-13s %-8g", number->name, value);
  if (number->check == nothing) return printf("  nothing is expected     = %s\n", number->formula), 1;
  is_right = number->check == at_least ? value >= number->expected - slack
                                       : value - number->expected <= number->tolerance + slack &&
                                             number->expected - value <= number->tolerance + slack;
  printf("  expected %s%g", number->check == at_least ? "at least " : "", number->expected);
  if (number->tolerance > 0) printf(" +- %g", number->tolerance);
  printf("  %s  = %s\n", is_right ? "ok" : number->counts ? "DIFFERENT" : "different (does not count)",
         number->formula);
  return is_right || !number->counts;
}

int main(int argc, char **argv) {
  double cycles[window_count];
  int wrong = 0, counted = 0;
  const char *cell = "";
  void *module;
  (void)argc;
  signal(SIGALRM, on_alarm);
  open_driver();
  open_device();
  module = load_module(argv[0]);
  printf("\nwindows, cycles from the first clock read to the second:\n");
  for (int i = 0; i < window_count; ++i) {
    uint32_t *launches = allocate(windows[i].launches * sizeof(uint32_t));
    launch(module, &windows[i], windows[i].launches, 0, launches);
    cycles[i] = elapsed(&windows[i], launches);
    printf("  w%-3d %-18s ", i, windows[i].name);
    if (cycles[i] < 0) printf("     -  of");
    else printf("%6g  of", cycles[i]);
    for (unsigned at = 0; at < windows[i].launches && at < 9; ++at) printf(" %u", launches[at]);
    printf("%s\n", windows[i].launches > 9 ? " ..." : "");
    free(launches);
  }
  for (int i = 0; i < number_count; ++i) {
    if (strcmp(cell, numbers[i].cell) != 0) printf("\n%s\n", numbers[i].cell);
    cell = numbers[i].cell;
    counted += numbers[i].counts && numbers[i].check != nothing;
    wrong += !holds(module, &numbers[i], cycles);
  }
  CHECK(cuModuleUnload, module);
  printf("\n%d of %d numbers are as expected\n", counted - wrong, counted);
  return wrong > 0;
}
