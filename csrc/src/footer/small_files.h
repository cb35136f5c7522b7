/* Open many small local files that have the schema of a first one. */
#ifndef PQX_SMALL_FILES_H
#define PQX_SMALL_FILES_H

#include "arrow/arrow_arrays.h"

/* An open file with its scanned Thrift footer. */
typedef struct pqx_small_file {
    int fd;
    uint64_t size;
    int64_t modified; /* as pqx_file_facts has it */
    pqx_footer *opened;
    const uint8_t *footer; /* its bytes and scan, which belong to it */
    const pqx_scan *scan;
} pqx_small_file;

/* Open a file of at most `most_bytes` bytes if its Thrift footer has the schema of a first file,
 * whose footer and scan are given. Returns 0 and opens nothing if there is any reason to read the
 * file in another way: its schema, Arrow schema or column orders differ, its footer has an
 * extension or is not valid, it is encrypted or larger, or it cannot be opened. A caller that gets
 * 1 calls pqx_small_file_close. */
int pqx_small_file_open(const char *path, uint64_t most_bytes, const uint8_t *first_footer,
                        const pqx_scan *first, pqx_small_file *file);
void pqx_small_file_close(pqx_small_file *file);

/* Return 1 if a file was not changed since it was opened. */
int pqx_small_file_is_unchanged(const pqx_small_file *file);

#endif
