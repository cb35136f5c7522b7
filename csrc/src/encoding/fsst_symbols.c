/* Choose the symbols. In each of five rounds, the sample is encoded with the current symbols; then,
 * of the used symbols and of each pair of consecutive ones, the 255 with the highest gain are kept.
 * All steps are ordered, so that equal values give equal symbols on any machine. */
#include "encoding/fsst_symbols.h"

#include <stdlib.h>

#include "base/pages.h"

enum {
    WINDOW = 512,
    WINDOWS = 32,
    SAMPLE = WINDOW * WINDOWS,
    ROUNDS = 5,
    MOST_CANDIDATES = 2 * SAMPLE, /* two for each byte of the sample: see count_uses */
    SLOT_BITS = 16,               /* twice as many slots */
    LONELY_GAIN = 8,              /* a byte without a symbol takes two */
    SPARE = 8                     /* bytes after the sample that a word may load */
};

typedef struct candidate {
    uint64_t bytes;
    uint32_t uses;
    uint8_t length;
} candidate;

typedef struct counting {
    candidate slots[1 << SLOT_BITS];
    uint32_t used[MOST_CANDIDATES]; /* slots, in order of first use */
    size_t count;
    uint8_t sample[SAMPLE + SPARE];
    uint32_t ends[SAMPLE]; /* ends of the pieces */
    size_t pieces;
    candidate best[PQX_FSST_MOST_SYMBOLS]; /* a heap with the worst one first */
    size_t kept;
} counting;

/* ---- the sample ---- */

/* Return the value that contains byte `at` of all bytes, counted from the first value. */
static size_t value_with(const pqx_fsst_values *values, size_t at)
{
    size_t low = 0, high = values->count, first = pqx_fsst_start(values, 0);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (pqx_fsst_start(values, middle) - first <= at) low = middle;
        else high = middle;
    }
    return low;
}

/* Add bytes [begin, end) of all bytes, split at the ends of values. */
static void add_window(counting *to, const pqx_fsst_values *values, size_t begin, size_t end)
{
    size_t first = pqx_fsst_start(values, 0), filled = to->pieces ? to->ends[to->pieces - 1] : 0;
    for (size_t i = value_with(values, begin); begin < end; i++) {
        size_t stop = pqx_fsst_start(values, i + 1) - first;
        if (stop > end) stop = end;
        if (stop <= begin) continue;
        memcpy(to->sample + filled, values->data + first + begin, stop - begin);
        filled += stop - begin;
        to->ends[to->pieces++] = (uint32_t)filled;
        begin = stop;
    }
}

/* Take all bytes if they are few, else evenly spaced windows. */
static void take_sample(counting *to, const pqx_fsst_values *values)
{
    uint64_t total = pqx_fsst_start(values, values->count) - pqx_fsst_start(values, 0);
    to->pieces = 0;
    if (total <= SAMPLE) {
        add_window(to, values, 0, (size_t)total);
        return;
    }
    for (uint64_t window = 0; window < WINDOWS; window++) {
        size_t begin = (size_t)(total * window / WINDOWS);
        add_window(to, values, begin, begin + WINDOW);
    }
}

/* ---- counting ---- */

static void add_use(counting *to, uint64_t bytes, uint32_t length)
{
    uint32_t slot = (uint32_t)((bytes * 0x9e3779b97f4a7c15u ^ length * 0x632be59bd9b4e019u)
                               >> (64 - SLOT_BITS));
    candidate *at = &to->slots[slot];
    while (at->length && (at->bytes != bytes || at->length != length)) {
        slot = (slot + 1) % (1u << SLOT_BITS);
        at = &to->slots[slot];
    }
    if (!at->length) {
        *at = (candidate){bytes, 0, (uint8_t)length};
        to->used[to->count++] = slot;
    }
    at->uses++;
}

/* Count the symbols that encode a piece, their single bytes, and the pairs of consecutive symbols.
 * A single-byte symbol adds at most two candidates, a longer one four: two for each byte. */
static void count_piece(counting *to, const pqx_fsst_matcher *matcher, size_t at, size_t end)
{
    uint64_t before = 0;
    uint32_t before_length = 0;
    while (at < end) {
        uint64_t word = pqx_load64(to->sample + at);
        uint32_t code = pqx_fsst_match(matcher, word, end - at);
        uint32_t length = code == PQX_FSST_ESCAPE ? 1 : matcher->symbols.lengths[code];
        uint64_t bytes = word & pqx_fsst_mask(length);
        add_use(to, bytes, length);
        if (length > 1) add_use(to, word & 0xff, 1);
        if (before_length && before_length < PQX_FSST_LONGEST) {
            uint32_t both = before_length + length;
            uint32_t shift = 8 * before_length;
            add_use(to, before | bytes << shift, both < PQX_FSST_LONGEST ? both : PQX_FSST_LONGEST);
            if (length > 1) add_use(to, before | (word & 0xff) << shift, before_length + 1);
        }
        before = bytes, before_length = length;
        at += length;
    }
}

