/* Drive the public decoder of a leaf by bytes of the input: pages of the input in any order,
 * whole, cut or with their levels apart, batches, skipped rows, takes, chunks. Rows that were
 * begun are taken, each once; a page is freed as soon as it is done; after an error only the
 * failure is returned. Steering bytes: type, levels (max_definition, max_repetition,
 * repeated_definition), type_length, most_bytes, flags, rows, -, length of the script before
 * them. */
#include "input.h"

enum { MOST_PAGES = 64, MOST_GIVEN = 256, MOST_ENTRIES = 1 << 13, MOST_CHUNKS = 8 };
enum { KEEPS = 1, FORGETS = 2 };
enum { GIVE, GIVE_APART, GIVE_CUT, READ, SKIP, TAKE, DICTIONARY, BEGIN };

typedef struct session {
    pqx_decoder *decoder;
    pqx_decoder_leaf leaf;
    const uint8_t *data;
    size_t size, count, given, freed;
    pqx_page pages[MOST_PAGES];
    uint8_t *bodies[MOST_GIVEN], *levels[MOST_GIVEN], *dictionary;
    uint64_t begun, taken; /* rows */
    int chunks, state;
} session;

/* Return a page's body; 0 if it is cut off. */
static int body_of(const session *s, const pqx_page *page, size_t *at, size_t *size)
{
    *at = (size_t)page->offset + page->header_size;
    *size = (size_t)page->compressed_size;
    return *at <= s->size && *size <= s->size - *at;
}

/* Free pages that are not needed any more. */
static void free_pages(session *s, size_t end)
{
    CLAIM(s->freed <= end && end <= s->given);
    for (; s->freed < end; s->freed++) {
        free(s->bodies[s->freed]);
        free(s->levels[s->freed]);
    }
}

static int begin(session *s, pqx_error *error)
{
    if (s->chunks++ == MOST_CHUNKS) return PQX_OK;
    int status = pqx_decoder_begin(s->decoder, MOST_ENTRIES, UINT64_MAX, error);
    free_pages(s, s->given);
    free(s->dictionary);
    s->dictionary = NULL;
    s->given = s->freed = 0;
    return status;
}

static int give(session *s, unsigned number, unsigned how, pqx_error *error)
{
    size_t at, size, apart = 0;
    if (!s->count || s->given == MOST_GIVEN) return PQX_OK;
    const pqx_page *page = s->pages + number % s->count;
    if (!body_of(s, page, &at, &size)) return PQX_OK;
    if (how != GIVE_CUT && page->type == PQX_PAGE_DICTIONARY_PAGE) return PQX_OK;
    if (how == GIVE_APART && page->type == PQX_PAGE_DATA_PAGE_V2)
        apart = (size_t)page->definition_size + page->repetition_size;
    if (how == GIVE_CUT) size /= 2;
    if (apart > size) return PQX_OK;
    uint8_t *levels = apart ? exact(s->data + at, apart) : NULL;
    uint8_t *body = exact(s->data + at + apart, size - apart);
    s->levels[s->given] = levels;
    s->bodies[s->given++] = body;
    return pqx_decoder_page(s->decoder, page, (pqx_bytes){levels, apart},
                            (pqx_bytes){body, size - apart}, error);
}

static int give_dictionary(session *s, unsigned number, pqx_error *error)
{
    size_t at, size;
    if (!s->count || s->dictionary) return PQX_OK;
    const pqx_page *page = s->pages + number % s->count;
    if (!body_of(s, page, &at, &size)) return PQX_OK;
    s->dictionary = exact(s->data + at, size);
    return pqx_decoder_dictionary(s->decoder, s->dictionary, size, (uint64_t)page->num_values,
                                  error);
}

static int move(session *s, int skips, uint64_t rows, pqx_error *error)
{
    uint64_t begun;
    int status = skips ? pqx_decoder_skip(s->decoder, rows, &begun, &s->state, error)
                       : pqx_decoder_read(s->decoder, rows, &begun, &s->state, error);
    if (status) return status;
    CLAIM(begun <= rows && s->state >= PQX_DECODER_READY && s->state <= PQX_DECODER_FULL);
    if (s->state == PQX_DECODER_READY && begun < rows)
        CLAIM(pqx_decoder_done(s->decoder) == s->given);
    if (!skips && !s->leaf.forgets) s->begun += begun;
    free_pages(s, (size_t)pqx_decoder_done(s->decoder));
    return PQX_OK;
}

