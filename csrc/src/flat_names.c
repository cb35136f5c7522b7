/* Hashes under which the flat footer finds names and field ids. */
#include "flat.h"

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
