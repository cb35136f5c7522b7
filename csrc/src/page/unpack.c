#include "page/unpack.h"

#include "page/codec.h"

enum {
    STEP = 16 << 10, /* bytes that are decompressed together, at least */
    SOME = 1 << 10   /* additional stored bytes to load at a time */
};

static int is_plain(const pqx_unpack *unpack) { return unpack->codec == PQX_CODEC_UNCOMPRESSED; }

int pqx_unpack_begin(pqx_unpack *unpack)
{
    unpack->ready = unpack->taken = 0;
    unpack->has_begun = 0;
    if (is_plain(unpack)) return unpack->stored == unpack->size;
    if (!pqx_codec_believes(unpack->codec, unpack->stored, unpack->size)) return 0;
    return pqx_grow(unpack->memory, 0, unpack->size + PQX_DECOMPRESS_SPARE);
}

/* Return the stored bytes in memory. */
static const uint8_t *stored_bytes(const pqx_unpack *unpack)
{ return pqx_window_at(unpack->window, unpack->at) + unpack->front; }

static int load(pqx_unpack *unpack, size_t size)
{ return pqx_window_load(unpack->window, unpack->at, (uint64_t)unpack->front + size); }

const uint8_t *pqx_unpack_data(const pqx_unpack *unpack)
{ return is_plain(unpack) ? stored_bytes(unpack) : unpack->memory->data; }

/* Load an uncompressed body; readers may access all of its room. */
static int load_plain(pqx_unpack *unpack, size_t wanted)
{
    pqx_window *window = unpack->window;
    if (!load(unpack, wanted)) return 0;
    size_t before = (size_t)(unpack->at - window->begin) + unpack->front;
    if (!pqx_grow(&window->memory, window->held, before + unpack->size)) return 0;
    size_t held = window->held - before;
    unpack->ready = held < unpack->size ? held : unpack->size;
    return 1;
}

static int decompress_all(pqx_unpack *unpack)
{
    if (!load(unpack, unpack->stored)) return 0;
    const uint8_t *stored = stored_bytes(unpack);
    unpack->ready = unpack->size;
    return pqx_decompress(unpack->codec, stored, unpack->stored, unpack->memory->data, unpack->size,
                          unpack->zstd);
}

/* Estimate how many stored bytes produce the first `size` ones. */
static size_t likely_stored(const pqx_unpack *unpack, size_t size)
{
    double share = (double)size / (double)unpack->size * (double)unpack->stored + (double)SOME;
    return share < (double)unpack->stored ? (size_t)share : unpack->stored;
}

/* Continue with the stored bytes, of which at least `have` are loaded. */
static pqx_lz *go_on(pqx_unpack *unpack, size_t have)
{
    size_t held = pqx_window_held(unpack->window, unpack->at) - unpack->front;
    if (held > have) have = held < unpack->stored ? held : unpack->stored;
    unpack->lz.in = stored_bytes(unpack) + unpack->taken;
    unpack->lz.in_end = stored_bytes(unpack) + have;
    return &unpack->lz;
}

static void note(pqx_unpack *unpack)
{
    unpack->taken = (size_t)(unpack->lz.in - stored_bytes(unpack));
    unpack->ready = (size_t)(unpack->lz.out - unpack->lz.begin);
}

/* Begin in parts, with the first stored bytes, or decompress all at once if parts are not possible.
 */
static int begin_parts(pqx_unpack *unpack)
{
    size_t have = unpack->stored < SOME ? unpack->stored : SOME;
    if (!load(unpack, have)) return 0;
    unpack->lz = pqx_lz_of(stored_bytes(unpack), have, unpack->memory->data, unpack->size);
    unpack->has_begun = pqx_decompress_begin(unpack->codec, go_on(unpack, have), unpack->zstd);
    if (!unpack->has_begun) return decompress_all(unpack);
    note(unpack);
    return 1;
}

/* Continue to `stop`, loading more stored bytes until they suffice. */
static int decompress(pqx_unpack *unpack, size_t stop)
{
    size_t have = likely_stored(unpack, stop);
    for (;;) {
        if (!load(unpack, have)) return 0;
        pqx_lz *lz = go_on(unpack, have);
        have = (size_t)(lz->in_end - stored_bytes(unpack));
        int status = pqx_decompress_until(unpack->codec, lz, lz->begin + stop, *unpack->zstd);
        note(unpack);
        if (status > 0) return unpack->ready < unpack->size || unpack->taken == unpack->stored;
        if (status < 0 || have == unpack->stored) return 0;
        have = unpack->stored - have > have / 2 + STEP ? have + have / 2 + STEP : unpack->stored;
    }
}

int pqx_unpack_until(pqx_unpack *unpack, uint64_t wanted)
{
    if (wanted > unpack->size) wanted = unpack->size;
    if (wanted <= unpack->ready) return 1;
    if (is_plain(unpack)) return load_plain(unpack, (size_t)wanted);
    if (!unpack->has_begun && !begin_parts(unpack)) return 0;
    if (wanted <= unpack->ready) return 1;
    size_t left = unpack->size - unpack->ready, stop = unpack->ready + (left < STEP ? left : STEP);
    return decompress(unpack, wanted > stop ? (size_t)wanted : stop);
}
