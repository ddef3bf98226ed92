/*
 * Preloaded into a daemon under test: gives it a clock that can step and a disk that can be full, as the mapped control
 * file says at each moment. The monotonic clock goes on undisturbed, as it does when a real system clock is set.
 *
 * Control file: int64 nanoseconds that the wall clock is off, then int64 1 while regular files take no more bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *control;
static const int64_t NS = 1000000000;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("SVC_TEST_FAULTS");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) control = mapped;
}

#define REAL(type, name, ...)                                     \
  static type (*real)(__VA_ARGS__);                               \
  if (real == NULL) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

int clock_gettime(clockid_t clock, struct timespec *at) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  int status = real(clock, at);
  if (status == 0 && control != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t ns = at->tv_sec * NS + at->tv_nsec + control[0];
    at->tv_sec = ns / NS;
    at->tv_nsec = ns % NS;
  }
  return status;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}

static int is_full(int file) {
  struct stat about;
  if (control == NULL || control[1] == 0) return 0;
  int before = errno;
  int regular = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  errno = regular ? ENOSPC : before;
  return regular;
}

ssize_t write(int file, const void *bytes, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return is_full(file) ? -1 : real(file, bytes, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  return is_full(file) ? -1 : real(file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  return pwrite64(file, bytes, size, at);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  return is_full(file) ? -1 : real(file, parts, count);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off64_t);
  return is_full(file) ? -1 : real(file, parts, count, at);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  return pwritev64(file, parts, count, at);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, "ftruncate64", int, off64_t);
  struct stat about;
  int grows = fstat(file, &about) == 0 && about.st_size < size;
  return grows && is_full(file) ? -1 : real(file, size);
}

int ftruncate(int file, off_t size) {
  return ftruncate64(file, size);
}
