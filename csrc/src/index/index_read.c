/* Fetch and check cells of a footer index, and the pieces of the Thrift footer that they refer to.
 */
#include "index/index_read.h"

#define GAP 2048 /* a gap of this size costs less to read than a separate read */
#define SPAN 65536

void pqx_index_begin(pqx_index *index) { index->allowance = 2 * index->limit + 65536; }

int pqx_index_fetch(pqx_index *index, uint64_t at, size_t size, uint8_t *into, pqx_error *error)
{
    if (!size) return PQX_OK;
    if (at >= index->held_begin && at <= index->held_end && size <= index->held_end - at) {
        memcpy(into, index->held + (at - index->held_begin), size);
        return PQX_OK;
    }
    int failure = index->source.read(index->source.context, at, size, into);
    if (failure) return pqx_fail(error, PQX_IO, at, size, (uint64_t)failure);
    index->reads++;
    index->fetched += size;
    return PQX_OK;
}

int pqx_index_load(pqx_index *index, uint64_t place, size_t size, pqx_buffer *cell,
                   pqx_error *error)
{
    cell->size = 0;
    PQX_TRY(pqx_buffer_reserve(cell, size, error));
    PQX_TRY(pqx_index_fetch(index, index->payload + place, size, cell->data, error));
    uint32_t stored = pqx_load32(cell->data), crc = pqx_crc32(0, cell->data + 4, size - 4);
    if (PQX_UNLIKELY(stored != crc))
        return pqx_index_fail(index, error, PQX_CHECKSUM, place, stored, crc);
    cell->size = size;
    return PQX_OK;
}

/* Return the end of the run that starts at range i: the first range that needs a separate read. */
static uint32_t run_end(const pqx_range *ranges, uint32_t i, uint32_t count)
{
    uint64_t begin = ranges[i].offset, end = begin + ranges[i].length;
    for (i++; i < count && ranges[i].offset - end <= GAP
              && (uint64_t)ranges[i].offset + ranges[i].length - begin <= SPAN;
         i++)
        end = (uint64_t)ranges[i].offset + ranges[i].length;
    return i;
}

/* Append the ranges of one run to `out`, which has room. */
static int gather_run(pqx_index *index, const pqx_range *run, uint32_t count, pqx_buffer *out,
                      pqx_error *error)
{
    uint64_t begin = run->offset, at = index->footer + begin;
    if (count == 1) {
        PQX_TRY(pqx_index_fetch(index, at, run->length, out->data + out->size, error));
        out->size += run->length;
        return PQX_OK;
    }
    size_t size = (size_t)(run[count - 1].offset + (uint64_t)run[count - 1].length - begin);
    PQX_TRY(pqx_buffer_reserve(&index->span, size + 1, error));
    PQX_TRY(pqx_index_fetch(index, at, size, index->span.data, error));
    for (uint32_t i = 0; i < count; i++) {
        memcpy(out->data + out->size, index->span.data + (run[i].offset - begin), run[i].length);
        out->size += run[i].length;
    }
    return PQX_OK;
}

/* Ranges of a footer in memory are far apart: prefetch their cache lines together. */
static void fetch_ahead(const pqx_index *index, const pqx_range *ranges, uint32_t count)
{
#if defined(__GNUC__)
    enum { LINE = 64, MOST = 256 };
    if (index->held_begin > index->footer || index->held_end < index->footer + index->limit) return;
    const uint8_t *footer = index->held + (index->footer - index->held_begin);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = 0; at < ranges[i].length && at < MOST; at += LINE)
            __builtin_prefetch(footer + ranges[i].offset + at);
#else
    (void)index, (void)ranges, (void)count;
#endif
}

/* If a run cannot be read, continue with the others: a source that collects missing ranges then
 * learns of all of them. */
int pqx_index_gather(pqx_index *index, uint64_t place, const pqx_range *ranges, uint32_t count,
                     pqx_buffer *out, pqx_error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += ranges[i].length;
    if (PQX_UNLIKELY(total > index->allowance))
        return pqx_index_fail(index, error, PQX_BAD_OFFSET, place, index->limit, total);
    index->allowance -= total;
    PQX_TRY(pqx_buffer_reserve(out, (size_t)total + 1, error));
    fetch_ahead(index, ranges, count);
    int status = PQX_OK;
    for (uint32_t i = 0, next; i < count; i = next) {
        next = run_end(ranges, i, count);
        int found = gather_run(index, ranges + i, next - i, out, status ? NULL : error);
        if (!status) status = found;
        if (status && status != PQX_IO) break;
    }
    return status;
}

int pqx_index_check_thrift(const pqx_index *index, uint32_t stored, const uint8_t *bytes,
                           size_t size, uint32_t offset, pqx_error *error)
{
    uint32_t crc = pqx_crc32(0, bytes, size);
    return PQX_LIKELY(stored == crc)
               ? PQX_OK
               : pqx_fail(error, PQX_THRIFT_CHECKSUM, index->footer + offset, stored, crc);
}

int pqx_index_not_whole(const pqx_index *index, uint32_t offset, size_t size, pqx_error *error)
{ return pqx_fail(error, PQX_BAD_VALUE, index->footer + offset, size, 0); }

int pqx_index_read_thrift(pqx_index *index, uint64_t place, pqx_range range, uint32_t stored,
                          pqx_buffer *out, pqx_error *error)
{
    if (PQX_UNLIKELY(range.offset > index->limit || range.length > index->limit - range.offset))
        return pqx_index_fail(index, error, PQX_BAD_OFFSET, place, index->limit, range.offset);
    out->size = 0;
    PQX_TRY(pqx_index_gather(index, place, &range, 1, out, error));
    return pqx_index_check_thrift(index, stored, out->data, out->size, range.offset, error);
}
