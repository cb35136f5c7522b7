/* Functions of the operating system. port_posix.c and port_windows.c implement them; no other file
 * includes a header of a system or asks which system it is. Failures are returned as an errno. */
#ifndef PQX_PORT_H
#define PQX_PORT_H

#include <stddef.h>
#include <stdint.h>

/* ---- memory ---- */

/* Map memory with an address and a size that are multiples of `alignment`, a power of two; use huge
 * pages if the system has them. Return NULL if there is no memory. */
void *pqx_map_pages(size_t size, size_t alignment);
/* Return a whole mapping, or its end, to the system. The start and size are multiples of the
 * mapping's alignment. */
void pqx_unmap_pages(void *start, size_t size);
/* Return 1 if the system may now reclaim the pages of these addresses at any time until they are
 * written, and if they may be used as a mapping of their own. Return 0 if not. */
int pqx_offer_pages(void *start, size_t size);
/* Resize a mapping, at its place or at another multiple of `alignment`. Return NULL and change
 * nothing if the system cannot. */
void *pqx_resize_pages(void *start, size_t mapped, size_t size, size_t alignment);
/* Allocate a large block that `free` and `realloc` accept, on huge pages if the system has them;
 * these have `alignment` bytes. */
void *pqx_allocate_large(size_t size, size_t alignment);

/* Fill a few bytes at random, as for a key. Return 0 or an errno. */
int pqx_draw_random(void *into, size_t size);

#if defined(__aarch64__)
enum { PQX_ARM_CRC32 = 1, PQX_ARM_PMULL = 2 };
/* Return the optional instructions of this CPU. */
unsigned pqx_arm_features(void);
#endif

/* ---- files ----
 * Paths are UTF-8 on Windows. A file descriptor is one of the C library; on Windows, of the
 * universal C runtime (ucrtbase.dll), which Python uses too. */

enum { PQX_IS_OTHER = 0, PQX_IS_REGULAR = 1, PQX_IS_DIRECTORY = 2 };

/* The identity of a file, and of its version. Times are nanoseconds since
 * 1970; on Windows `changed` is the time of creation, as in Python's os.stat. */
typedef struct pqx_file_facts {
    int kind;
    uint32_t owner; /* 0 on Windows */
    uint64_t size, device, inode;
    int64_t modified, changed;
} pqx_file_facts;

/* Open a file for reading, without waiting for the other end of a pipe. Return a file descriptor,
 * or a negative errno. */
int pqx_open_file(const char *path);
/* Open a folder, so that its files are found faster; if the system cannot open folders, return 0
 * if there is such a folder. The path is empty or ends with a separator. Return a file descriptor,
 * or a negative errno. */
int pqx_open_folder(const char *path);
void pqx_close_folder(int folder);
/* Open a file in a folder: `folder` is from pqx_open_folder, for the same path. */
int pqx_open_in_folder(int folder, const char *folder_path, const char *name);
void pqx_close_file(int fd);

/* Return 0 or an errno. */
int pqx_get_facts(int fd, pqx_file_facts *facts);
int pqx_get_facts_of_path(const char *path, pqx_file_facts *facts);
int pqx_get_facts_in_folder(int folder, const char *folder_path, const char *name,
                            pqx_file_facts *facts);
/* Return the number of this process's user, comparable to `owner`. */
uint32_t pqx_get_user(void);
/* Return the part of a path after its last separator. */
const char *pqx_name_of_path(const char *path);

/* Read from `offset` on. Return the number of bytes, which is less than `size` at the end of the
 * file, or a negative errno. */
int64_t pqx_read_at(int fd, uint64_t offset, void *into, size_t size);
/* Read exactly `size` bytes. Return 0 or an errno; ENODATA if the file ends before. */
int pqx_read_exactly(int fd, uint64_t offset, void *into, size_t size);

/* Map the start of a file for reading. Return 0 or an errno. ENOTSUP on Windows, which refuses to
 * replace or to shorten a mapped file. */
int pqx_map_file(int fd, size_t size, const uint8_t **start);
void pqx_unmap_file(const uint8_t *start, size_t size);

#endif
