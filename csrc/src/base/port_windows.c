/* Windows, with the universal C runtime. */
#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#define NOGDI
#define NOUSER
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602 /* Windows 8: FILE_ID_INFO */

#include "base/port.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define TICKS_UNTIL_1970 INT64_C(116444736000000000)
#define NANOSECONDS_PER_TICK 100
#define MOST_PER_READ ((size_t)1 << 30)
#define SHARED_FULLY (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Headers declare it only if a macro is defined before the first one. */
errno_t rand_s(unsigned *drawn);

static int errno_of_last_error(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_PATHNAME:
    case ERROR_FILENAME_EXCED_RANGE: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return EACCES;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return ENOMEM;
    default: return EIO;
    }
}

/* ---- memory ---- */

/* The ends of a mapping cannot be released, so look for an aligned address and map only it. Another
 * thread may map there in between. */
void *pqx_map_pages(size_t size, size_t alignment)
{
    enum { ATTEMPTS = 16 };
    for (int i = 0; i < ATTEMPTS; i++) {
        uint8_t *room = (uint8_t *)VirtualAlloc(NULL, size + alignment, MEM_RESERVE, PAGE_NOACCESS);
        if (!room) return NULL;
        uint8_t *start = room + (-(uintptr_t)room & (alignment - 1));
        VirtualFree(room, 0, MEM_RELEASE);
        if (VirtualAlloc(start, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)) return start;
    }
    return NULL;
}

static int is_start_of_mapping(void *start)
{
    MEMORY_BASIC_INFORMATION found;
    return VirtualQuery(start, &found, sizeof found) && found.AllocationBase == start;
}

/* The addresses of a mapping's end stay reserved until the rest is unmapped. */
void pqx_unmap_pages(void *start, size_t size)
{
    if (is_start_of_mapping(start)) VirtualFree(start, 0, MEM_RELEASE);
    else VirtualFree(start, size, MEM_DECOMMIT);
}

/* The end of a mapping cannot outlive the rest, so only the mapping's owner may use it. */
int pqx_offer_pages(void *start, size_t size)
{ return is_start_of_mapping(start) && VirtualAlloc(start, size, MEM_RESET, PAGE_READWRITE); }

void *pqx_resize_pages(void *start, size_t mapped, size_t size, size_t alignment)
{
    (void)start, (void)mapped, (void)size, (void)alignment;
    return NULL;
}

void *pqx_allocate_large(size_t size, size_t alignment)
{
    (void)alignment;
    return malloc(size);
}

int pqx_draw_random(void *into, size_t size)
{
    for (uint8_t *at = (uint8_t *)into; size;) {
        unsigned drawn;
        size_t some = size < sizeof drawn ? size : sizeof drawn;
        if (rand_s(&drawn)) return EIO;
        memcpy(at, &drawn, some);
        at += some;
        size -= some;
    }
    return 0;
}

#if defined(__aarch64__)
unsigned pqx_arm_features(void)
{
    enum { CRYPTO = 30, CRC32 = 31 }; /* PF_ARM_V8_…_INSTRUCTIONS_AVAILABLE */
    return (IsProcessorFeaturePresent(CRC32) ? PQX_ARM_CRC32 : 0)
           | (IsProcessorFeaturePresent(CRYPTO) ? PQX_ARM_PMULL : 0);
}
#endif

/* ---- files ---- */

/* Return the joined path in UTF-16, which the caller frees; NULL with a failure if it is not UTF-8.
 */
static wchar_t *wide_path(const char *folder, const char *name, int *failure)
{
    size_t before = strlen(folder), size = before + strlen(name) + 1;
    char *joined = size <= INT_MAX ? (char *)malloc(size) : NULL;
    wchar_t *path = joined ? (wchar_t *)malloc(size * sizeof *path) : NULL;
    *failure = ENOMEM;
    if (path) {
        memcpy(joined, folder, before);
        memcpy(joined + before, name, size - before);
        *failure = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, joined, -1, path, (int)size)
                       ? 0
                       : ENOENT;
    }
    free(joined);
    if (!*failure) return path;
    free(path);
    return NULL;
}

static HANDLE open_handle(const char *folder, const char *name, DWORD access, DWORD flags,
                          int *failure)
{
    wchar_t *path = wide_path(folder, name, failure);
    if (!path) return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileW(path, access, SHARED_FULLY, NULL, OPEN_EXISTING, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE) *failure = errno_of_last_error();
    free(path);
    return handle;
}

