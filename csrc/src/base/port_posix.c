/* Linux, macOS and other POSIX systems. */
#if !defined(_WIN32)

#include "base/port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <sys/random.h>
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define MOST_PER_READ ((size_t)1 << 30) /* macOS refuses to read 2 GiB at once */

/* ---- memory ---- */

static void *reserve_address(size_t size, size_t alignment, int protection)
{
    size_t room = size + alignment;
    uint8_t *found = (uint8_t *)mmap(NULL, room, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)found & (alignment - 1), behind = alignment - before;
    if (before) munmap(found, before);
    if (behind) munmap(found + before + size, behind);
    return found + before;
}

static void use_huge_pages(void *start, size_t size)
{
#ifdef MADV_HUGEPAGE
    madvise(start, size, MADV_HUGEPAGE);
#else
    (void)start, (void)size;
#endif
}

void *pqx_map_pages(size_t size, size_t alignment)
{
    void *start = reserve_address(size, alignment, PROT_READ | PROT_WRITE);
    if (start) use_huge_pages(start, size);
    return start;
}

void pqx_unmap_pages(void *start, size_t size) { munmap(start, size); }

int pqx_offer_pages(void *start, size_t size)
{
#ifdef MADV_FREE
    return !madvise(start, size, MADV_FREE);
#else
    (void)start, (void)size;
    return 0;
#endif
}

void *pqx_resize_pages(void *start, size_t mapped, size_t size, size_t alignment)
{
#ifdef MREMAP_MAYMOVE
    if (mremap(start, mapped, size, 0) != MAP_FAILED) return start;
    void *to = reserve_address(size, alignment, PROT_NONE);
    if (!to) return NULL;
    if (mremap(start, mapped, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) return to;
    munmap(to, size);
#else
    (void)start, (void)mapped, (void)size, (void)alignment;
#endif
    return NULL;
}

void *pqx_allocate_large(size_t size, size_t alignment)
{
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, size)) return NULL;
    use_huge_pages(memory, size);
    return memory;
}

/* On Linux, use the system call: the C library's function is newer than the oldest supported glibc
 * (2.17). */
int pqx_draw_random(void *into, size_t size)
{
#if defined(__linux__)
    long got;
    do got = syscall(SYS_getrandom, into, size, 0);
    while (got < 0 && errno == EINTR);
    return got == (long)size ? 0 : got < 0 ? errno : EIO;
#else
    return getentropy(into, size) ? errno : 0;
#endif
}

#if defined(__aarch64__)
unsigned pqx_arm_features(void)
{
#if defined(__linux__)
    enum { HAS_PMULL = 1 << 4, HAS_CRC32 = 1 << 7 };
    unsigned long has = getauxval(AT_HWCAP);
    return (has & HAS_CRC32 ? PQX_ARM_CRC32 : 0) | (has & HAS_PMULL ? PQX_ARM_PMULL : 0);
#elif defined(__APPLE__)
    return PQX_ARM_CRC32 | PQX_ARM_PMULL;
#else
    return 0;
#endif
}
#endif

/* ---- files ---- */

static int opened(int fd) { return fd < 0 ? -errno : fd; }

int pqx_open_file(const char *path)
{ return opened(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)); }

int pqx_open_folder(const char *path)
{ return opened(open(*path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

void pqx_close_folder(int folder) { close(folder); }

int pqx_open_in_folder(int folder, const char *folder_path, const char *name)
{
    (void)folder_path;
    return opened(openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

void pqx_close_file(int fd) { close(fd); }

static int64_t nanoseconds(struct timespec time)
{ return (int64_t)time.tv_sec * NANOSECONDS_PER_SECOND + time.tv_nsec; }

static int describe(int failure, const struct stat *found, pqx_file_facts *facts)
{
    if (failure < 0) return errno;
    facts->kind = S_ISREG(found->st_mode)   ? PQX_IS_REGULAR
                  : S_ISDIR(found->st_mode) ? PQX_IS_DIRECTORY
                                            : PQX_IS_OTHER;
    facts->owner = (uint32_t)found->st_uid;
    facts->size = (uint64_t)found->st_size;
    facts->device = (uint64_t)found->st_dev;
    facts->inode = (uint64_t)found->st_ino;
    facts->modified = nanoseconds(found->st_mtim);
    facts->changed = nanoseconds(found->st_ctim);
    return 0;
}

int pqx_get_facts(int fd, pqx_file_facts *facts)
{
    struct stat found;
    return describe(fstat(fd, &found), &found, facts);
}

int pqx_get_facts_of_path(const char *path, pqx_file_facts *facts)
{
    struct stat found;
    return describe(stat(path, &found), &found, facts);
}

int pqx_get_facts_in_folder(int folder, const char *folder_path, const char *name,
                            pqx_file_facts *facts)
{
    struct stat found;
    (void)folder_path;
    return describe(fstatat(folder, name, &found, 0), &found, facts);
}

uint32_t pqx_get_user(void) { return (uint32_t)geteuid(); }

const char *pqx_name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int64_t pqx_read_at(int fd, uint64_t offset, void *into, size_t size)
{
    size_t done = 0, part;
    ssize_t got;
    do {
        part = size - done < MOST_PER_READ ? size - done : MOST_PER_READ;
        do got = pread(fd, (uint8_t *)into + done, part, (off_t)(offset + done));
        while (got < 0 && errno == EINTR);
        if (got < 0) return -errno;
        done += (size_t)got;
    } while (done < size && (size_t)got == part);
    return (int64_t)done;
}

int pqx_read_exactly(int fd, uint64_t offset, void *into, size_t size)
{
    for (uint8_t *at = (uint8_t *)into; size;) {
        int64_t got = pqx_read_at(fd, offset, at, size);
        if (got < 0) return (int)-got;
        if (got == 0) return ENODATA;
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

int pqx_map_file(int fd, size_t size, const uint8_t **start)
{
    void *found = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (found == MAP_FAILED) return errno;
    *start = (const uint8_t *)found;
    return 0;
}

void pqx_unmap_file(const uint8_t *start, size_t size) { munmap((void *)(uintptr_t)start, size); }

#else
typedef int pqx_port_posix_is_empty_here;
#endif
