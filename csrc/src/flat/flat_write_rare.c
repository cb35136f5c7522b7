/* Write values that few footers have, for readers of the public schema: geospatial statistics and
 * crypto fields. */
#include "flat/flat_write.h"

/* Find the struct in field `id` of the struct at `at`; *found is 0 if there is none. */
static int find_struct(pqx_flat_writer *w, size_t at, int16_t id, size_t *value, int *found)
{
    pqx_field field;
    PQX_TRY(
        pqx_thrift_find(w->footer, w->footer_size, at, id, PQX_MAX_DEPTH, &field, found, w->error));
    *found = *found && field.type == PQX_TYPE_STRUCT;
    *value = field.value;
    return PQX_OK;
}

/* Find the list of `type` in field `id`; *found is 0 if there is none with such items. */
static int find_list(pqx_flat_writer *w, size_t at, int16_t id, int type, pqx_flat_list *list,
                     int *found)
{
    pqx_field field;
    PQX_TRY(
        pqx_thrift_find(w->footer, w->footer_size, at, id, PQX_MAX_DEPTH, &field, found, w->error));
    if (!*found || field.type != PQX_TYPE_LIST) {
        *found = 0;
        return PQX_OK;
    }
    PQX_TRY(pqx_flat_open_list(w, field.value, list));
    *found = list->count == 0 || list->type == type;
    return PQX_OK;
}

static int put_bounding_box(pqx_flat_writer *w, size_t thrift, uint32_t *at)
{
    pqx_field fields[PQX_BOUNDING_BOX__MMAX + 1];
    uint32_t mask = 0;
    const pqx_shape *shape;
    for (int i = 0; i <= PQX_BOUNDING_BOX__MMAX; i++) {
        int found;
        PQX_TRY(pqx_thrift_find(w->footer, w->footer_size, thrift, (int16_t)(i + 1), PQX_MAX_DEPTH,
                                &fields[i], &found, w->error));
        if (found && fields[i].type == PQX_TYPE_DOUBLE) mask |= 1u << i;
    }
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_BOUNDING_BOX, mask, at, &shape));
    for (int i = 0; i <= PQX_BOUNDING_BOX__MMAX; i++)
        if (mask >> i & 1)
            memcpy(pqx_flat_at(w, *at + shape->at[i]), w->footer + fields[i].value, 8);
    return PQX_OK;
}

/* Write a vector of numbers for the offset at `field`. */
static int put_numbers(pqx_flat_writer *w, uint32_t field, const pqx_flat_list *list)
{
    uint32_t entries;
    size_t at = list->first;
    PQX_TRY(pqx_flat_vector(w, field, list->count, &entries));
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t raw;
        PQX_TRY(pqx_varint_get32(w->footer, w->footer_size, at, &raw, &at, w->error));
        pqx_store32(pqx_flat_at(w, entries + 4 * i), raw >> 1 ^ (0 - (raw & 1)));
    }
    return PQX_OK;
}

int pqx_flat_find_geospatial(pqx_flat_writer *w, size_t metadata, size_t *thrift, int *found)
{ return find_struct(w, metadata, PQX_COLUMN_META_DATA_GEOSPATIAL_STATISTICS, thrift, found); }

int pqx_flat_put_geospatial(pqx_flat_writer *w, size_t thrift, uint32_t *at)
{
    pqx_flat_list types;
    size_t box;
    int has_box, has_types;
    const pqx_shape *shape;
    PQX_TRY(find_struct(w, thrift, 1, &box, &has_box));
    PQX_TRY(find_list(w, thrift, 2, PQX_TYPE_I32, &types, &has_types));
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_GEOSPATIAL_STATISTICS,
                           (uint32_t)has_box << PQX_GEOSPATIAL_STATISTICS__BBOX
                               | (uint32_t)has_types << PQX_GEOSPATIAL_STATISTICS__GEOSPATIAL_TYPES,
                           at, &shape));
    uint32_t box_field = *at + shape->at[PQX_GEOSPATIAL_STATISTICS__BBOX],
             types_field = *at + shape->at[PQX_GEOSPATIAL_STATISTICS__GEOSPATIAL_TYPES], child;
    if (has_box) {
        PQX_TRY(put_bounding_box(w, box, &child));
        pqx_flat_link(w, box_field, child);
    }
    return has_types ? put_numbers(w, types_field, &types) : PQX_OK;
}

