/* Test whether a known skeleton reproduces a struct. This is the hot path of nearly every chunk, so
 * it proceeds in steps of one 8-byte compare and one fact. */
#include "flat/flat_write_residue.h"

enum { STEP_BYTES = 8, NO_OP = 0 };

/* Up to 8 literal bytes, then an operation. */
typedef struct step {
    uint64_t bytes, mask;
    uint8_t length, op;
} step;

static int add_step(pqx_known_skeleton *known, const uint8_t *bytes, size_t length, uint8_t op,
                    pqx_error *error)
{
    step s = {
        .mask = length ? UINT64_MAX >> (64 - 8 * length) : 0, .length = (uint8_t)length, .op = op};
    memcpy(&s.bytes, bytes, length);
    return pqx_buffer_append(&known->steps, &s, sizeof s, error);
}

int pqx_skeleton_know(pqx_known_skeleton *known, const uint8_t *skeleton, size_t size,
                      pqx_error *error)
{
    const uint8_t *p = skeleton, *end = skeleton + size;
    known->steps.size = 0;
    while (p < end) {
        size_t run = 0;
        if (*p < PQX_LONGEST_RUN) {
            run = (size_t)*p++ + 1;
            for (; run > STEP_BYTES; run -= STEP_BYTES, p += STEP_BYTES)
                PQX_TRY(add_step(known, p, STEP_BYTES, NO_OP, error));
        }
        const uint8_t *op = p + run;
        int has_op = op < end && *op >= PQX_LONGEST_RUN;
        PQX_TRY(add_step(known, p, run, has_op ? *op : NO_OP, error));
        p = op + has_op;
    }
    return PQX_OK;
}

/* Match the shortest zigzag varint of a fact at p. Return the offset after it; NULL if it differs.
 */
static inline const uint8_t *match_integer(const uint8_t *p, const uint8_t *end, uint64_t zigzag)
{
    for (; zigzag >= 0x80; zigzag >>= 7, p++) {
        if (p >= end || *p != (uint8_t)(zigzag | 0x80)) return NULL;
    }
    return p < end && *p == zigzag ? p + 1 : NULL;
}

static inline const uint8_t *match_bytes(const uint8_t *p, const uint8_t *end, pqx_bytes bytes)
{
    if (bytes.size > (size_t)(end - p)) return NULL;
    return p == bytes.data || !bytes.size || !memcmp(p, bytes.data, bytes.size) ? p + bytes.size
                                                                                : NULL;
}

static const uint8_t *match_sized(const uint8_t *p, const uint8_t *end, const pqx_bytes *bytes)
{
    if (!bytes->data) return NULL;
    size_t size = bytes->size;
    for (; size >= 0x80; size >>= 7) {
        if (p >= end || *p++ != (uint8_t)(size | 0x80)) return NULL;
    }
    return p < end && *p == size ? match_bytes(p + 1, end, *bytes) : NULL;
}

/* Match the operations that are not specific to chunks. */
static const uint8_t *match_other(const pqx_facts *facts, int op, const uint8_t *p,
                                  const uint8_t *end)
{
    pqx_fact fact;
    if (pqx_get_fact(facts, op, 0, &fact, NULL) != PQX_OK || fact.kind == PQX_FACT_NONE)
        return NULL;
    if (fact.kind == PQX_FACT_INTEGER) return match_integer(p, end, fact.zigzag);
    return fact.kind == PQX_FACT_SIZED ? match_sized(p, end, &fact.bytes)
                                       : match_bytes(p, end, fact.bytes);
}

static inline const uint8_t *match_fact(const pqx_facts *facts, int op, const uint8_t *p,
                                        const uint8_t *end)
{
    uint64_t zigzag;
    if (!facts->chunk) return match_other(facts, op, p, end);
    if (op == PQX_OP_MIN || op == PQX_OP_MAX)
        return match_sized(p, end, op == PQX_OP_MIN ? &facts->min : &facts->max);
    if (op == PQX_OP_PATH)
        return facts->chunk->present & PQX_PRESENT_METADATA ? match_bytes(p, end, facts->path)
                                                            : NULL;
    return pqx_chunk_number(facts, op, &zigzag) ? match_integer(p, end, zigzag) : NULL;
}

static int match_literal(pqx_residue *residue, int op, const uint8_t **p, const uint8_t *end,
                         pqx_error *error)
{
    const uint8_t *stop = pqx_literal_end(op, *p, end);
    if (stop) PQX_TRY(pqx_buffer_append(&residue->literals, *p, (size_t)(stop - *p), error));
    *p = stop;
    return PQX_OK;
}

/* Load the last bytes of the footer, padded with zeros. */
static uint64_t load_rest(const uint8_t *p, const uint8_t *last)
{
    uint64_t word = 0;
    memcpy(&word, p, (size_t)(last - p));
    return word;
}

int pqx_residue_fits(pqx_residue *residue, const pqx_residue_source *source,
                     const pqx_known_skeleton *known, int *fits, pqx_error *error)
{
    const uint8_t *p = source->footer + source->at, *end = source->footer + source->end,
                  *last = source->footer + source->size;
    const step *s = (const step *)known->steps.data, *behind = s + known->steps.size / sizeof *s;
    *fits = 0;
    residue->literals.size = 0;
    for (; s < behind; s++) {
        uint64_t word = PQX_LIKELY(last - p >= STEP_BYTES) ? pqx_load64(p) : load_rest(p, last);
        if ((word ^ s->bytes) & s->mask || s->length > end - p) return PQX_OK;
        p += s->length;
        if (s->op == NO_OP) continue;
        if (s->op > PQX_OP_UUID) p = match_fact(&source->facts, s->op, p, end);
        else PQX_TRY(match_literal(residue, s->op, &p, end, error));
        if (!p) return PQX_OK;
    }
    *fits = p == end;
    return PQX_OK;
}
