/* libzstd is opened when it is first needed, so that nobody has to have it: its functions have kept
 * their names and arguments since version 1.0. */
#include "page/zstd.h"

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#ifndef PQX_ZSTD_LIBRARY
#ifdef __APPLE__
#define PQX_ZSTD_LIBRARY "libzstd.1.dylib"
#else
#define PQX_ZSTD_LIBRARY "libzstd.so.1"
#endif
#endif

enum { UNKNOWN, ABSENT, THERE };
enum { CREATE, FREE, DECOMPRESS, IS_ERROR, FUNCTIONS };

typedef void *create_context(void);
typedef size_t free_context(void *);
typedef size_t decompress(void *, void *, size_t, const void *, size_t);
typedef unsigned is_error(size_t);

/* C libraries of before 2021 have dlopen in libdl: who links neither it nor Python has no libzstd.
 */
#pragma weak dlopen
#pragma weak dlsym

static _Atomic(void *) functions[FUNCTIONS];
static atomic_int state;

/* Two threads may look for it at once: they find the same. */
static int look(void)
{
    static const char *const names[] = {"ZSTD_createDCtx", "ZSTD_freeDCtx", "ZSTD_decompressDCtx",
                                        "ZSTD_isError"};
    void *library = dlopen && dlsym ? dlopen(PQX_ZSTD_LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return ABSENT;
    for (int i = 0; i < FUNCTIONS; i++) {
        void *found = dlsym(library, names[i]);
        if (!found) return ABSENT;
        atomic_store_explicit(functions + i, found, memory_order_relaxed);
    }
    return THERE;
}

int pqx_zstd_is_there(void)
{
    int found = atomic_load_explicit(&state, memory_order_acquire);
    if (found == UNKNOWN) {
        found = look();
        atomic_store_explicit(&state, found, memory_order_release);
    }
    return found == THERE;
}

/* ISO C has no cast from an object's pointer to a function's. */
#define FUNCTION(type, number, name)                                               \
    type *name;                                                                    \
    do {                                                                           \
        void *at = atomic_load_explicit(functions + number, memory_order_relaxed); \
        memcpy(&name, &at, sizeof at);                                             \
    } while (0)

int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    if (!pqx_zstd_is_there()) return 0;
    FUNCTION(create_context, CREATE, create);
    FUNCTION(decompress, DECOMPRESS, run);
    FUNCTION(is_error, IS_ERROR, failed);
    if (!*context && !(*context = create())) return 0;
    size_t made = run(*context, out, out_size, data, size);
    return !failed(made) && made == out_size;
}

void pqx_zstd_free(void *context)
{
    if (!context) return;
    FUNCTION(free_context, FREE, release);
    release(context);
}

#else

int pqx_zstd_is_there(void) { return 0; }

int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    (void)context, (void)data, (void)size, (void)out, (void)out_size;
    return 0;
}

void pqx_zstd_free(void *context) { (void)context; }

#endif
