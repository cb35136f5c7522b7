/* Collect structs of one kind: intern their templates, keep their values. */
#include "packed/structs.h"

void pqx_packed_structs_free(pqx_packed_structs *s)
{
    pqx_buffer *buffers[] = {&s->keys, &s->steps, &s->values, &s->templates_of, &s->firsts};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
}

/* Append the bytes by which a template is recognized. */
static int put_key(pqx_packed_structs *s, const pqx_coded_step *steps, uint32_t count,
                   pqx_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t head[14] = {steps[i].kind, steps[i].size};
        pqx_store64(head + 2, steps[i].code);
        pqx_store32(head + 10, steps[i].length);
        PQX_TRY(pqx_buffer_append(&s->keys, head, sizeof head, error));
        PQX_TRY(pqx_buffer_append(&s->keys, s->data + steps[i].begin, steps[i].length, error));
    }
    return PQX_OK;
}

/* Return the number of the template with the key that begins at `key`, or template_count. */
static uint32_t find_template(const pqx_packed_structs *s, size_t key, uint64_t hash)
{
    size_t size = s->keys.size - key;
    for (uint32_t i = 0; i < s->template_count; i++) {
        const pqx_coded_template *t = &s->templates[i];
        if (t->hash == hash && t->key_size == size
            && !memcmp(s->keys.data + t->key, s->keys.data + key, size))
            return i;
    }
    return s->template_count;
}

static uint32_t find_role(const pqx_packed_structs *s, uint64_t code, int area)
{
    uint32_t i = 0;
    while (i < s->role_count && (s->coded[i].code != code || s->coded[i].area != area)) i++;
    return i;
}

/* Return 1 if a struct of these steps can be a template of its own: it has each role once, and
 * there are not too many templates and roles. */
static int is_usable(const pqx_packed_structs *s, const pqx_coded_step *steps, uint32_t count)
{
    uint32_t new_roles = 0;
    if (count > PQX_MOST_STEPS || s->template_count >= PQX_MOST_TEMPLATES) return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!steps[i].code) continue;
        int area = pqx_step_area(steps[i].kind);
        for (uint32_t j = 0; j < i; j++)
            if (steps[j].code == steps[i].code && pqx_step_area(steps[j].kind) == area) return 0;
        new_roles += find_role(s, steps[i].code, area) == s->role_count;
    }
    return s->role_count + new_roles < PQX_MOST_ROLES;
}

static int add_template(pqx_packed_structs *s, const pqx_coded_step *steps, uint32_t count,
                        size_t key, uint64_t hash, int physical_type, pqx_error *error)
{
    pqx_coded_template *t = &s->templates[s->template_count];
    *t = (pqx_coded_template){.hash = hash,
                              .key = key,
                              .key_size = s->keys.size - key,
                              .first_step = (uint32_t)(s->steps.size / sizeof *steps),
                              .count = count};
    for (uint32_t i = 0; i < count; i++) {
        if (!steps[i].code) continue;
        int area = pqx_step_area(steps[i].kind);
        uint32_t role = find_role(s, steps[i].code, area);
        if (role == s->role_count)
            s->coded[s->role_count++] = (pqx_coded_role){steps[i].code, (uint8_t)area};
        t->values++;
    }
    for (uint32_t i = 0; i < count; i++) t->has_path |= steps[i].kind == PQX_STEP_PATH;
    t->physical_type = physical_type;
    PQX_TRY(pqx_buffer_append(&s->steps, steps, count * sizeof *steps, error));
    s->template_count++;
    return PQX_OK;
}

/* Intern the template of some steps; *number becomes UINT32_MAX if it is not usable. */
static int intern(pqx_packed_structs *s, const pqx_coded_step *steps, uint32_t count,
                  int is_verbatim, int physical_type, uint32_t *number, pqx_error *error)
{
    size_t key = s->keys.size;
    *number = UINT32_MAX;
    if (count > PQX_MOST_STEPS) return PQX_OK;
    PQX_TRY(put_key(s, steps, count, error));
    uint64_t hash = pqx_xxh64(s->keys.data + key, s->keys.size - key, 0);
    uint32_t found = find_template(s, key, hash);
    if (found < s->template_count || (!is_verbatim && !is_usable(s, steps, count))) {
        s->keys.size = key;
        if (found < s->template_count) *number = found;
        return PQX_OK;
    }
    *number = found;
    return add_template(s, steps, count, key, hash, physical_type, error);
}