static void check(const pqx_decoder_leaf *leaf, const pqx_decoded *out)
{
    static const uint8_t widths[] = {0, 4, 8, 12, 4, 8, 0, 0};
    int is_binary = leaf->type == PQX_PHYSICAL_BYTE_ARRAY;
    uint64_t width = leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY ? (uint64_t)leaf->type_length
                                                                     : widths[leaf->type];
    CLAIM(out->rows <= out->entries && out->slots <= out->entries && out->nulls <= out->slots);
    if (!leaf->max_repetition) CLAIM(out->rows == out->entries && out->slots == out->entries);
    if (leaf->forgets) CLAIM(!out->entries && !out->size);
    if (width) CLAIM(out->size == out->slots * width);
    else if (!is_binary) CLAIM(out->size == (out->slots + 7) / 8);
    CLAIM((out->valid != NULL) == (out->nulls > 0) && (out->offsets != NULL) == is_binary);
    CLAIM((out->repetition != NULL) == (leaf->max_repetition && out->entries));
    uint64_t there = 0, rows = 0, sum = 0;
    for (uint64_t i = 0; out->valid && i < out->slots; i++)
        there += out->valid[i / 8] >> (i % 8) & 1;
    if (out->valid) CLAIM(there == out->slots - out->nulls);
    for (uint64_t i = 0; out->repetition && i < out->entries; i++) {
        CLAIM(out->repetition[i] <= leaf->max_repetition);
        rows += !out->repetition[i];
    }
    if (out->repetition) CLAIM(rows == out->rows);
    for (uint64_t i = 0; out->definition && i < out->entries; i++)
        CLAIM(out->definition[i] <= leaf->max_definition);
    if (is_binary) {
        CLAIM(!out->offsets[0] && (uint64_t)out->offsets[out->slots] == out->size);
        for (uint64_t i = 0; i < out->slots; i++) CLAIM(out->offsets[i] <= out->offsets[i + 1]);
    }
    for (uint64_t i = 0; i < out->size; i++) sum += out->values[i]; /* all of it can be read */
    CLAIM(sum <= out->size * 255);
}

static int take(session *s, pqx_error *error)
{
    pqx_decoded out;
    int status = pqx_decoder_take(s->decoder, &out, error);
    if (status) return status;
    check(&s->leaf, &out);
    s->taken += out.rows;
    CLAIM(s->taken <= s->begun);
    if (s->state != PQX_DECODER_FULL) CLAIM(s->taken == s->begun);
    s->state = PQX_DECODER_READY;
    pqx_decoded_free(&out);
    return PQX_OK;
}

static int step(session *s, uint8_t told, pqx_error *error)
{
    unsigned argument = told >> 3;
    switch (told & 7) {
    case GIVE:
    case GIVE_APART:
    case GIVE_CUT: return give(s, argument, told & 7, error);
    case READ: return move(s, 0, argument < 24 ? argument : argument * 99, error);
    case SKIP: return move(s, 1, argument < 24 ? argument : argument * 99, error);
    case TAKE: return take(s, error);
    case DICTIONARY: return give_dictionary(s, argument, error);
    default: return begin(s, error);
    }
}

/* Check the results of a decoder that has failed. */
static void check_failed(session *s, int status, const pqx_error *told)
{
    pqx_error error;
    pqx_decoded out;
    uint64_t page, begun;
    int part, state;
    CLAIM(told->code == status);
    pqx_decoder_failure(s->decoder, &page, &part);
    CLAIM(page <= s->given && part >= PQX_DECODER_PAGE && part <= PQX_DECODER_DICTIONARY);
    CLAIM(pqx_decoder_read(s->decoder, 1, &begun, &state, &error) == PQX_BAD_ARGUMENT);
    CLAIM(pqx_decoder_begin(s->decoder, 1, 1, &error) == PQX_BAD_ARGUMENT);
    CLAIM(pqx_decoder_take(s->decoder, &out, &error) == PQX_BAD_ARGUMENT && !out.values);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), next;
    uint8_t told[8];
    pqx_error error;
    memcpy(told, &steering, 8);
    size_t script = told[7] < size ? told[7] : size;
    session s = {.leaf = {.type = told[0] & 7,
                          .type_length = told[2] & 31,
                          .max_definition = told[1] & 7,
                          .max_repetition = told[1] >> 3 & 3,
                          .repeated_definition = told[1] >> 5 & 7,
                          .keeps_definition = told[4] & KEEPS,
                          .forgets = (told[4] & FORGETS) != 0,
                          .most_bytes = 1 + (uint32_t)told[3] * 1000,
                          .rows = told[5]}};
    uint8_t *data = exact(input, size -= script);
    s.data = data;
    s.size = size;
    pqx_page_walk(&(pqx_page_span){data, size, 0, size}, s.pages, MOST_PAGES, &s.count, &next,
                  &error);
    int status = pqx_decoder_open(&s.leaf, &s.decoder, &error);
    CLAIM(status == PQX_OK ? s.decoder != NULL : !s.decoder);
    if (!status) {
        status = begin(&s, &error);
        for (size_t i = 0; !status && i < script; i++) status = step(&s, input[size + i], &error);
        while (!status && s.state == PQX_DECODER_FULL) {
            status = take(&s, &error);
            if (!status) status = move(&s, 0, 0, &error);
        }
        if (!status) status = take(&s, &error);
        if (status) check_failed(&s, status, &error);
    }
    pqx_decoder_close(s.decoder);
    free_pages(&s, s.given);
    free(s.dictionary);
    free(data);
    return 0;
}
