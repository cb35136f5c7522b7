/* Functions of the operating system that tests need. */
#ifndef PQX_TEST_SYSTEM_H
#define PQX_TEST_SYSTEM_H

#include "harness.h"

#if defined(_WIN32)

#include <direct.h>
#include <unistd.h>
#include <windows.h>

/* Return `size` bytes that end at a page that may not be accessed. */
static inline uint8_t *map_before_guard(size_t size)
{
    enum { PAGE = 4096 };
    DWORD before;
    size_t whole = (size + PAGE - 1) / PAGE * PAGE;
    uint8_t *start = VirtualAlloc(NULL, whole + PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    CHECK(start && VirtualProtect(start + whole, PAGE, PAGE_NOACCESS, &before));
    return start + whole - size;
}

static inline int is_mapped(void *page)
{
    MEMORY_BASIC_INFORMATION found;
    return VirtualQuery(page, &found, sizeof found) && found.State == MEM_COMMIT;
}

/* Make a folder for temporary files, and enter it. `path` has room for MAX_PATH bytes. */
static inline void enter_new_folder(char *path)
{
    CHECK(GetTempPathA(MAX_PATH, path) < MAX_PATH - 20);
    snprintf(path + strlen(path), 20, "pqx-%llx", (unsigned long long)GetTickCount64());
    CHECK(!_mkdir(path) && !_chdir(path));
}

static inline void remove_folder(const char *path) { CHECK(!_chdir("..") && !_rmdir(path)); }

static inline void name_too(const char *path, const char *other)
{ CHECK(CreateHardLinkA(other, path, NULL)); }

static inline void *load_symbol(const char *name)
{
    HMODULE library = LoadLibraryA("libzstd.dll");
    return library ? (void *)(uintptr_t)GetProcAddress(library, name) : NULL;
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_PATH = 260 };

static inline uint8_t *map_before_guard(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    uint8_t *start =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(start != MAP_FAILED && !mprotect(start + whole, page, PROT_NONE));
    return start + whole - size;
}

static inline int is_mapped(void *page) { return !msync(page, 1, MS_ASYNC) || errno != ENOMEM; }

static inline void enter_new_folder(char *path)
{
    strcpy(path, "/tmp/pqx-XXXXXX");
    CHECK(mkdtemp(path) && !chdir(path));
}

static inline void remove_folder(const char *path) { CHECK(!chdir("/") && !rmdir(path)); }

#if defined(__APPLE__)
#define PQX_ZSTD_NAME "libzstd.1.dylib"
#else
#define PQX_ZSTD_NAME "libzstd.so.1"
#endif

/* Give a file another name without changing its times. */
static inline void name_too(const char *path, const char *other) { CHECK(!symlink(path, other)); }

/* Return a function of the system's libzstd, or NULL. */
static inline void *load_symbol(const char *name)
{
    void *library = dlopen(PQX_ZSTD_NAME, RTLD_NOW);
    return library ? dlsym(library, name) : NULL;
}

#endif
#endif
