/* Check that a footer has every field that readers' parsers require, in every struct. */
#include "footer/scan_fast.h"

typedef struct walk {
    pqx_cursor cursor;
    pqx_missing *missing;
    pqx_scanning
        *scanning; /* for the chunks that the fast decoder accepts, which are complete; or NULL */
} walk;

static const pqx_rule rules[PQX_RULED_STRUCTS][PQX_RULED_FIELDS] = PQX_RULES;

static int walk_struct(walk *w, uint32_t structure, int depth);

/* Skip chunks that the fast decoder accepts. Return their number. */
static uint32_t step_over_chunks(walk *w, uint32_t most)
{
    enum { AT_ONCE = 32 };
    pqx_chunk chunks[AT_ONCE];
    pqx_places places[AT_ONCE];
    pqx_scan into = {.chunks = chunks, .places = places};
    w->scanning->scan = &into;
    w->scanning->cursor = w->cursor;
    uint32_t taken = pqx_fast_chunks(w->scanning, most < AT_ONCE ? most : AT_ONCE);
    w->cursor.at = w->scanning->cursor.at;
    return taken;
}

static int walk_structs(walk *w, uint32_t structure, uint32_t count, int depth)
{
    int may_be_usual = w->scanning && structure == PQX_RULES_OF_COLUMN_CHUNK;
    while (count) {
        uint32_t taken = may_be_usual ? step_over_chunks(w, count) : 0;
        count -= taken ? taken : 1;
        if (!taken) PQX_TRY(walk_struct(w, structure, depth));
    }
    return PQX_OK;
}

/* Walk the list at the cursor; *right is 1 if its items have the type of the rule. */
static int walk_list(walk *w, const pqx_rule *rule, int depth, int *right)
{
    uint32_t count = 0;
    int type = 0;
    PQX_TRY(pqx_read_list(&w->cursor, &count, &type));
    *right = !count || type == rule->item;
    if (*right && rule->inner) return walk_structs(w, rule->inner, count, depth - 1);
    while (count--) PQX_TRY(pqx_skip(&w->cursor, type, 1, depth - 1));
    return PQX_OK;
}

static int is_type(const pqx_rule *rule, int type)
{ return type == rule->type || (type == PQX_TYPE_FALSE && rule->type == PQX_TYPE_TRUE); }

/* Walk the field at the cursor, which has a rule; *right is 1 if it matches the rule. */
static int walk_field(walk *w, const pqx_rule *rule, int type, int depth, int *right)
{
    *right = is_type(rule, type);
    if (*right && type == PQX_TYPE_LIST)
        return depth ? walk_list(w, rule, depth, right) : pqx_skip(&w->cursor, type, 0, depth);
    if (*right && rule->inner) return walk_struct(w, rule->inner, depth);
    return pqx_skip(&w->cursor, type, 0, depth);
}

/* Finish a struct. `seen` and `wrong` are bits of the fields that match their rules and of those
 * that do not. A missing path_in_schema can be derived from the schema; one of another type is
 * damage. */
static void conclude(walk *w, uint32_t structure, size_t start, uint32_t seen, uint32_t wrong)
{
    const pqx_rule *rule = rules[structure];
    const uint32_t path =
        structure == PQX_RULES_OF_COLUMN_META_DATA ? 1u << PQX_COLUMN_META_DATA_PATH_IN_SCHEMA : 0;
    if (path & ~(seen | wrong)) w->missing->without_path++;
    for (uint32_t id = 1; id < PQX_RULED_FIELDS && !w->missing->field; id++) {
        uint32_t bit = 1u << id;
        if (seen & bit || !(rule[id].required || path & wrong & bit)) continue;
        w->missing->offset = start;
        w->missing->structure = structure;
        w->missing->field = id;
    }
}

static int walk_struct(walk *w, uint32_t structure, int depth)
{
    pqx_cursor *c = &w->cursor;
    size_t start = c->at;
    uint32_t seen = 0, wrong = 0;
    int32_t id = 0;
    if (depth == 0) return pqx_fail(c->error, PQX_TOO_DEEP, c->at, PQX_MAX_DEPTH, 0);
    for (;;) {
        int type = 0, right = 0;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) break;
        if (id <= 0 || id >= PQX_RULED_FIELDS || !rules[structure][id].type) {
            PQX_TRY(pqx_skip(c, type, 0, depth - 1));
            continue;
        }
        PQX_TRY(walk_field(w, &rules[structure][id], type, depth - 1, &right));
        *(right ? &seen : &wrong) |= 1u << id;
    }
    conclude(w, structure, start, seen, wrong);
    return PQX_OK;
}

int pqx_lacks_nothing(pqx_cursor *c, uint32_t structure, uint32_t field, int around)
{
    pqx_missing missing = {0};
    walk w = {*c, &missing, NULL};
    int right = 0, status = walk_field(&w, &rules[structure][field], rules[structure][field].type,
                                       PQX_MAX_DEPTH - around, &right);
    c->at = w.cursor.at;
    return status == PQX_OK && right && !missing.field;
}

int pqx_find_missing(const uint8_t *data, size_t size, pqx_missing *missing, pqx_error *error)
{
    pqx_scanning scanning;
    walk w = {{data, size, 0, error}, missing, &scanning};
    *missing = (pqx_missing){0};
    if (size > UINT32_MAX) return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, size);
    pqx_forget_habits(&scanning);
    return walk_struct(&w, PQX_RULES_OF_FILE_META_DATA, PQX_MAX_DEPTH);
}
