/* The public decoder of a leaf: a column behind a handle. */
#include <stdlib.h>

#include "page/column.h"

struct pqx_decoder {
    pqx_column column;
    int has_failed;
};

/* Record an error; all later calls fail. */
static int noted(pqx_decoder *decoder, int status)
{
    if (status) decoder->has_failed = 1;
    return status;
}

static int refuse_failed(const pqx_decoder *decoder, pqx_error *error)
{ return decoder->has_failed ? pqx_fail(error, PQX_BAD_ARGUMENT, 0, 0, 1) : PQX_OK; }

int pqx_decoder_open(const pqx_decoder_leaf *leaf, pqx_decoder **decoder, pqx_error *error)
{
    pqx_column_leaf made = {.type = leaf->type,
                            .type_length = leaf->type_length,
                            .max_definition = leaf->max_definition,
                            .max_repetition = leaf->max_repetition,
                            .repeated_definition = leaf->repeated_definition,
                            .keeps_definition = leaf->keeps_definition != 0,
                            .forgets = leaf->forgets != 0,
                            .most_bytes = leaf->most_bytes ? leaf->most_bytes : INT32_MAX,
                            .rows = leaf->rows};
    *decoder = NULL;
    if (leaf->reserved) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, 0, leaf->reserved);
    pqx_decoder *opened = (pqx_decoder *)calloc(1, sizeof *opened);
    if (!opened) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *opened, 0);
    int status = pqx_column_begin(&opened->column, &made, error);
    if (status) free(opened);
    else *decoder = opened;
    return status;
}

void pqx_decoder_close(pqx_decoder *decoder)
{
    if (!decoder) return;
    pqx_column_free(&decoder->column);
    free(decoder);
}

int pqx_decoder_begin(pqx_decoder *decoder, uint64_t entries, uint64_t rows, pqx_error *error)
{
    PQX_TRY(refuse_failed(decoder, error));
    pqx_column_begin_chunk(&decoder->column, entries, rows);
    return PQX_OK;
}

int pqx_decoder_dictionary(pqx_decoder *decoder, const uint8_t *data, size_t size, uint64_t count,
                           pqx_error *error)
{
    PQX_TRY(refuse_failed(decoder, error));
    return noted(decoder, pqx_column_set_dictionary(&decoder->column, data, size, count, 0, error));
}

int pqx_decoder_page(pqx_decoder *decoder, const pqx_page *header, pqx_bytes levels,
                     pqx_bytes values, pqx_error *error)
{
    pqx_column *column = &decoder->column;
    pqx_column_page page = {
        *header, levels.data, values.data, levels.data ? levels.size : 0, values.size, 0};
    PQX_TRY(refuse_failed(decoder, error));
    int status = pqx_column_give(column, &page, error);
    if (status) {
        column->failed_page = column->given;
        column->failed_part = PQX_PART_PAGE;
    }
    return noted(decoder, status);
}

static int state_of(const pqx_column *column)
{
    if (column->is_full) return PQX_DECODER_FULL;
    return pqx_column_is_open(column) ? PQX_DECODER_OPEN : PQX_DECODER_READY;
}

int pqx_decoder_read(pqx_decoder *decoder, uint64_t rows, uint64_t *begun, int *state,
                     pqx_error *error)
{
    PQX_TRY(refuse_failed(decoder, error));
    PQX_TRY(noted(decoder, pqx_column_read(&decoder->column, rows, begun, error)));
    *state = state_of(&decoder->column);
    return PQX_OK;
}

int pqx_decoder_skip(pqx_decoder *decoder, uint64_t rows, uint64_t *begun, int *state,
                     pqx_error *error)
{
    PQX_TRY(refuse_failed(decoder, error));
    PQX_TRY(noted(decoder, pqx_column_skip(&decoder->column, rows, begun, error)));
    *state = state_of(&decoder->column);
    return PQX_OK;
}

static void *given(pqx_memory *memory, int is_there)
{
    void *data = memory->data;
    if (is_there) return data;
    pqx_release(data);
    return NULL;
}

int pqx_decoder_take(pqx_decoder *decoder, pqx_decoded *decoded, pqx_error *error)
{
    pqx_column *column = &decoder->column;
    const pqx_column_leaf *leaf = &column->leaf;
    pqx_column_output out;
    *decoded = (pqx_decoded){0};
    PQX_TRY(refuse_failed(decoder, error));
    PQX_TRY(noted(decoder, pqx_column_take(column, &out, error)));
    int is_binary = leaf->type == PQX_PHYSICAL_BYTE_ARRAY;
    *decoded = (pqx_decoded){
        .entries = out.entries,
        .rows = out.rows,
        .slots = out.slots,
        .nulls = out.nulls,
        .size = is_binary       ? out.bytes
                : column->width ? out.slots * column->width
                                : (out.slots + 7) / 8,
        .values = (uint8_t *)given(&out.values, 1),
        .valid = (uint8_t *)given(&out.valid, out.nulls > 0),
        .offsets = (int32_t *)given(&out.offsets, is_binary),
        .definition = (uint16_t *)given(&out.definition, out.below && leaf->keeps_definition),
        .repetition = (uint16_t *)given(&out.repetition, leaf->max_repetition && out.entries),
    };
    return PQX_OK;
}

void pqx_decoded_free(pqx_decoded *decoded)
{
    pqx_release(decoded->values);
    pqx_release(decoded->valid);
    pqx_release(decoded->offsets);
    pqx_release(decoded->definition);
    pqx_release(decoded->repetition);
    *decoded = (pqx_decoded){0};
}

uint64_t pqx_decoder_done(const pqx_decoder *decoder)
{
    const pqx_column *column = &decoder->column;
    uint64_t opened = column->given - (column->page_count - column->next_page);
    return opened && column->page.at < column->page.entries ? opened - 1 : opened;
}

void pqx_decoder_failure(const pqx_decoder *decoder, uint64_t *page, int *part)
{
    *page = decoder->column.failed_page;
    *part = (int)decoder->column.failed_part;
}