int pqx_open_in_folder(int folder, const char *folder_path, const char *name)
{
    int failure, fd;
    (void)folder;
    HANDLE handle = open_handle(folder_path, name, GENERIC_READ, FILE_ATTRIBUTE_NORMAL, &failure);
    if (handle == INVALID_HANDLE_VALUE) return -failure;
    fd = _open_osfhandle((intptr_t)handle, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (fd < 0) CloseHandle(handle);
    return fd < 0 ? -EMFILE : fd;
}

int pqx_open_file(const char *path) { return pqx_open_in_folder(0, "", path); }

int pqx_open_folder(const char *path)
{
    int failure;
    wchar_t *wide = wide_path(path, ".", &failure);
    DWORD found = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    if (wide && found == INVALID_FILE_ATTRIBUTES) failure = errno_of_last_error();
    free(wide);
    return found == INVALID_FILE_ATTRIBUTES ? -failure : 0;
}

void pqx_close_folder(int folder) { (void)folder; }

void pqx_close_file(int fd) { _close(fd); }

static int64_t nanoseconds(FILETIME time)
{
    int64_t ticks = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
    return (ticks - TICKS_UNTIL_1970) * NANOSECONDS_PER_TICK;
}

static int describe(HANDLE handle, pqx_file_facts *facts)
{
    BY_HANDLE_FILE_INFORMATION found;
    FILE_ID_INFO id;
    *facts = (pqx_file_facts){0};
    if (GetFileType(handle) != FILE_TYPE_DISK) return 0;
    if (!GetFileInformationByHandle(handle, &found)) return errno_of_last_error();
    int is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    facts->kind = is_folder ? PQX_IS_DIRECTORY : PQX_IS_REGULAR;
    facts->size = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow;
    facts->modified = nanoseconds(found.ftLastWriteTime);
    facts->changed = nanoseconds(found.ftCreationTime);
    facts->device = found.dwVolumeSerialNumber;
    facts->inode = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
        facts->device = id.VolumeSerialNumber;
        memcpy(&facts->inode, &id.FileId, sizeof facts->inode);
    }
    return 0;
}

int pqx_get_facts(int fd, pqx_file_facts *facts)
{ return describe((HANDLE)_get_osfhandle(fd), facts); }

int pqx_get_facts_in_folder(int folder, const char *folder_path, const char *name,
                            pqx_file_facts *facts)
{
    int failure;
    (void)folder;
    HANDLE handle =
        open_handle(folder_path, name, FILE_READ_ATTRIBUTES, FILE_FLAG_BACKUP_SEMANTICS, &failure);
    if (handle == INVALID_HANDLE_VALUE) return failure;
    failure = describe(handle, facts);
    CloseHandle(handle);
    return failure;
}

int pqx_get_facts_of_path(const char *path, pqx_file_facts *facts)
{ return pqx_get_facts_in_folder(0, "", path, facts); }

uint32_t pqx_get_user(void) { return 0; }

const char *pqx_name_of_path(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '/' || *path == '\\' || *path == ':') name = path + 1;
    return name;
}

int64_t pqx_read_at(int fd, uint64_t offset, void *into, size_t size)
{
    HANDLE handle = (HANDLE)_get_osfhandle(fd);
    size_t done = 0;
    DWORD part, got;
    do {
        part = (DWORD)(size - done < MOST_PER_READ ? size - done : MOST_PER_READ);
        OVERLAPPED place = {
            .Offset = (DWORD)(offset + done),
            .OffsetHigh = (DWORD)((offset + done) >> 32),
        };
        if (!ReadFile(handle, (uint8_t *)into + done, part, &got, &place)) {
            if (GetLastError() != ERROR_HANDLE_EOF) return -errno_of_last_error();
            got = 0;
        }
        done += got;
    } while (done < size && got == part);
    return (int64_t)done;
}

int pqx_read_exactly(int fd, uint64_t offset, void *into, size_t size)
{
    int64_t got = pqx_read_at(fd, offset, into, size);
    return got < 0 ? (int)-got : (size_t)got < size ? ENODATA : 0;
}

int pqx_map_file(int fd, size_t size, const uint8_t **start)
{
    (void)fd, (void)size, (void)start;
    return ENOTSUP;
}

void pqx_unmap_file(const uint8_t *start, size_t size) { (void)start, (void)size; }

#else
typedef int pqx_port_windows_is_empty_here;
#endif
