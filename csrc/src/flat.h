/* What the flat footer's writer and reader share. */
#ifndef PQX_FLAT_H
#define PQX_FLAT_H

#include "internal.h"

/* flat_names.c: hashes of paths and field ids, for writer and reader. Makes each NUL of the path a '.'. */
uint64_t pqx_flat_hash_path(uint8_t *path, size_t size);
uint64_t pqx_flat_hash_field_id(int32_t field_id);

#endif
