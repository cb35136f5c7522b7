/* Print the position of a column's chunks in a Parquet file, from its best footer form.
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

static int fail(const char *message)
{
    fprintf(stderr, "placement: %s\n", message);
    return 1;
}

static int fail_with(const pqx_error *error)
{
    char message[256];
    pqx_error_format(error, message, sizeof message);
    return fail(message);
}

static void print(const pqx_chunk *chunks, uint32_t count)
{
    printf("row group  data page  dictionary  compressed bytes  values  nulls\n");
    for (uint32_t i = 0; i < count; i++)
        printf("%9" PRIu32 " %10" PRId64 " %11" PRId64 " %17" PRId64 " %7" PRId64 " %6" PRId64 "\n",
               i, chunks[i].data_page_offset, chunks[i].dictionary_page_offset,
               chunks[i].total_compressed_size, chunks[i].num_values, chunks[i].null_count);
}

static int print_column(pqx_footer *footer, const char *column)
{
    uint32_t leaf;
    size_t count;
    pqx_error error;
    pqx_footer_info info;
    pqx_footer_get_info(footer, &info);
    if (pqx_footer_find_leaf(footer, column, &leaf, &count, &error)) return fail_with(&error);
    if (count != 1) return fail(count ? "several such leaves" : "no such leaf");
    pqx_buffer bounds = {0};
    pqx_chunk *chunks = calloc(info.row_group_count ? info.row_group_count : 1, sizeof *chunks);
    if (!chunks) return fail("out of memory");
    int status = pqx_footer_get_chunks(footer, leaf, chunks, &bounds, &error);
    if (status) fail_with(&error);
    else print(chunks, info.row_group_count);
    free(chunks);
    pqx_buffer_free(&bounds);
    return status ? 1 : 0;
}

int main(int count, char **arguments)
{
    if (count != 3) return fail("usage: placement FILE COLUMN");
    int fd = open(arguments[1], O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) return fail(strerror(errno));
    pqx_source source = pqx_source_fd(fd, (uint64_t)status.st_size);
    pqx_footer *footer;
    pqx_error error;
    int result = pqx_footer_open(&source, 0, &footer, &error) ? fail_with(&error)
                                                              : print_column(footer, arguments[2]);
    pqx_footer_close(footer);
    close(fd);
    return result;
}