/* Return the union's member, by its first field; 0 if it is not one of the first two. */
static int find_member(pqx_flat_writer *w, size_t thrift, pqx_flat_union *member)
{
    pqx_field field;
    int more;
    PQX_TRY(pqx_thrift_next(w->footer, w->footer_size, thrift, 0, PQX_MAX_DEPTH, &field, &more,
                            w->error));
    int known = more && field.type == PQX_TYPE_STRUCT && (field.id == 1 || field.id == 2);
    *member = (pqx_flat_union){(uint8_t)(known ? field.id : 0), field.value};
    return PQX_OK;
}

int pqx_flat_find_crypto(pqx_flat_writer *w, size_t thrift, int16_t union_id, int16_t bytes_id,
                         pqx_flat_crypto *crypto)
{
    size_t at;
    int found;
    *crypto = (pqx_flat_crypto){0};
    PQX_TRY(find_struct(w, thrift, union_id, &at, &found));
    if (found) PQX_TRY(find_member(w, at, &crypto->member));
    return pqx_flat_find_binary(w, thrift, bytes_id, &crypto->bytes, &crypto->size);
}

static int put_optional_bytes(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size)
{ return bytes ? pqx_flat_bytes(w, field, bytes, size) : PQX_OK; }

int pqx_flat_put_algorithm(pqx_flat_writer *w, const pqx_flat_union *member, uint32_t *at)
{
    const uint8_t *prefix, *unique;
    size_t prefix_size, unique_size;
    int64_t supply = 0;
    int has_supply;
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_find_binary(w, member->thrift, 1, &prefix, &prefix_size));
    PQX_TRY(pqx_flat_find_binary(w, member->thrift, 2, &unique, &unique_size));
    PQX_TRY(pqx_flat_find_integer(w, member->thrift, 3, PQX_TYPE_TRUE, &supply, &has_supply));
    uint32_t mask = (uint32_t)(prefix != NULL) << PQX_AES_GCM__AAD_PREFIX
                    | (uint32_t)(unique != NULL) << PQX_AES_GCM__AAD_FILE_UNIQUE
                    | (uint32_t)has_supply << PQX_AES_GCM__SUPPLY_AAD_PREFIX;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_AES_GCM, mask, at, &shape));
    if (has_supply)
        pqx_flat_at(w, *at)[shape->at[PQX_AES_GCM__SUPPLY_AAD_PREFIX]] = (uint8_t)supply;
    uint32_t prefix_field = *at + shape->at[PQX_AES_GCM__AAD_PREFIX],
             unique_field = *at + shape->at[PQX_AES_GCM__AAD_FILE_UNIQUE];
    PQX_TRY(put_optional_bytes(w, prefix_field, prefix, prefix_size));
    return put_optional_bytes(w, unique_field, unique, unique_size);
}

static int put_path(pqx_flat_writer *w, uint32_t field, const pqx_flat_list *path)
{
    uint32_t entries;
    size_t at = path->first;
    PQX_TRY(pqx_flat_vector(w, field, path->count, &entries));
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t length;
        PQX_TRY(pqx_varint_get32(w->footer, w->footer_size, at, &length, &at, w->error));
        PQX_TRY(pqx_flat_string(w, entries + 4 * i, w->footer + at, length));
        at += length;
    }
    return PQX_OK;
}

int pqx_flat_put_key(pqx_flat_writer *w, const pqx_flat_union *member, uint32_t *at)
{
    enum { WITH_FOOTER_KEY = 1 };
    pqx_flat_list path;
    const uint8_t *key;
    size_t key_size;
    int has_path;
    const pqx_shape *shape;
    if (member->tag == WITH_FOOTER_KEY) return pqx_flat_table(w, PQX_FLAT_EMPTY, 0, at, NULL);
    PQX_TRY(find_list(w, member->thrift, 1, PQX_TYPE_BINARY, &path, &has_path));
    PQX_TRY(pqx_flat_find_binary(w, member->thrift, 2, &key, &key_size));
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_ENCRYPTION_WITH_COLUMN_KEY,
                           (uint32_t)has_path << PQX_ENCRYPTION_WITH_COLUMN_KEY__PATH_IN_SCHEMA
                               | (uint32_t)(key != NULL)
                                     << PQX_ENCRYPTION_WITH_COLUMN_KEY__KEY_METADATA,
                           at, &shape));
    uint32_t path_field = *at + shape->at[PQX_ENCRYPTION_WITH_COLUMN_KEY__PATH_IN_SCHEMA],
             key_field = *at + shape->at[PQX_ENCRYPTION_WITH_COLUMN_KEY__KEY_METADATA];
    if (has_path) PQX_TRY(put_path(w, path_field, &path));
    return put_optional_bytes(w, key_field, key, key_size);
}
