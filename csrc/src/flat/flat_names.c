/* Hashes of names and field ids, and the buckets that store them. */
#include "flat/flat.h"

uint64_t pqx_flat_hash_path(uint8_t *path, size_t size)
{
    for (size_t i = 0; i < size; i++) path[i] = path[i] ? path[i] : '.';
    return pqx_xxh64(path, size, 0);
}

uint64_t pqx_flat_hash_field_id(int32_t field_id)
{
    uint8_t bytes[4];
    pqx_store32(bytes, (uint32_t)field_id);
    return pqx_xxh64(bytes, sizeof bytes, 1);
}

/* While pages are written, a full page stores, in place of its checksum, the first bucket after it
 * that may have room. */
static uint32_t behind(const uint8_t *page, uint32_t bucket, uint32_t buckets)
{
    uint32_t known = pqx_load32(page);
    return known ? known - 1 : bucket + 1 < buckets ? bucket + 1 : 0;
}

void pqx_flat_fill_buckets(uint8_t *pages, uint32_t buckets, const uint32_t *homes,
                           const uint8_t *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t home = (uint32_t)((uint64_t)homes[i] * buckets >> 32), bucket = home, used;
        uint8_t *page;
        for (;; bucket = behind(page, bucket, buckets)) {
            page = pages + PQX_FLAT_PAGE_BYTES * (size_t)bucket;
            used = pqx_load16(page + 10);
            if (used < PQX_FLAT_BUCKET_ENTRIES) break;
        }
        if (bucket != home) pqx_store32(pages + PQX_FLAT_PAGE_BYTES * (size_t)home, bucket + 1);
        memcpy(page + PQX_FLAT_CELL_HEADER_BYTES + 8 * used, entries + 8 * i, 8);
        pqx_store16(page + 10, (uint16_t)(used + 1));
    }
    for (uint32_t bucket = 0; bucket < buckets; bucket++)
        pqx_store32(pages + PQX_FLAT_PAGE_BYTES * (size_t)bucket, 0);
}
