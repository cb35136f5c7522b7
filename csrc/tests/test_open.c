/* Footers opened through pqx_footer_open, and the sentences of errors. */
#include "footer.h"
#include "harness.h"

enum { FILE_SIZE = 4 + sizeof small_footer + 8 };

static uint8_t *make_file(void)
{
    uint8_t bytes[FILE_SIZE] = "PAR1";
    uint32_t length = sizeof small_footer;
    memcpy(bytes + 4, small_footer, length);
    memcpy(bytes + 4 + length, &length, 4);
    memcpy(bytes + 8 + length, "PAR1", 4);
    return exact(bytes, sizeof bytes);
}

static void the_thrift_footer_is_opened_if_there_is_no_block(void)
{
    uint8_t *file = make_file();
    pqx_bytes bytes = {file, FILE_SIZE};
    pqx_source source = {read_memory, &bytes, FILE_SIZE};
    pqx_footer *footer;
    pqx_footer_info info;
    pqx_decoder_leaf described;
    pqx_chunk chunk;
    pqx_buffer bounds = {0}, slice = {0};
    uint32_t leaf = 7;
    int64_t rows;
    size_t count;
    CHECK(pqx_footer_open(&source, 0, &footer, NULL) == PQX_OK);
    pqx_footer_get_info(footer, &info);
    CHECK(info.form == PQX_FORM_NONE && info.num_rows == 3);
    CHECK(info.leaf_count == 1 && info.row_group_count == 1);
    CHECK(pqx_footer_find_leaf(footer, "b", &leaf, &count, NULL) == PQX_OK && count == 0);
    CHECK(pqx_footer_find_leaf(footer, "a", &leaf, &count, NULL) == PQX_OK && count == 1);
    CHECK(leaf == 0);
    CHECK(pqx_footer_get_leaf(footer, 0, &described, NULL) == PQX_OK);
    CHECK(described.type == PQX_PHYSICAL_INT64 && described.max_definition == 0);
    CHECK(pqx_footer_get_leaf(footer, 1, &described, NULL) == PQX_BAD_ARGUMENT);
    CHECK(pqx_footer_get_rows(footer, &rows, NULL) == PQX_OK && rows == 3);
    CHECK(pqx_footer_get_chunks(footer, 0, &chunk, &bounds, NULL) == PQX_OK);
    CHECK(chunk.data_page_offset == 4 && bounds.size == 16);
    CHECK(chunk.min_value.length == 8 && bounds.data[chunk.min_value.offset] == 7);
    CHECK(chunk.max_value.length == 8 && bounds.data[chunk.max_value.offset] == 9);
    pqx_slice_request request = {&leaf, &leaf, 1, 1, 1, 1};
    CHECK(pqx_footer_slice(footer, &request, &slice, NULL) == PQX_OK && slice.size > 0);
    pqx_buffer_free(&bounds);
    pqx_buffer_free(&slice);
    pqx_footer_close(footer);
    free(file);
}

static void other_files_are_rejected(void)
{
    uint8_t *file = make_file();
    pqx_bytes bytes = {file, FILE_SIZE};
    pqx_source source = {read_memory, &bytes, FILE_SIZE};
    pqx_footer *footer;
    pqx_error error;
    file[FILE_SIZE - 1] = 'E';
    CHECK(pqx_footer_open(&source, 0, &footer, &error) == PQX_ENCRYPTED && !footer);
    file[FILE_SIZE - 1] = '3';
    CHECK(pqx_footer_open(&source, 1, &footer, &error) == PQX_NO_THRIFT && !footer);
    file[FILE_SIZE - 1] = '1';
    file[FILE_SIZE - 6] = 1; /* the footer would be longer than the file */
    CHECK(pqx_footer_open(&source, 0, &footer, &error) == PQX_NOT_PARQUET && !footer);
    source.size = 11;
    CHECK(pqx_footer_open(&source, 0, &footer, &error) == PQX_NOT_PARQUET && !footer);
    pqx_footer_close(NULL);
    free(file);
}

enum { PARX_SIZE = 4 + sizeof small_footer + 17, PARX_FIELDS = 4 + sizeof small_footer };

