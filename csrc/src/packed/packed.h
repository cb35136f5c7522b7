/* The packed footer (docs/formats.md, section 15): declarations shared by its writer and reader. */
#ifndef PQX_PACKED_H
#define PQX_PACKED_H

#include "packed/book.h"

enum pqx_packed_cells {
    PQX_CELLS_BOOKS = 1,
    PQX_CELLS_LEAVES,
    PQX_CELLS_NODES,
    PQX_CELLS_ROW_GROUPS,
    PQX_CELLS_PLACED,
    PQX_CELLS_BOUNDS,
    PQX_CELLS_TEXTS,
    PQX_CELLS_LONG_TEXTS,
    PQX_CELLS_PAIRS,
    PQX_CELLS_NAMES,
    PQX_CELLS_FRAME,
    PQX_CELLS_SLOTS,
    PQX_CELLS_KINDS
};
enum {
    PQX_PACKED_LAYOUT_VERSION = 1,
    PQX_PACKED_TAIL_BYTES = 52,
    PQX_PACKED_AREA_BYTES = 16,
    PQX_PACKED_RECORD_BYTES = 12,
    PQX_PACKED_CRC_BYTES = 4,
    PQX_PACKED_DIRECTORIES = 8192, /* bytes that are read at once */
    PQX_ELEMENTS_PER_CELL = 64,
    PQX_ROW_GROUPS_PER_CELL = 1024,
    PQX_TILE_COLUMNS = 64,
    PQX_UUID_BYTES = 16,
    PQX_LEAST_ROW_GROUP = 5, /* Thrift bytes, without chunks */
    PQX_LEAST_CHUNK = 1
};
enum pqx_frame_step { PQX_FRAME_LITERAL, PQX_FRAME_SCHEMA, PQX_FRAME_ROW_GROUPS, PQX_FRAME_PAIRS };

/* Return the start of a cell's checksum, so that no cell is taken for another one. */
static inline uint32_t pqx_packed_seed(int kind, uint32_t number)
{ return number << 4 | (uint32_t)kind; }

/* Return the size of the largest Thrift footer that a payload may claim. */
static inline uint64_t pqx_packed_limit(uint64_t payload) { return 64 * payload + (1 << 16); }

static inline uint32_t pqx_packed_parts(uint32_t count, uint32_t most)
{ return count ? (count - 1) / most + 1 : 0; }

/* Append the place of created_by, and the steps that write FileMetaData without its extension, to a
 * FRAME cell; *thrift_bytes and *thrift_crc are those of the result. */
int pqx_packed_write_frame(const uint8_t *footer, const pqx_scan *scan, pqx_buffer *cell,
                           uint32_t *thrift_bytes, uint32_t *thrift_crc, pqx_error *error);

#endif
