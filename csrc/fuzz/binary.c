/* Any bytes as byte arrays, or as values of a fixed width, in the encodings that serve them: taking
 * all at once, in pieces whose memory is no larger than needed, and passing over pieces give the
 * same values or the same error. */
#include "encoding/values.h"
#include "input.h"

enum { MOST = 1 << 10, MOST_BYTES = 1 << 15, WIDTH = 5 };

static const int encodings[] = {PQX_ENCODING_PLAIN, PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                PQX_ENCODING_DELTA_BYTE_ARRAY, PQX_ENCODING_RLE_DICTIONARY};
static const uint8_t entries[] = "onetwothreeand one that is longer than others are";
static const uint32_t places[] = {0, 3, 3, 6, 11, sizeof entries - 1};
static const pqx_dictionary dictionary = {
    .bytes = entries, .offsets = places, .count = sizeof places / sizeof *places - 1};

typedef struct asked {
    const uint8_t *data;
    size_t size;
    int encoding, is_fixed;
    uint64_t count;
} asked;

typedef struct outcome {
    pqx_error error;
    size_t taken, end;
    int is_cut; /* values that take more than MOST_BYTES, which one byte can say */
    uint32_t lengths[MOST];
    uint8_t bytes[MOST_BYTES];
} outcome;

/* Decode the next values into memory of `room` bytes, or of the size of the first one. */
static int take_some(pqx_values *values, size_t some, size_t room, outcome *found, size_t *filled)
{
    int32_t *offsets = calloc(some + 1, sizeof *offsets);
    uint8_t *bytes = exact(NULL, 0);
    size_t taken = 0, needed = room;
    int status = PQX_OK;
    while (status == PQX_OK && !taken && needed <= MOST_BYTES - *filled) {
        room = needed;
        bytes = realloc(bytes, room ? room : 1);
        status = pqx_values_take_binary(values, some, offsets, bytes, room, &taken, &needed,
                                        &found->error);
        CLAIM(status != PQX_OK || (taken == some) == (needed == 0));
        CLAIM(status != PQX_OK || taken == some || needed > room);
    }
    found->is_cut = status == PQX_OK && !taken;
    if (status == PQX_OK) {
        CLAIM((size_t)offsets[taken] <= room);
        for (size_t i = 0; i < taken; i++)
            found->lengths[found->taken++] = (uint32_t)(offsets[i + 1] - offsets[i]);
        memcpy(found->bytes + *filled, bytes, (size_t)offsets[taken]);
        *filled += (size_t)offsets[taken];
    }
    free(offsets);
    free(bytes);
    return status;
}

static int take_fixed(pqx_values *values, size_t some, outcome *found, size_t *filled)
{
    uint8_t *bytes = malloc(some * WIDTH);
    int status = pqx_values_take_fixed(values, some, bytes, &found->error);
    if (status == PQX_OK) {
        memcpy(found->bytes + *filled, bytes, some * WIDTH);
        for (size_t i = 0; i < some; i++) found->lengths[found->taken++] = WIDTH;
        *filled += some * WIDTH;
    }
    free(bytes);
    return status;
}

static outcome *take(const asked *page, size_t step, size_t room, int skips)
{
    outcome *found = calloc(1, sizeof *found);
    pqx_buffer previous = {0};
    pqx_values values;
    size_t filled = 0;
    int status = pqx_values_begin(
        &values, page->encoding,
        page->is_fixed ? PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY : PQX_PHYSICAL_BYTE_ARRAY, WIDTH,
        page->data, page->size, 0, page->count, page->is_fixed ? NULL : &dictionary, &found->error);
    values.previous = &previous;
    for (size_t turn = 1; status == PQX_OK && values.left && !found->is_cut; turn++) {
        size_t some = values.left < step ? values.left : step;
        if (skips && turn % 3 == 0) {
            status = pqx_values_skip(&values, some, &found->error);
            if (status == PQX_OK) found->taken += some;
        } else if (page->is_fixed) {
            status = take_fixed(&values, some, found, &filled);
        } else {
            status = take_some(&values, some, room, found, &filled);
        }
    }
    if (status == PQX_OK && !found->is_cut) {
        found->end = pqx_values_end(&values);
        CLAIM(found->taken == page->count && found->end <= page->size);
    }
    pqx_buffer_free(&previous);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t *data = exact(input, size);
    asked page = {data, size, encodings[steering & 3], 0, steering >> 8 & (MOST - 1)};
    page.is_fixed = page.encoding == PQX_ENCODING_DELTA_BYTE_ARRAY && steering & 4;
    size_t step = (steering >> 32 & 0xff) + 1, room = steering >> 48 & 0x3ff;
    outcome *all = take(&page, MOST, MOST_BYTES, 0);
    outcome *pieces = take(&page, step, room, 0);
    outcome *some = take(&page, step, room, 1);
    if (!all->is_cut && !pieces->is_cut) {
        CLAIM(!memcmp(&all->error, &pieces->error, sizeof all->error) && all->end == pieces->end);
        if (all->error.code == PQX_OK) {
            CLAIM(!memcmp(all->lengths, pieces->lengths, sizeof all->lengths));
            CLAIM(!memcmp(all->bytes, pieces->bytes, sizeof all->bytes));
        }
    }
    /* Skipped indices are not checked. */
    if (!all->is_cut && !some->is_cut && page.encoding != PQX_ENCODING_RLE_DICTIONARY)
        CLAIM(!memcmp(&all->error, &some->error, sizeof all->error) && all->end == some->end);
    free(all);
    free(pieces);
    free(some);
    free(data);
    return 0;
}