/* Return a PARX file with these flags, and the right checksum. */
static uint8_t *make_parx(uint32_t flags)
{
    uint8_t bytes[PARX_SIZE] = "PARX";
    uint32_t length = sizeof small_footer;
    memcpy(bytes + 4, small_footer, length);
    memcpy(bytes + PARX_FIELDS, &length, 4);
    memcpy(bytes + PARX_FIELDS + 4, &flags, 4);
    bytes[PARX_FIELDS + 8] = 2;
    uint32_t sum = pqx_crc32(0, bytes + 4, length + 9);
    memcpy(bytes + PARX_FIELDS + 9, &sum, 4);
    memcpy(bytes + PARX_FIELDS + 13, "PARX", 4);
    return exact(bytes, sizeof bytes);
}

/* Open a PARX file with these flags and one byte changed, free it, and return the error. */
static pqx_error opened_parx(uint32_t flags, size_t at, uint8_t change)
{
    uint8_t *file = make_parx(flags);
    pqx_bytes bytes = {file, PARX_SIZE};
    pqx_source source = {read_memory, &bytes, PARX_SIZE};
    pqx_footer *footer;
    pqx_error error = {0};
    file[at] ^= change;
    if (pqx_footer_open(&source, 0, &footer, &error) == PQX_OK) {
        pqx_footer_info info;
        pqx_footer_get_info(footer, &info);
        CHECK(info.form == PQX_FORM_NONE && info.num_rows == 3 && info.leaf_count == 1);
        error.code = PQX_OK;
    }
    pqx_footer_close(footer);
    free(file);
    return error;
}

static void the_footer_of_a_parx_file_is_opened_after_its_checks(void)
{
    CHECK(opened_parx(0, 0, 0).code == PQX_OK);
    CHECK(opened_parx(4, 0, 0).code == PQX_OK); /* preview features */
    CHECK(opened_parx(1, 0, 0).code == PQX_ENCRYPTED);
    pqx_error error = opened_parx(1 << 9, 4, 1); /* the flags are checked first */
    CHECK(error.code == PQX_UNKNOWN_LAYOUT && error.found == 1 << 9 && error.expected == 7);
    CHECK(error.offset == PARX_FIELDS + 4);
    for (size_t at = 4; at < PARX_FIELDS; at++) {
        error = opened_parx(0, at, 1 << at % 8);
        CHECK(error.code == PQX_CHECKSUM && error.offset == PARX_FIELDS + 9);
    }
    CHECK(opened_parx(0, PARX_FIELDS + 8, 1).code == PQX_CHECKSUM);  /* the version */
    CHECK(opened_parx(0, PARX_FIELDS + 12, 1).code == PQX_CHECKSUM); /* the checksum */
    error = opened_parx(0, PARX_FIELDS + 3, 0x80);                   /* the length */
    CHECK(error.code == PQX_TRUNCATED && error.offset == PARX_FIELDS);
    CHECK(error.found == sizeof small_footer);
    CHECK(opened_parx(0, PARX_FIELDS, sizeof small_footer).code == PQX_TRUNCATED); /* no bytes */
}

static void errors_are_described_in_sentences(void)
{
    char text[128], few[8];
    pqx_error error = {PQX_TRUNCATED, 5, 8, 3};
    const char *expected = "the input ends inside a value: needs 8 bytes, 3 left (offset 5)";
    CHECK(pqx_error_format(&error, text, sizeof text) == strlen(expected));
    CHECK(strcmp(text, expected) == 0);
    CHECK(pqx_error_format(&error, few, sizeof few) == strlen(expected));
    CHECK(strcmp(few, "the inp") == 0);
    CHECK(pqx_error_format(&error, NULL, 0) == strlen(expected));
    error = (pqx_error){PQX_CHECKSUM, 0, 0xab, 0x12345678};
    pqx_error_format(&error, text, sizeof text);
    CHECK(strcmp(text, "checksum 0x12345678, expected 0x000000ab (offset 0)") == 0);
    error.code = PQX_OK;
    pqx_error_format(&error, text, sizeof text);
    CHECK(strcmp(text, "no error") == 0);
    for (int code = 1; code < 256; code++) {
        error.code = code;
        pqx_error_format(&error, text, sizeof text);
        CHECK(!strchr(text, '{') && !strchr(text, '}'));
    }
}

int main(void)
{
    RUN(the_thrift_footer_is_opened_if_there_is_no_block);
    RUN(other_files_are_rejected);
    RUN(the_footer_of_a_parx_file_is_opened_after_its_checks);
    RUN(errors_are_described_in_sentences);
    return 0;
}
