#include <stdlib.h>

#include "base/internal.h"
#include "base/port.h"

void pqx_buffer_free(pqx_buffer *buffer)
{
    free(buffer->data);
    *buffer = (pqx_buffer){0};
}

/* Large blocks use huge pages: a page fault per 4 KiB costs more than filling the page. */
static void *allocate(size_t size)
{
    enum { HUGE_PAGE = 2 << 20 };
    return size < 2 * HUGE_PAGE ? malloc(size) : pqx_allocate_large(size, HUGE_PAGE);
}

int pqx_buffer_reserve(pqx_buffer *buffer, size_t more, pqx_error *error)
{
    if (more <= buffer->capacity - buffer->size) return PQX_OK;
    if (more > SIZE_MAX / 2 - buffer->size) return pqx_fail(error, PQX_NO_MEMORY, 0, more, 0);
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - buffer->size < more) capacity *= 2;
    uint8_t *data =
        (uint8_t *)(buffer->data ? realloc(buffer->data, capacity) : allocate(capacity));
    if (!data) return pqx_fail(error, PQX_NO_MEMORY, 0, capacity, 0);
    buffer->data = data;
    buffer->capacity = capacity;
    return PQX_OK;
}
