/* The modules of a modular footer: one chunk becomes Thrift, a name is found, the root is read;
 * then every single flipped bit and every cut, in buffers of exact size. */
#include "harness.h"
#include "modular/modular.h"

/* The modules of the example in docs/formats.md, section 16.7. */
static const uint8_t placement_module[] = {
    0x1c, 0x15, 0x02, 0x18, 0x02, 0x03, 0x04, 0x00, 0x1c, 0x15, 0x04, 0x18, 0x01, 0x00, 0x00, 0x1c,
    0x15, 0x00, 0x18, 0x01, 0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x02, 0x04, 0x0a, 0x00, 0x1c, 0x15,
    0x02, 0x18, 0x02, 0x04, 0x0a, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x02, 0x02, 0x03, 0x00, 0x1c, 0x15,
    0x02, 0x18, 0x01, 0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x02, 0x01, 0x01, 0x00, 0x1c, 0x15, 0x02,
    0x18, 0x01, 0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x02, 0x02, 0x03, 0x00, 0x00};
static const uint8_t names_module[] = {0x1c, 0x15, 0x04, 0x18, 0x04, 0x09, 0x00, 0xbe,
                                       0x02, 0x00, 0x13, 0x08, 0x13, 0x01, 0x1c, 0x15,
                                       0x04, 0x18, 0x02, 0x04, 0x82, 0x00, 0x32, 0x00};
static const uint8_t statistics[] = {
    0x2c, 0x15, 0x02, 0x18, 0x01, 0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x06, 0x03,
    0x20, 0x01, 0x00, 0x00, 0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x06, 0x03, 0x20,
    0x05, 0x00, 0x00, 0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x01, 0x00, 0x28, 0x01,
    0x00, 0x00, 0x1c, 0x15, 0x02, 0x18, 0x01, 0x00, 0x28, 0x01, 0x00, 0x00, 0x00};
static const uint8_t directory[] = {0x1c, 0x15, 0x04, 0x18, 0x03, 0x07, 0x99, 0x26, 0x00, 0x00};
static const uint8_t root_struct[] = {
    0x15, 0x04, 0x15, 0x02, 0x15, 0x02, 0x16, 0x06, 0x19, 0x5c, 0x15, 0x00, 0x1c, 0x16, 0xc8,
    0x02, 0x16, 0x2c, 0x00, 0x00, 0x15, 0x02, 0x1c, 0x16, 0xae, 0x01, 0x16, 0x9a, 0x01, 0x00,
    0x00, 0x15, 0x04, 0x1c, 0x16, 0x9a, 0x01, 0x16, 0x14, 0x00, 0x00, 0x15, 0x0a, 0x1c, 0x16,
    0x00, 0x16, 0x02, 0x00, 0x00, 0x15, 0x0c, 0x1c, 0x16, 0x02, 0x16, 0x30, 0x00, 0x00, 0x00};

/* Make the chunk of a placement and statistics: its length, or 0. */
static uint32_t chunk_of(const uint8_t *data, size_t size, pqx_bytes facts, pqx_buffer *out)
{
    pqx_modular_placement placement;
    pqx_modular_writing writing = {.statistics = facts};
    uint32_t length = 0;
    out->size = 0;
    if (pqx_modular_read_placement(data, size, 1, 1, &placement, NULL) != PQX_OK) return 0;
    return pqx_modular_chunks(&placement, 0, 0, 1, &writing, out, &length, NULL) == PQX_OK ? length
                                                                                           : 0;
}

