#include <stdlib.h>
#include <sys/mman.h>

#include "base/internal.h"

void pqx_buffer_free(pqx_buffer *buffer)
{
    free(buffer->data);
    *buffer = (pqx_buffer){0};
}

/* Allocate with malloc. Large blocks use huge pages if the system has them: a page fault per 4 KiB
 * costs more than filling the page. */
static void *allocate(size_t size)
{
    enum { HUGE_PAGE = 2 << 20 };
    void *memory = NULL;
    if (size < 2 * HUGE_PAGE) return malloc(size);
    if (posix_memalign(&memory, HUGE_PAGE, size)) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

int pqx_buffer_reserve(pqx_buffer *buffer, size_t more, pqx_error *error)
{
    if (more <= buffer->capacity - buffer->size) return PQX_OK;
    if (more > SIZE_MAX / 2 - buffer->size) return pqx_fail(error, PQX_NO_MEMORY, 0, more, 0);
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - buffer->size < more) capacity *= 2;
    uint8_t *data = buffer->data ? realloc(buffer->data, capacity) : allocate(capacity);
    if (!data) return pqx_fail(error, PQX_NO_MEMORY, 0, capacity, 0);
    buffer->data = data;
    buffer->capacity = capacity;
    return PQX_OK;
}
