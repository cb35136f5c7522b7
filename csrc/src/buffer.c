#include <stdlib.h>

#include "internal.h"

void pqx_buffer_free(pqx_buffer *buffer)
{
    free(buffer->data);
    *buffer = (pqx_buffer){0};
}

int pqx_buffer_reserve(pqx_buffer *buffer, size_t more, pqx_error *error)
{
    if (more <= buffer->capacity - buffer->size) return PQX_OK;
    if (more > SIZE_MAX / 2 - buffer->size) return pqx_fail(error, PQX_NO_MEMORY, 0, more, 0);
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - buffer->size < more) capacity *= 2;
    uint8_t *data = realloc(buffer->data, capacity);
    if (!data) return pqx_fail(error, PQX_NO_MEMORY, 0, capacity, 0);
    buffer->data = data;
    buffer->capacity = capacity;
    return PQX_OK;
}

int pqx_buffer_append(pqx_buffer *buffer, const void *bytes, size_t size, pqx_error *error)
{
    int status = pqx_buffer_reserve(buffer, size, error);
    if (status == PQX_OK && size) {
        memcpy(buffer->data + buffer->size, bytes, size);
        buffer->size += size;
    }
    return status;
}
