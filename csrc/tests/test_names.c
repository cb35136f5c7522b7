/* The table of names under a random key: SipHash-2-4 by its authors' vectors, and order within a
 * hash. */
#include "harness.h"

#include "../src/footer/name_table.c"

/* Key 00 01 … 0f; of the bytes 00 01 … the hashes of 1, 8 and 15 (the paper's example). */
static void the_hash_is_siphash(void)
{
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    uint8_t bytes[14];
    for (uint8_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i + 1);
    CHECK(sip_hash(key, 0, (pqx_bytes){bytes, 0}) == 0x74f839c593dc67fdu);
    CHECK(sip_hash(key, 0, (pqx_bytes){bytes, 7}) == 0x93f5f5799a932462u);
    CHECK(sip_hash(key, 0, (pqx_bytes){bytes, 14}) == 0xa129ca6149be45e5u);
}

static void a_table_gives_ids_in_the_order_of_their_coming(void)
{
    pqx_name_table names = {0};
    const pqx_bytes one = {(const uint8_t *)"a\0b", 3}, same = {(const uint8_t *)"a.b", 3},
                    other = {(const uint8_t *)"ab", 2};
    const int32_t field_id = 7;
    CHECK(pqx_name_table_begin(&names, NULL) == PQX_OK);
    for (uint32_t id = 0; id < 1000; id++)
        CHECK(pqx_name_table_add(&names, id % 3 ? one : other, id % 2 ? &field_id : NULL, id, NULL)
              == PQX_OK);
    CHECK(pqx_name_table_end(&names, NULL) == PQX_OK && names.is_read);
    uint32_t at = 0, id = 0, found = 0, last = 0;
    while (pqx_name_table_next(&names, pqx_name_table_hash_path(&names, same), &at, &id)) {
        CHECK(id % 3 && (!found || id > last));
        last = id;
        found++;
    }
    CHECK(found == 666);
    at = found = 0;
    while (pqx_name_table_next(&names, pqx_name_table_hash_field_id(&names, field_id), &at, &id))
        found += id % 2;
    CHECK(found == 500);
    at = 0;
    CHECK(!pqx_name_table_next(&names, pqx_name_table_hash_field_id(&names, 8), &at, &id));
    pqx_name_table_free(&names);
    CHECK(!names.is_read);
}

static void an_empty_table_has_nothing(void)
{
    pqx_name_table names = {0};
    uint32_t at = 0, id;
    CHECK(pqx_name_table_begin(&names, NULL) == PQX_OK
          && pqx_name_table_end(&names, NULL) == PQX_OK);
    CHECK(!pqx_name_table_next(&names, 0, &at, &id));
    pqx_name_table_free(&names);
}

int main(void)
{
    RUN(the_hash_is_siphash);
    RUN(a_table_gives_ids_in_the_order_of_their_coming);
    RUN(an_empty_table_has_nothing);
    return 0;
}
