/* Convert a chunk's metadata from any footer form to a sidecar's. */
#include "sidecar/sidecar.h"

/* Convert a set of Parquet encodings to the sidecar's bits; encodings without a bit are omitted. */
static uint8_t encodings_of(uint32_t listed)
{
    static const struct {
        uint32_t encodings;
        uint8_t bit;
    } table[] = {
        {1u << PQX_ENCODING_PLAIN, 1},
        {1u << PQX_ENCODING_PLAIN_DICTIONARY | 1u << PQX_ENCODING_RLE_DICTIONARY, 2},
        {1u << PQX_ENCODING_DELTA_BINARY_PACKED, 4},
        {1u << PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY, 8},
        {1u << PQX_ENCODING_DELTA_BYTE_ARRAY, 16},
        {1u << PQX_ENCODING_BYTE_STREAM_SPLIT, 32},
    };
    uint8_t bits = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (listed & table[i].encodings) bits |= table[i].bit;
    return bits;
}

/* Return the width of a column's statistics, 0 if it varies. */
static size_t width_of(const pqx_pm_column *column)
{
    static const uint8_t widths[] = PQX_WIDTHS_OF_TYPE;
    if (column->physical_type < sizeof widths) return widths[column->physical_type];
    if (column->physical_type == PQX_PHYSICAL_BYTE_ARRAY) return 0;
    return column->fixed_byte_len > 0 ? (size_t)column->fixed_byte_len : SIZE_MAX;
}

static pqx_bytes statistic_of(const uint8_t *bytes, pqx_range range, int present, size_t width)
{
    int fits = present && range.length && range.length <= PQX_PM_STATISTIC_BYTES
               && (!width || range.length == width);
    return fits ? (pqx_bytes){bytes + range.offset, range.length} : (pqx_bytes){NULL, 0};
}

/* Return 1 for integers that QuestDB compares as signed. */
static int is_signed_integer(const pqx_pm_column *column)
{
    int is_integer =
        column->physical_type == PQX_PHYSICAL_INT32 || column->physical_type == PQX_PHYSICAL_INT64;
    return is_integer && (column->type < 0 || (column->type & 0xFF) != PQX_PM_TAG_IPV4);
}

/* Return 1 if the value is negative when read as signed. */
static int is_beyond_signed(const pqx_bytes *value)
{ return value->size && value->data[value->size - 1] & 0x80; }

static uint64_t at_least_zero(int64_t value) { return value < 0 ? 0 : (uint64_t)value; }

int pqx_pm_chunk_of(const uint8_t *bytes, const pqx_chunk *facts, const pqx_places *places,
                    const pqx_pm_column *column, int unsigned_order, pqx_pm_chunk *chunk,
                    pqx_error *error)
{
    uint32_t present = facts->present;
    if (!(present & PQX_PRESENT_METADATA))
        return pqx_fail(error, PQX_NO_METADATA, facts->chunk.offset, 0, 0);
    if (present & PQX_PRESENT_FILE_PATH)
        return pqx_fail(error, PQX_PM_FILE_PATH, facts->chunk.offset, 0, 0);
    if (facts->codec < 0 || facts->codec > PQX_PM_LAST_CODEC)
        return pqx_fail(error, PQX_UNSUPPORTED_VALUE, facts->chunk.offset, PQX_PM_LAST_CODEC,
                        (uint32_t)facts->codec);
    size_t width = width_of(column);
    *chunk = (pqx_pm_chunk){
        .num_values = at_least_zero(facts->num_values),
        .byte_range_start = at_least_zero(pqx_pm_range_start(facts)),
        .total_compressed_size = at_least_zero(facts->total_compressed_size),
        .min = statistic_of(bytes, facts->min_value, (present & PQX_PRESENT_MIN_VALUE) != 0, width),
        .max = statistic_of(bytes, facts->max_value, (present & PQX_PRESENT_MAX_VALUE) != 0, width),
        .codec = (uint8_t)facts->codec,
        .encodings = encodings_of(facts->encodings),
    };
    if (unsigned_order && is_signed_integer(column)
        && (is_beyond_signed(&chunk->min) || is_beyond_signed(&chunk->max)))
        chunk->min = chunk->max = (pqx_bytes){NULL, 0};
    if (!(present & PQX_PRESENT_MIN_EXACT_SET) || (present & PQX_PRESENT_MIN_EXACT))
        chunk->flags |= PQX_PM_STAT_MIN_EXACT;
    if (!(present & PQX_PRESENT_MAX_EXACT_SET) || (present & PQX_PRESENT_MAX_EXACT))
        chunk->flags |= PQX_PM_STAT_MAX_EXACT;
    if (places && places->bloom_filter_offset > 0 && places->bloom_filter_length > 0) {
        chunk->bloom_offset = (uint64_t)places->bloom_filter_offset;
        chunk->bloom_length = (uint64_t)places->bloom_filter_length;
    }
    uint64_t most_nulls = column->max_definition == 0 ? 0 : chunk->num_values;
    if ((present & PQX_PRESENT_NULL_COUNT) && facts->null_count >= 0
        && (uint64_t)facts->null_count <= most_nulls) {
        chunk->flags |= PQX_PM_STAT_NULL_COUNT;
        chunk->null_count = (uint64_t)facts->null_count;
    } else if (column->max_definition == 0) {
        chunk->flags |= PQX_PM_STAT_NULL_COUNT;
    }
    if ((present & PQX_PRESENT_DISTINCT_COUNT) && facts->distinct_count >= 0) {
        chunk->flags |= PQX_PM_STAT_DISTINCT_COUNT;
        chunk->distinct_count = (uint64_t)facts->distinct_count;
    }
    return PQX_OK;
}
