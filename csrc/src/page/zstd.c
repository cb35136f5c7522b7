#include "page/zstd.h"

#include "base/atomics.h"

static pqx_zstd_library library;
static PQX_ATOMIC(int) is_there;
static pqx_zstd_frames frames;
static PQX_ATOMIC(int) has_frames;

void pqx_zstd_use(const pqx_zstd_library *given)
{
    if (pqx_zstd_is_there()) return;
    library = *given;
    atomic_store_explicit(&is_there, 1, memory_order_release);
}

int pqx_zstd_is_there(void) { return atomic_load_explicit(&is_there, memory_order_acquire); }

int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    if (!pqx_zstd_is_there() || (!*context && !(*context = library.create()))) return 0;
    size_t made = library.decompress(*context, out, out_size, data, size);
    return !library.is_error(made) && made == out_size;
}

void pqx_zstd_use_frames(pqx_zstd_frames run)
{
    if (atomic_load_explicit(&has_frames, memory_order_acquire)) return;
    frames = run;
    atomic_store_explicit(&has_frames, 1, memory_order_release);
}

int pqx_zstd_frame(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    if (pqx_zstd_is_there()) return pqx_zstd(context, data, size, out, out_size);
    return atomic_load_explicit(&has_frames, memory_order_acquire)
           && frames(data, size, out, out_size);
}

/* Return 1 if a frame's header gives the content size `size` (RFC 8878, 3.1.1.1). */
static int says_size(const uint8_t *frame, size_t there, size_t size)
{
    enum { MAGIC_BYTES = 4, SINGLE_SEGMENT = 0x20, SECOND = 256 };
    static const uint8_t keys[] = {0, 1, 2, 4}; /* bytes of a dictionary's id */
    if (there <= MAGIC_BYTES) return 0;
    unsigned flags = frame[MAGIC_BYTES], bytes = flags >> 6 ? 1U << (flags >> 6) : 0;
    int is_single = (flags & SINGLE_SEGMENT) != 0;
    size_t at = MAGIC_BYTES + 1 + !is_single + keys[flags & 3];
    uint64_t found = 0;
    if (!bytes && is_single) bytes = 1;
    if (!bytes || there - MAGIC_BYTES < at - MAGIC_BYTES + bytes) return 0;
    for (unsigned i = 0; i < bytes; i++) found |= (uint64_t)frame[at + i] << 8 * i;
    if (bytes == 2) found += SECOND;
    return found == size;
}

int pqx_zstd_begin(void **context, const pqx_lz *b)
{
    if (!pqx_zstd_is_there() || (!*context && !(*context = library.create()))) return 0;
    if (!says_size(b->in, (size_t)(b->in_end - b->in), (size_t)(b->out_end - b->begin))) return 0;
    return !library.is_error(library.begin(*context));
}

int pqx_zstd_until(void *context, pqx_lz *b, const uint8_t *stop)
{
    pqx_zstd_input input = {b->in, (size_t)(b->in_end - b->in), 0};
    pqx_zstd_output output = {b->begin, (size_t)(stop - b->begin), (size_t)(b->out - b->begin)};
    size_t taken, made;
    int is_done;
    do {
        taken = input.at, made = output.at;
        size_t left = library.go_on(context, &output, &input);
        if (library.is_error(left)) return -1;
        int is_all = output.at == (size_t)(b->out_end - b->begin);
        if (!left && (input.at < input.size || !is_all)) return -1; /* another frame */
        /* After the last byte a frame may have a checksum. */
        is_done = output.at == output.size && (stop < b->out_end || !left);
    } while (!is_done && (input.at > taken || output.at > made));
    b->in += input.at;
    b->out = b->begin + output.at;
    return is_done;
}

void pqx_zstd_free(void *context)
{
    if (context) library.release(context);
}
