// Preloaded into a process (ld.so(8)): writes what it does to the files under $RECORD_FOLDER into $RECORD_FILE, for StorePowerCutTests.
// A record is a letter, a path, an offset or size, a count of bytes, and the bytes: "W path 4096 512\n" and 512 bytes.
// The sync there with the number $FAILING_SYNC, from 1, is refused as by a broken disk, for StoreDiskErrorTests.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record_file = -1;
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_recorded(const char *path) {
    const char *folder = getenv("RECORD_FOLDER");
    return folder && !strncmp(path, folder, strlen(folder));
}

static void note(char kind, const char *path, long place, const void *bytes, size_t count) {
    const char *file = getenv("RECORD_FILE");
    if (!file || (kind != 'P' && !is_recorded(path))) return;
    char head[8192];
    int length = snprintf(head, sizeof head, "%c %s %ld %zu\n", kind, path, place, count);
    pthread_mutex_lock(&lock);
    if (record_file < 0) record_file = REAL(open)(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (REAL(write)(record_file, head, length) != length || REAL(write)(record_file, bytes, count) != (ssize_t)count) abort();
    pthread_mutex_unlock(&lock);
}

static int find_path(int file, char path[4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 4095);
    if (length >= 0) path[length] = 0;
    return length >= 0;
}

static void note_file(char kind, int file, long place, const void *bytes, size_t count) {
    char path[4096];
    if (!find_path(file, path)) return;
    struct stat status;
    if (kind == 'S' && !fstat(file, &status) && S_ISDIR(status.st_mode)) kind = 'D';
    note(kind, path, place, bytes, count);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; va_start(list, flags); int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; va_end(list); \
        int is_new = (flags & O_CREAT) && access(path, F_OK); \
        int file = REAL(name)(path, flags, mode); \
        if (file >= 0 && is_new) note_file('O', file, 0, "", 0); \
        return file; \
    }
OPEN(open)
OPEN(open64)

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    ssize_t result = REAL(pwrite64)(file, bytes, count, place);
    if (result > 0) note_file('W', file, place, bytes, result);
    return result;
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) { return pwrite64(file, bytes, count, place); }
ssize_t write(int file, const void *bytes, size_t count) {
    if (file == 1) note('P', "-", 0, bytes, count);
    else note_file('A', file, 0, "", 0);
    return REAL(write)(file, bytes, count);
}
int ftruncate64(int file, off64_t size) {
    int result = REAL(ftruncate64)(file, size);
    if (!result) note_file('T', file, size, "", 0);
    return result;
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
static int sync_by(int (*real)(int), int file) {
    static int syncs;
    const char *failing = getenv("FAILING_SYNC");
    char path[4096];
    if (failing && find_path(file, path) && is_recorded(path) && __atomic_add_fetch(&syncs, 1, __ATOMIC_RELAXED) == atoi(failing)) {
        errno = EIO;
        return -1;
    }
    int result = real(file);
    if (!result) note_file('S', file, 0, "", 0);
    return result;
}
int fsync(int file) { return sync_by(REAL(fsync), file); }
int fdatasync(int file) { return sync_by(REAL(fdatasync), file); }
int unlink(const char *path) {
    int result = REAL(unlink)(path);
    if (!result) note('U', path, 0, "", 0);
    return result;
}
