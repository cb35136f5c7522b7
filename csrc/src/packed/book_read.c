/* Read the books of a packed footer. */
#include <stdlib.h>

#include "packed/book.h"

void pqx_packed_book_free(pqx_packed_book *book)
{
    free(book->templates);
    book->templates = NULL;
}

static int read_role(pqx_content *c, pqx_packed_book *book, unsigned number, unsigned chains)
{
    const uint8_t *bytes;
    size_t at = c->at;
    PQX_TRY(pqx_content_take(c, 4, &bytes));
    pqx_packed_role *role = &book->roles[number];
    *role = (pqx_packed_role){bytes[0], bytes[1], bytes[2], bytes[3]};
    if (role->area > PQX_ROLE_WORDS)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_ROLE_WORDS, role->area);
    static const uint8_t most[] = {PQX_PREDICTOR_CHAINED, PQX_PREDICTOR_DIFFERENCE,
                                   PQX_PREDICTOR_SAME}; /* by area */
    if (role->predictor > most[role->area])
        return pqx_content_fail(c, PQX_BAD_VALUE, at + 1, most[role->area], role->predictor);
    const uint8_t arguments[] = {role->first, role->second};
    for (int i = 0;
         i < (role->predictor == PQX_PREDICTOR_DIFFERENCE ? 2
                                                          : role->predictor == PQX_PREDICTOR_SAME);
         i++)
        if (arguments[i] >= number || book->roles[arguments[i]].area != role->area)
            return pqx_content_fail(c, PQX_BAD_VALUE, at + 2 + (size_t)i, number, arguments[i]);
    if (role->predictor == PQX_PREDICTOR_CHAINED && role->first >= chains)
        return pqx_content_fail(c, PQX_BAD_VALUE, at + 2, chains, role->first);
    pqx_add_role(&book->of_area[role->area], number);
    return PQX_OK;
}

static int read_chain(pqx_content *c, pqx_packed_book *book, unsigned number, unsigned roles)
{
    const uint8_t *bytes;
    size_t at = c->at;
    PQX_TRY(pqx_content_take(c, 3, &bytes));
    book->chains[number] = (pqx_packed_chain){bytes[0], bytes[1], bytes[2]};
    for (unsigned i = 0; i < 3; i++)
        if ((bytes[i] >= roles || book->roles[bytes[i]].area != PQX_ROLE_PLACED)
            && (i < 2 || bytes[i] != PQX_PACKED_NO_ROLE))
            return pqx_content_fail(c, PQX_BAD_VALUE, at + i, roles, bytes[i]);
    return bytes[1] < bytes[2]
               ? PQX_OK
               : pqx_content_fail(c, PQX_BAD_VALUE, at + 2, bytes[1] + UINT64_C(1), bytes[2]);
}

static int read_value(pqx_content *c, const pqx_packed_book *book, pqx_packed_step *step)
{
    size_t at = c->at;
    PQX_TRY(pqx_content_byte(c, &step->role));
    if (step->role >= book->role_count)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, book->role_count, step->role);
    int area = pqx_step_area(step->kind), found = book->roles[step->role].area;
    if (area != found)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, (uint64_t)area, (uint64_t)found);
    if (!pqx_step_is_fixed(step->kind)) return PQX_OK;
    at = c->at;
    PQX_TRY(pqx_content_byte(c, &step->size));
    return step->size >= 1 && step->size <= 8
               ? PQX_OK
               : pqx_content_fail(c, PQX_BAD_VALUE, at, 8, step->size);
}

static int read_step(pqx_content *c, const pqx_packed_book *book, pqx_packed_step *step)
{
    size_t at = c->at;
    uint64_t length = 0;
    *step = (pqx_packed_step){0};
    PQX_TRY(pqx_content_byte(c, &step->kind));
    if (step->kind > PQX_STEP_DOUBLE)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_STEP_DOUBLE, step->kind);
    if (pqx_step_has_role(step->kind)) return read_value(c, book, step);
    if (step->kind == PQX_STEP_PATH) return PQX_OK;
    PQX_TRY(pqx_content_varint(c, &length));
    PQX_TRY(pqx_content_take(c, length, &step->literal));
    step->length = (uint32_t)length;
    return PQX_OK;
}

static int read_template(pqx_content *c, const pqx_packed_book *book, pqx_packed_step *steps,
                         pqx_packed_template *used)
{
    uint8_t count = 0;
    PQX_TRY(pqx_content_byte(c, &count));
    *used = (pqx_packed_template){.steps = steps, .count = count};
    int has_columns = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = c->at;
        PQX_TRY(read_step(c, book, &steps[i]));
        if (steps[i].kind == PQX_STEP_COLUMNS && has_columns++)
            return pqx_content_fail(c, PQX_BAD_VALUE, at, 1, 2);
        if (pqx_step_has_role(steps[i].kind)) pqx_add_role(&used->roles, steps[i].role);
        used->has_raw |= steps[i].kind == PQX_STEP_RAW;
        used->most += pqx_step_has_role(steps[i].kind) ? PQX_MOST_VARINT : steps[i].length;
    }
    return PQX_OK;
}

/* Reserve memory for a book whose steps, of at least a byte each, are in the `left` bytes. */
static int reserve(pqx_packed_book *book, const uint8_t counts[3], size_t left, pqx_error *error)
{
    size_t most = (size_t)counts[2] * 255, steps = left < most ? left : most,
           size = counts[2] * sizeof *book->templates + steps * sizeof *book->steps
                  + counts[0] * sizeof *book->roles + counts[1] * sizeof *book->chains;
    pqx_packed_book_free(book);
    *book = (pqx_packed_book){.role_count = counts[0],
                              .chain_count = counts[1],
                              .template_count = counts[2],
                              .templates = (pqx_packed_template *)malloc(size + 1)};
    if (!book->templates) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    book->steps = (pqx_packed_step *)(book->templates + counts[2]);
    book->roles = (pqx_packed_role *)(book->steps + steps);
    book->chains = (pqx_packed_chain *)(book->roles + counts[0]);
    return PQX_OK;
}

int pqx_packed_book_read(pqx_content *c, pqx_packed_book *book)
{
    const uint8_t *counts;
    size_t at = 0;
    PQX_TRY(pqx_content_take(c, 3, &counts));
    PQX_TRY(reserve(book, counts, pqx_content_left(c), c->error));
    for (unsigned i = 0; i < counts[0]; i++) PQX_TRY(read_role(c, book, i, counts[1]));
    for (unsigned i = 0; i < counts[1]; i++) PQX_TRY(read_chain(c, book, i, counts[0]));
    for (unsigned i = 0; i < counts[2]; i++) {
        PQX_TRY(read_template(c, book, book->steps + at, &book->templates[i]));
        at += book->templates[i].count;
    }
    return PQX_OK;
}