/* ---- choosing ---- */

static uint64_t gain(const candidate *of)
{ return (uint64_t)of->uses * (of->length == 1 ? LONELY_GAIN : of->length); }

static int is_better(const candidate *one, const candidate *other)
{
    uint64_t first = gain(one), second = gain(other);
    if (first != second) return first > second;
    if (one->length != other->length) return one->length > other->length;
    return one->bytes < other->bytes;
}

/* Insert `item` into the heap's hole, at the root or below. */
static void sift_down(candidate *heap, size_t count, size_t hole, candidate item)
{
    for (size_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && is_better(&heap[child], &heap[child + 1])) child++;
        if (!is_better(&item, &heap[child])) break;
        heap[hole] = heap[child];
    }
    heap[hole] = item;
}

static void offer(counting *to, candidate item)
{
    candidate *heap = to->best;
    if (to->kept == PQX_FSST_MOST_SYMBOLS) {
        if (is_better(&item, &heap[0])) sift_down(heap, to->kept, 0, item);
        return;
    }
    size_t hole = to->kept++;
    for (; hole && is_better(&heap[(hole - 1) / 2], &item); hole = (hole - 1) / 2)
        heap[hole] = heap[(hole - 1) / 2];
    heap[hole] = item;
}

/* Keep the best of those that are used more than once, and reset all counts. */
static void choose(counting *from)
{
    from->kept = 0;
    for (size_t i = 0; i < from->count; i++) {
        candidate *at = &from->slots[from->used[i]];
        if (at->uses > 1) offer(from, *at);
        at->length = 0;
    }
    from->count = 0;
}

/* Compare by the first 3 bytes, then the longest first. */
static int compare_places(const void *one, const void *other)
{
    const candidate *a = (const candidate *)one, *b = (const candidate *)other;
    uint32_t first = a->bytes & 0xffffff, second = b->bytes & 0xffffff;
    if (first != second) return first < second ? -1 : 1;
    if (a->length != b->length) return a->length > b->length ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* ---- the matcher ---- */

static void add_to_slot(pqx_fsst_matcher *matcher, uint32_t code)
{
    uint32_t prefix = matcher->symbols.bytes[code] & 0xffffff, slot = pqx_fsst_slot(prefix);
    while (matcher->slots[slot].count && matcher->slots[slot].prefix != prefix)
        slot = (slot + 1) % PQX_FSST_SLOTS;
    if (!matcher->slots[slot].count++) {
        matcher->slots[slot].prefix = prefix;
        matcher->slots[slot].first = (uint8_t)code;
    }
}

static void prepare(pqx_fsst_matcher *matcher, const candidate *symbols, size_t count)
{
    memset(&matcher->symbols, 0, sizeof matcher->symbols);
    memset(matcher->slots, 0, sizeof matcher->slots);
    memset(matcher->single, PQX_FSST_ESCAPE, sizeof matcher->single);
    matcher->symbols.count = (uint32_t)count;
    for (uint32_t code = 0; code < count; code++) {
        matcher->symbols.bytes[code] = symbols[code].bytes;
        matcher->symbols.lengths[code] = symbols[code].length;
        if (symbols[code].length == 1) matcher->single[symbols[code].bytes] = (uint8_t)code;
        if (symbols[code].length >= PQX_FSST_PREFIX) add_to_slot(matcher, code);
    }
    for (size_t second = 0; second < 256; second++)
        memcpy(matcher->two + 256 * second, matcher->single, 256);
    for (uint32_t code = 0; code < count; code++)
        if (symbols[code].length == 2) matcher->two[symbols[code].bytes] = (uint8_t)code;
}

int pqx_fsst_find_symbols(const pqx_fsst_values *values, pqx_fsst_matcher *matcher,
                          pqx_error *error)
{
    counting *state = (counting *)pqx_reserve(sizeof *state);
    if (!state) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *state, 0);
    for (size_t slot = 0; slot < 1 << SLOT_BITS; slot++) state->slots[slot].length = 0;
    state->count = state->kept = 0;
    take_sample(state, values);
    prepare(matcher, NULL, 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t piece = 0, at = 0; piece < state->pieces; at = state->ends[piece++])
            count_piece(state, matcher, at, state->ends[piece]);
        choose(state);
        qsort(state->best, state->kept, sizeof *state->best, compare_places);
        prepare(matcher, state->best, state->kept);
    }
    pqx_release(state);
    return PQX_OK;
}
