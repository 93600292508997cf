/* Fault injection between a program and the C library: every nth write, sync or truncation of a file below a folder fails
 * with EIO, and every fifth of these faults is a short write if possible. The test controls it through a mapped file.
 *
 * FAULTS_BELOW    the folder, without a trailing slash
 * FAULTS_CONTROL  the file that contains `struct control`
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
    uint64_t every;  /* 0: no fault */
    uint64_t calls;  /* calls on files below the folder while faults were on */
    uint64_t errors; /* of them failed with EIO */
    uint64_t shorts; /* of them wrote only half */
};

enum fate { PASS, FAIL, SHORT };

#define SHORT_EVERY 5

static struct control *control;
static char below[4096];

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("FAULTS_BELOW");
    const char *file = getenv("FAULTS_CONTROL");
    if (!folder || !file || strlen(folder) + 2 > sizeof below) return;
    snprintf(below, sizeof below, "%s/", folder);
    int fd = open(file, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *place = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (place != MAP_FAILED) control = place;
}

static int is_below(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, below, strlen(below)) == 0;
}

static enum fate fate(int fd, int can_be_short) {
    if (!control) return PASS;
    uint64_t every = __atomic_load_n(&control->every, __ATOMIC_SEQ_CST);
    if (every == 0 || !is_below(fd)) return PASS;
    uint64_t call = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
    if (call % every != 0) return PASS;
    if (can_be_short && (call / every) % SHORT_EVERY == 0) {
        __atomic_add_fetch(&control->shorts, 1, __ATOMIC_SEQ_CST);
        return SHORT;
    }
    __atomic_add_fetch(&control->errors, 1, __ATOMIC_SEQ_CST);
    return FAIL;
}

#define FAIL_WITH_EIO \
    do {              \
        errno = EIO;  \
        return -1;    \
    } while (0)

ssize_t write(int fd, const void *bytes, size_t count) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = real("write");
    int kept = errno;
    enum fate now = fate(fd, count > 1);
    errno = kept;
    if (now == FAIL) FAIL_WITH_EIO;
    return next(fd, bytes, now == SHORT ? count / 2 : count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    static ssize_t (*next)(int, const struct iovec *, int);
    if (!next) next = real("writev");
    int kept = errno;
    enum fate now = fate(fd, 0);
    errno = kept;
    if (now == FAIL) FAIL_WITH_EIO;
    return next(fd, parts, count);
}

#define POSITIONED(NAME, OFFSET)                                            \
    ssize_t NAME(int fd, const void *bytes, size_t count, OFFSET place) {   \
        static ssize_t (*next)(int, const void *, size_t, OFFSET);          \
        if (!next) next = real(#NAME);                                      \
        int kept = errno;                                                   \
        enum fate now = fate(fd, count > 1);                                \
        errno = kept;                                                       \
        if (now == FAIL) FAIL_WITH_EIO;                                     \
        return next(fd, bytes, now == SHORT ? count / 2 : count, place);    \
    }
POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)

#define WHOLE(NAME, PARAMETERS, ARGUMENTS)      \
    int NAME PARAMETERS {                       \
        static int (*next) PARAMETERS;          \
        if (!next) next = real(#NAME);          \
        int kept = errno;                       \
        enum fate now = fate(fd, 0);            \
        errno = kept;                           \
        if (now == FAIL) FAIL_WITH_EIO;         \
        return next ARGUMENTS;                  \
    }
WHOLE(fsync, (int fd), (fd))
WHOLE(fdatasync, (int fd), (fd))
WHOLE(ftruncate, (int fd, off_t length), (fd, length))
WHOLE(ftruncate64, (int fd, off64_t length), (fd, length))
