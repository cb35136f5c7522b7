/* Compute the beginning of a column chunk. */
#include "base/internal.h"

enum { MAGIC_BYTES = 4 };

int64_t pqx_chunk_begin(int64_t data_page_offset, int64_t dictionary_page_offset)
{
    int is_place = dictionary_page_offset >= MAGIC_BYTES;
    int is_in_front = dictionary_page_offset < data_page_offset || data_page_offset <= 0;
    return is_place && is_in_front ? dictionary_page_offset : data_page_offset;
}
