/* The decoded entries: their memory, and how the caller takes them. */
#include "encoding/bitmap.h"
#include "page/column.h"

int pqx_column_room(pqx_memory *memory, size_t used, size_t size, size_t more, pqx_error *error)
{
    if (PQX_LIKELY(size <= memory->capacity)) return PQX_OK;
    size_t wanted = used + more > size ? used + more : size;
    if (wanted < 2 * memory->capacity) wanted = 2 * memory->capacity;
    if (pqx_grow(memory, used, wanted) || pqx_grow(memory, used, size)) return PQX_OK;
    return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
}

static void release(pqx_memory *memory)
{
    pqx_release(memory->data);
    *memory = (pqx_memory){0};
}

static void free_output(pqx_column_output *out)
{
    release(&out->valid);
    release(&out->values);
    release(&out->offsets);
    release(&out->definition);
    release(&out->repetition);
}

void pqx_column_free(pqx_column *column)
{
    free_output(&column->output);
    release(&column->waiting);
    release(&column->dictionary_bytes);
    release(&column->dictionary_offsets);
    release(&column->flags);
    release(&column->levels);
    release(&column->scratch);
    pqx_buffer_free(&column->previous);
}

/* Copy the bytes after the first `from` of `size` bytes. */
static int copy_tail(pqx_memory *to, const pqx_memory *memory, size_t from, size_t size,
                     pqx_error *error)
{
    if (size == from) return PQX_OK;
    PQX_TRY(pqx_column_room(to, 0, size - from, 0, error));
    memcpy(to->data, memory->data + from, size - from);
    return PQX_OK;
}

/* Copy bits in the same way; *ones is the number of set bits. */
static int copy_bits(pqx_memory *to, const pqx_memory *memory, size_t from, size_t size,
                     size_t *ones, pqx_error *error)
{
    PQX_TRY(pqx_column_room(to, 0, (size - from + 7) / 8 + 8, 0, error));
    *ones = pqx_bitmap_copy(memory->data, memory->capacity, from, size - from, to->data, 0);
    return PQX_OK;
}

/* Copy the values of the slots from `slot` on. */
static int copy_values(const pqx_column *column, size_t slot, pqx_column_output *rest,
                       pqx_error *error)
{
    const pqx_column_output *out = &column->output;
    size_t slots = (size_t)out->slots, width = column->width, ones;
    if (slot == slots) return PQX_OK;
    if (width) return copy_tail(&rest->values, &out->values, slot * width, slots * width, error);
    if (column->leaf.type == PQX_PHYSICAL_BOOLEAN)
        return copy_bits(&rest->values, &out->values, slot, slots, &ones, error);
    PQX_TRY(copy_tail(&rest->offsets, &out->offsets, slot * 4, (slots + 1) * 4, error));
    int32_t *offsets = (int32_t *)rest->offsets.data, first = offsets[0];
    for (size_t i = 0; i <= slots - slot; i++) offsets[i] -= first;
    rest->bytes = out->bytes - (size_t)first;
    return copy_tail(&rest->values, &out->values, (size_t)first, out->bytes, error);
}

/* Copy the available part of the last row. */
static int copy_last_row(const pqx_column *column, pqx_column_output *rest, pqx_error *error)
{
    const pqx_column_output *out = &column->output;
    const uint16_t *repetition = (const uint16_t *)out->repetition.data;
    size_t entries = (size_t)out->entries, entry = entries, slots, ones;
    while (repetition[--entry]) continue;
    slots = entries - entry;
    if (out->has_definition) {
        const uint16_t *definition = (const uint16_t *)out->definition.data;
        for (size_t i = entry; i < entries; i++) {
            slots -= definition[i] < column->leaf.repeated_definition;
            rest->below += definition[i] != column->leaf.max_definition;
        }
        PQX_TRY(copy_tail(&rest->definition, &out->definition, entry * 2, entries * 2, error));
    }
    size_t slot = (size_t)out->slots - slots;
    PQX_TRY(copy_tail(&rest->repetition, &out->repetition, entry * 2, entries * 2, error));
    if (out->has_valid) {
        PQX_TRY(copy_bits(&rest->valid, &out->valid, slot, (size_t)out->slots, &ones, error));
        rest->nulls = slots - ones;
    }
    rest->has_definition = out->has_definition;
    rest->has_valid = out->has_valid;
    rest->entries = entries - entry;
    rest->rows = 1;
    rest->slots = slots;
    return copy_values(column, slot, rest, error);
}

/* Shorten the output by `rest`. */
static void cut_off(pqx_column_output *out, const pqx_column_output *rest)
{
    out->entries -= rest->entries;
    out->rows -= rest->rows;
    out->slots -= rest->slots;
    out->nulls -= rest->nulls;
    out->below -= rest->below;
    out->bytes -= rest->bytes;
}

/* Clear the bits after the last one of a bitmap, and free the bytes after it. */
static void trim_bits(pqx_memory *bitmap, uint64_t bits)
{
    if (bits & 7) pqx_bitmap_fill(bitmap->data, bits, 8 - (bits & 7), 0);
    pqx_trim(bitmap, (size_t)(bits + 7) / 8);
}

/* Remove redundant buffers, and shrink the others to their size. */
static int finish(const pqx_column *column, pqx_column_output *taken, pqx_error *error)
{
    if (taken->nulls) trim_bits(&taken->valid, taken->slots);
    else release(&taken->valid);
    if (taken->below) pqx_trim(&taken->definition, (size_t)taken->entries * 2);
    else release(&taken->definition);
    pqx_trim(&taken->repetition, (size_t)taken->entries * 2);
    if (pqx_column_has_bits(column)) trim_bits(&taken->values, taken->slots);
    else if (column->width) pqx_trim(&taken->values, (size_t)taken->slots * column->width);
    else {
        pqx_trim(&taken->values, taken->bytes);
        PQX_TRY(pqx_column_room(&taken->offsets, 0, 4, 0, error));
        if (!taken->slots) *(int32_t *)taken->offsets.data = 0;
        pqx_trim(&taken->offsets, (size_t)(taken->slots + 1) * 4);
    }
    return PQX_OK;
}

int pqx_column_take(pqx_column *column, pqx_column_output *taken, pqx_error *error)
{
    pqx_column_output rest = {0};
    if (column->is_full && column->goes_on) {
        int status = copy_last_row(column, &rest, error);
        if (status) {
            free_output(&rest);
            return status;
        }
    }
    cut_off(&column->output, &rest);
    *taken = column->output;
    column->output = rest;
    column->is_full = 0;
    int status = finish(column, taken, error);
    if (status) free_output(taken);
    return status;
}
