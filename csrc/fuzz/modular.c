/* Read modules of a modular footer, the statistics of a column, and a root. Thrift structs made
 * from them must be whole. The steering bytes choose the kind, the counts, and the bytes of
 * statistics. */
#include "input.h"
#include "modular/modular.h"

enum { PLACEMENT, NAMES, ROOT, STATISTICS };
enum { MOST_GROUPS = 200 };

static void read_chunks(const pqx_modular_placement *placement, pqx_bytes statistics, int options)
{
    static const uint8_t path[] = {0x18, 1, 'x'};
    pqx_modular_writing writing = {
        .statistics = statistics, .deprecated = options & 1, .in_row_groups = options >> 1 & 1};
    if (options & 4) writing.path = (pqx_bytes){path, sizeof path};
    for (uint32_t leaf = 0; leaf <= placement->leaves && leaf < 4; leaf++) {
        pqx_buffer out = {0};
        uint32_t lengths[MOST_GROUPS] = {0}, groups = placement->row_groups;
        size_t at = 0;
        if (pqx_modular_chunks(placement, leaf, 0, groups, &writing, &out, lengths, NULL) == PQX_OK)
            for (uint32_t i = 0; i < groups; i++) {
                size_t end = 0;
                CLAIM(pqx_thrift_skip(out.data, out.size, at, PQX_TYPE_STRUCT, &end, NULL)
                      == PQX_OK);
                CLAIM(end - at == lengths[i]);
                at = end;
            }
        pqx_buffer_free(&out);
    }
}

static void read_placement(const uint8_t *data, size_t size, pqx_bytes statistics, uint64_t s)
{
    pqx_modular_placement placement;
    uint32_t leaves = s >> 8 & 7, groups = (uint32_t)(s >> 16 & 0xffff) % MOST_GROUPS;
    int64_t numbers[MOST_GROUPS];
    (void)pqx_modular_verify_struct(data, size, 0, NULL);
    if (pqx_modular_read_placement(data, size, leaves, groups, &placement, NULL) != PQX_OK) return;
    (void)pqx_modular_rows(&placement, numbers, NULL);
    (void)pqx_modular_row_group_bytes(&placement, numbers, NULL);
    read_chunks(&placement, (pqx_bytes){NULL, 0}, (int)(s >> 11 & 7));
    read_chunks(&placement, statistics, (int)(s >> 11 & 7));
}

static void read_names(const uint8_t *data, size_t size, uint64_t s)
{
    pqx_modular_names names;
    uint32_t found[4];
    size_t count;
    uint64_t number;
    (void)pqx_modular_verify_struct(data, size, 0, NULL);
    if (pqx_modular_read_names(data, size, s >> 8 & 0xff, &names, NULL) != PQX_OK) return;
    for (size_t i = 0; i < 8; i++)
        if (pqx_modular_candidates(&names, data, i < size ? i : size, found, 4, &count, NULL)
            == PQX_OK)
            for (size_t j = 0; j < count && j < 4; j++) CLAIM(found[j] < names.leaves);
    for (uint64_t i = 0; i < names.offsets.count && i < 50; i++) {
        (void)pqx_modular_present(&names.offsets, i, &number, NULL);
        if (names.has_parents) (void)pqx_modular_present(&names.parents, i, &number, NULL);
    }
    for (uint64_t i = 0; i < names.leaves && names.has_leaf_elements; i++)
        (void)pqx_modular_present(&names.leaf_elements, i, &number, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t s = take_steering(input, &size), begin, end;
    size_t behind = (size_t)(s >> 32 & 0xffff);
    if (behind > size) behind = size;
    uint8_t *data = exact(input, size - behind), *rest = exact(input + size - behind, behind);
    pqx_modular_root root;
    size -= behind;
    switch (s & 3) {
    case PLACEMENT: read_placement(data, size, (pqx_bytes){rest, behind}, s); break;
    case NAMES: read_names(data, size, s); break;
    case ROOT: (void)pqx_modular_read_root(data, size, &root, NULL); break;
    case STATISTICS:
        if (pqx_modular_statistics(data, size, s >> 8 & 0xff, (uint32_t)(s >> 16 & 0xff), &begin,
                                   &end, NULL)
            == PQX_OK)
            CLAIM(begin <= end);
        (void)pqx_modular_verify_struct(data, size, (uint32_t)(s >> 24 & 0xff), NULL);
    }
    free(data);
    free(rest);
    return 0;
}
