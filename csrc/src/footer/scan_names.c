/* Look up names in a scanned schema. */
#include "base/internal.h"

/* Dots and NULs are equivalent. */
static uint8_t plain(uint8_t byte) { return byte ? byte : '.'; }

/* Return 1 if the path of an element below the root, read from its end, is the name. */
static int reads_like(const uint8_t *data, const pqx_scan *scan, const pqx_element *e,
                      const uint8_t *name, size_t left)
{
    while (e->parent >= 0) {
        const uint8_t *own = data + e->name.offset;
        if (e->name.length > left) return 0;
        for (uint32_t i = e->name.length; i;)
            if (plain(own[--i]) != plain(name[--left])) return 0;
        if (e->parent == 0) return left == 0;
        if (left == 0 || plain(name[--left]) != '.') return 0;
        e = &scan->elements[e->parent];
    }
    return 0;
}

size_t pqx_scan_find_name(const uint8_t *data, const pqx_scan *scan, const uint8_t *name,
                          size_t size, uint32_t *ids, size_t capacity)
{
    size_t count = 0;
    for (uint32_t leaf = 0; leaf < scan->leaf_count; leaf++) {
        if (!reads_like(data, scan, &scan->elements[scan->leaves[leaf]], name, size)) continue;
        if (count < capacity) ids[count] = leaf;
        count++;
    }
    if (scan->element_count - scan->leaf_count < 2) return count;
    for (uint32_t i = 1, leaf = 0; i < scan->element_count; i++) {
        if (leaf < scan->leaf_count && scan->leaves[leaf] == i) {
            leaf++;
            continue;
        }
        if (!reads_like(data, scan, &scan->elements[i], name, size)) continue;
        if (count < capacity) ids[count] = PQX_FLAT_GROUP | (i - leaf);
        count++;
    }
    return count;
}