static int add_values(pqx_packed_structs *s, uint32_t used, const int64_t *values, pqx_error *error)
{
    uint64_t first = s->values.size / sizeof *values;
    uint8_t number = (uint8_t)used;
    PQX_TRY(pqx_buffer_append(&s->firsts, &first, sizeof first, error));
    PQX_TRY(pqx_buffer_append(&s->templates_of, &number, 1, error));
    s->count++;
    return pqx_buffer_append(&s->values, values, s->templates[used].values * sizeof *values, error);
}

int pqx_packed_structs_add(pqx_packed_structs *s, uint32_t begin, uint32_t end,
                           const pqx_packed_struct_facts *facts, uint8_t *likely, pqx_error *error)
{
    static const pqx_coded_step verbatim = {.kind = PQX_STEP_RAW, .code = PQX_VERBATIM_CODE};
    pqx_coded_step steps[PQX_MOST_STEPS];
    int64_t values[PQX_MOST_STEPS];
    uint32_t count = 0, number = *likely;
    const pqx_coded_template *t = &s->templates[number < s->template_count ? number : 0];
    if (number < s->template_count && t->has_path && t->physical_type == facts->physical_type
        && pqx_packed_follow(s->data, begin, end, facts, pqx_packed_steps_of(s, number), t->count,
                             values))
        return add_values(s, number, values, error);
    PQX_TRY(pqx_packed_parse(s->data, s->size, begin, facts, steps, &count, values, error));
    PQX_TRY(intern(s, steps, count, 0, facts->physical_type, &number, error));
    if (number == UINT32_MAX) {
        PQX_TRY(intern(s, &verbatim, 1, 1, -1, &number, error));
        values[0] = (int64_t)((uint64_t)begin << 32 | end);
    }
    *likely = (uint8_t)number;
    return add_values(s, number, values, error);
}

void pqx_packed_structs_number(pqx_packed_structs *s)
{
    pqx_packed_predict(s);
    pqx_coded_step *steps = (pqx_coded_step *)(void *)s->steps.data;
    for (uint32_t i = 0; i < s->template_count; i++) {
        pqx_coded_template *t = &s->templates[i];
        for (uint32_t j = 0; j < t->count; j++) {
            pqx_coded_step *step = &steps[t->first_step + j];
            if (!step->code) continue;
            step->code = find_role(s, step->code, pqx_step_area(step->kind));
            pqx_add_role(&t->roles, (unsigned)step->code);
        }
    }
}

static int write_template(const pqx_packed_structs *s, uint32_t number, pqx_buffer *out,
                          pqx_error *error)
{
    const pqx_coded_step *step = pqx_packed_steps_of(s, number);
    uint8_t bytes[11] = {(uint8_t)s->templates[number].count};
    PQX_TRY(pqx_buffer_append(out, bytes, 1, error));
    for (uint32_t i = 0; i < s->templates[number].count; i++, step++) {
        bytes[0] = step->kind;
        size_t size = 1;
        if (pqx_step_has_role(step->kind)) bytes[size++] = (uint8_t)step->code;
        if (pqx_step_is_fixed(step->kind)) bytes[size++] = step->size;
        if (!pqx_step_has_role(step->kind) && step->kind != PQX_STEP_PATH)
            size += pqx_varint_put(bytes + 1, step->length);
        PQX_TRY(pqx_buffer_append(out, bytes, size, error));
        PQX_TRY(pqx_buffer_append(out, s->data + step->begin, step->length, error));
    }
    return PQX_OK;
}

int pqx_packed_structs_write_book(const pqx_packed_structs *s, pqx_buffer *out, pqx_error *error)
{
    const uint8_t counts[] = {(uint8_t)s->role_count, (uint8_t)s->chain_count,
                              (uint8_t)s->template_count};
    PQX_TRY(pqx_buffer_append(out, counts, sizeof counts, error));
    PQX_TRY(pqx_buffer_append(out, s->roles, s->role_count * sizeof *s->roles, error));
    PQX_TRY(pqx_buffer_append(out, s->chains, s->chain_count * sizeof *s->chains, error));
    for (uint32_t i = 0; i < s->template_count; i++) PQX_TRY(write_template(s, i, out, error));
    return PQX_OK;
}