static void a_chunk_becomes_thrift(void)
{
    static const uint8_t expected[] = {0x26, 0x00, 0x1c, 0x15, 0x02, 0x19, 0x25, 0x00, 0x06,
                                       0x25, 0x00, 0x16, 0x06, 0x16, 0x14, 0x16, 0x14, 0x26,
                                       0x08, 0x3c, 0x58, 0x04, 0x05, 0x00, 0x00, 0x00, 0x18,
                                       0x04, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    pqx_buffer out = {0};
    pqx_bytes facts = {statistics, sizeof statistics};
    int64_t rows;
    pqx_modular_placement placement;
    CHECK(chunk_of(placement_module, sizeof placement_module, facts, &out) == sizeof expected);
    CHECK(!memcmp(out.data, expected, sizeof expected));
    CHECK(pqx_modular_read_placement(placement_module, sizeof placement_module, 1, 1, &placement,
                                     NULL)
          == PQX_OK);
    CHECK(pqx_modular_rows(&placement, &rows, NULL) == PQX_OK && rows == 3);
    CHECK(pqx_modular_verify_struct(placement_module, sizeof placement_module, 0, NULL) == PQX_OK);
    CHECK(pqx_modular_verify_struct(statistics, sizeof statistics, 0x1c, NULL) == PQX_OK);
    pqx_buffer_free(&out);
}

static void names_statistics_and_the_root_are_found(void)
{
    pqx_modular_names names;
    pqx_modular_root root;
    uint32_t found = 9;
    uint64_t begin, end, offset;
    size_t count;
    CHECK(pqx_modular_read_names(names_module, sizeof names_module, 1, &names, NULL) == PQX_OK);
    CHECK(names.is_flat && !names.has_non_ascii_names);
    CHECK(pqx_modular_candidates(&names, (const uint8_t *)"X", 1, &found, 1, &count, NULL)
          == PQX_OK);
    CHECK(count == 1 && found == 0);
    CHECK(pqx_modular_present(&names.offsets, 1, &offset, NULL) == PQX_OK && offset == 8);
    CHECK(pqx_modular_statistics(directory, sizeof directory, 0, 1, &begin, &end, NULL) == PQX_OK);
    CHECK(begin == 25 && end == 77);
    CHECK(pqx_modular_read_root(root_struct, sizeof root_struct, &root, NULL) == PQX_OK);
    CHECK(root.version == 2 && root.columns == 1 && root.row_groups == 1 && root.rows == 3);
    CHECK(root.modules[1].is_there && root.modules[1].offset == 87);
    CHECK(!root.modules[3].is_there);
}

/* Read everything of a buffer, as each kind of module. */
static void read_all(const uint8_t *data, size_t size, pqx_buffer *out)
{
    pqx_modular_names names;
    pqx_modular_root root;
    uint64_t begin, end;
    uint32_t found[2];
    size_t count;
    (void)chunk_of(data, size, (pqx_bytes){statistics, sizeof statistics}, out);
    (void)chunk_of(placement_module, sizeof placement_module, (pqx_bytes){data, size}, out);
    if (pqx_modular_read_names(data, size, 1, &names, NULL) == PQX_OK)
        (void)pqx_modular_candidates(&names, data, size, found, 2, &count, NULL);
    (void)pqx_modular_statistics(data, size, 0, 1, &begin, &end, NULL);
    (void)pqx_modular_read_root(data, size, &root, NULL);
    (void)pqx_modular_verify_struct(data, size, 0x1c, NULL);
}

static void flipped_bits_and_cuts_are_read_within_bounds(void)
{
    static const pqx_bytes all[] = {{placement_module, sizeof placement_module},
                                    {names_module, sizeof names_module},
                                    {statistics, sizeof statistics},
                                    {directory, sizeof directory},
                                    {root_struct, sizeof root_struct}};
    pqx_buffer out = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t size = 0; size <= all[i].size; size++) {
            uint8_t *data = exact(all[i].data, size);
            read_all(data, size, &out);
            for (size_t bit = 0; size == all[i].size && bit < 8 * size; bit++) {
                data[bit / 8] ^= (uint8_t)(1 << bit % 8);
                read_all(data, size, &out);
                data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
            free(data);
        }
    pqx_buffer_free(&out);
}

static void numbers_are_packed_and_read_again(void)
{
    for (unsigned width = 0; width <= 64; width++) {
        uint64_t numbers[9], mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
        size_t size = (9 * width + 7) / 8;
        for (size_t i = 0; i < 9; i++)
            numbers[i] = UINT64_C(0x9e3779b97f4a7c15) * (i + 1) >> (i * 7 % 64) & mask;
        uint8_t *out = (uint8_t *)malloc(size + 1);
        CHECK(out && pqx_modular_pack(numbers, 9, width, out, NULL) == PQX_OK);
        uint8_t *data = exact(out, size);
        for (size_t i = 0; i < 9; i++)
            CHECK(pqx_modular_bits(data, 0, size, i, width) == numbers[i]);
        if (width && width < 64) {
            numbers[8] = mask + 1;
            CHECK(pqx_modular_pack(numbers, 9, width, out, NULL) == PQX_BAD_ARGUMENT);
        }
        free(data);
        free(out);
    }
}

int main(void)
{
    RUN(a_chunk_becomes_thrift);
    RUN(names_statistics_and_the_root_are_found);
    RUN(flipped_bits_and_cuts_are_read_within_bounds);
    RUN(numbers_are_packed_and_read_again);
    return 0;
}
