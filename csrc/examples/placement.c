/* Print the positions of one column's chunks in a Parquet file, by its flat footer if there is one
 * (aside from the Thrift footer or within it; in a PAR3 file there is no other), otherwise by its
 * Thrift footer.
 *
 *     placement FILE COLUMN          COLUMN is the dotted path of a leaf
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parquetext.h"

/* The file's end: the 8 bytes behind the footer, and as much of the footer as is asked for. */
typedef struct tail {
    uint8_t *data;
    size_t size;
    uint64_t file_size;
    uint32_t footer_length; /* of the Thrift footer; 0 in a PAR3 file */
} tail;

static int fail(const char *what)
{
    fprintf(stderr, "placement: %s\n", what);
    return 1;
}

static int fail_with(int status, const pqx_error *error)
{
    fprintf(stderr, "placement: %s (offset %" PRIu64 ", expected %" PRIu64 ", found %" PRIu64 ")\n",
            pqx_status_message(status), error->offset, error->expected, error->found);
    return 1;
}

static uint32_t load32(const uint8_t *p)
{ return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }

static int read_tail(int fd, uint64_t file_size, size_t size, tail *tail)
{
    free(tail->data);
    *tail = (struct tail){malloc(size), size, file_size, 0};
    if (!tail->data || pread(fd, tail->data, size, (off_t)(file_size - size)) != (ssize_t)size)
        return -1;
    const uint8_t *end = tail->data + size;
    if (memcmp(end - 4, "PAR3", 4) == 0) return 0;
    if (memcmp(end - 4, "PAR1", 4) != 0) return -1;
    tail->footer_length = load32(end - 8);
    return tail->footer_length > file_size - 12 ? -1 : 0;
}

static void print(const pqx_chunk *chunks, uint64_t count, uint64_t stride, uint64_t first)
{
    printf("row group  data page  dictionary  compressed bytes  values  nulls\n");
    for (uint64_t i = 0; i < count; i++) {
        const pqx_chunk *chunk = &chunks[first + i * stride];
        printf("%9" PRIu64 " %10" PRId64 " %11" PRId64 " %17" PRId64 " %7" PRId64 " %6" PRId64 "\n",
               i, chunk->data_page_offset, chunk->dictionary_page_offset,
               chunk->total_compressed_size, chunk->num_values, chunk->null_count);
    }
}

/* By the flat footer: a few small reads, however wide the table is. */
static int by_flat_footer(int fd, const tail *tail, const pqx_location *at, const char *column)
{
    pqx_source source = pqx_source_fd(fd, tail->file_size);
    pqx_flat *flat;
    pqx_error error;
    int status = pqx_flat_open(&source, at->payload, at->length, at->known, at->known_size,
                               at->known_end, &flat, &error);
    if (status != PQX_OK) return fail_with(status, &error);

    uint32_t id;
    size_t count;
    pqx_flat_facts facts;
    pqx_buffer bounds = {0};
    pqx_flat_get_facts(flat, &facts);
    pqx_chunk *chunks = calloc(facts.row_group_count ? facts.row_group_count : 1, sizeof *chunks);
    status =
        pqx_flat_find_name(flat, (const uint8_t *)column, strlen(column), &id, 1, &count, &error);
    int result = 1;
    if (!chunks) fail("out of memory");
    else if (status != PQX_OK) fail_with(status, &error);
    else if (count != 1 || id & PQX_FLAT_GROUP) fail("no such leaf, or several");
    else if ((status = pqx_flat_get_chunks(flat, id, 0, facts.row_group_count, chunks, NULL,
                                           &bounds, &error))
             != PQX_OK)
        fail_with(status, &error);
    else {
        print(chunks, facts.row_group_count, 1, 0);
        result = 0;
    }
    free(chunks);
    pqx_buffer_free(&bounds);
    pqx_flat_close(flat);
    return result;
}

/* Does the leaf's path, its parts joined by dots, read like `column`? Compared from the leaf
 * upwards. */
static int is_named(const uint8_t *footer, const pqx_scan *scan, uint32_t leaf, const char *column)
{
    size_t left = strlen(column);
    for (int32_t at = (int32_t)scan->leaves[leaf]; at > 0; at = scan->elements[at].parent) {
        pqx_range name = scan->elements[at].name;
        if (name.length > left
            || memcmp(column + left - name.length, footer + name.offset, name.length) != 0)
            return 0;
        left -= name.length;
        if (scan->elements[at].parent <= 0) break;
        if (left == 0 || column[--left] != '.') return 0;
    }
    return left == 0;
}

static int by_thrift_footer(const uint8_t *footer, size_t size, const char *column)
{
    pqx_scan scan;
    pqx_error error;
    int status = pqx_scan_footer(footer, size, &scan, &error);
    if (status != PQX_OK) return fail_with(status, &error);
    uint32_t leaf = 0;
    while (leaf < scan.leaf_count && !is_named(footer, &scan, leaf, column)) leaf++;
    int result = 1;
    if (leaf == scan.leaf_count) fail("no such leaf");
    else if (!scan.regular) fail("a row group does not have one chunk for each leaf");
    else {
        print(scan.chunks, scan.row_group_count, scan.leaf_count, leaf);
        result = 0;
    }
    pqx_scan_free(&scan);
    return result;
}

int main(int count, char **arguments)
{
    if (count != 3) return fail("usage: placement FILE COLUMN");
    int fd = open(arguments[1], O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) != 0) return fail(strerror(errno));
    uint64_t size = (uint64_t)facts.st_size;
    tail tail = {0};
    if (size < 12 || read_tail(fd, size, size < 4096 ? size : 4096, &tail) != 0)
        return fail("not a Parquet file");

    int result;
    pqx_location found;
    pqx_locate(tail.data, tail.size, size, &found);
    if (found.form == PQX_FORM_FLAT || found.form == PQX_FORM_PAR3) {
        result = by_flat_footer(fd, &tail, &found, arguments[2]);
    } else if (!tail.footer_length
               || read_tail(fd, size, (size_t)tail.footer_length + 8, &tail) != 0) {
        result = fail("the footer cannot be read");
    } else {
        result = by_thrift_footer(tail.data, tail.footer_length, arguments[2]);
    }
    free(tail.data);
    close(fd);
    return result;
}
