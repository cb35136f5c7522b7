#include "harness.h"

static int get(int bits, const void *bytes, size_t size, uint64_t *value, size_t *next,
               pqx_error *error)
{
    uint8_t *data = exact(bytes, size);
    uint32_t narrow = 0;
    int status = bits == 64 ? pqx_varint_get64(data, size, 0, value, next, error)
                            : pqx_varint_get32(data, size, 0, &narrow, next, error);
    if (bits == 32) *value = narrow;
    free(data);
    return status;
}

static void every_length_comes_back(void)
{
    for (int bit = 0; bit < 64; bit++) {
        for (uint64_t off = 0; off < 3; off++) {
            uint64_t value = ((uint64_t)1 << bit) + off - 1, decoded = 0;
            uint8_t form[10];
            size_t size = pqx_varint_put(form, value), next = 0;
            CHECK(size == pqx_varint_size(value));
            CHECK(get(64, form, size, &decoded, &next, NULL) == PQX_OK && decoded == value
                  && next == size);
            if (value <= UINT32_MAX)
                CHECK(get(32, form, size, &decoded, &next, NULL) == PQX_OK && decoded == value);
            for (size_t cut = 0; cut < size; cut++) {
                pqx_error error;
                CHECK(get(64, form, cut, &decoded, &next, &error) == PQX_TRUNCATED);
                CHECK(error.code == PQX_TRUNCATED && error.offset == 0 && error.expected == cut + 1
                      && error.found == cut);
            }
        }
    }
}

static void limits_of_32_and_64_bits_are_told_apart(void)
{
    const uint8_t run[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    const uint8_t wide32[] = {0x80, 0x80, 0x80, 0x80, 0x10};
    const uint8_t wide64[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02};
    uint64_t value;
    size_t next;
    pqx_error error;
    CHECK(get(32, run, 5, &value, &next, &error) == PQX_VARINT_TOO_LONG && error.expected == 5);
    CHECK(get(64, run, 9, &value, &next, &error) == PQX_TRUNCATED);
    CHECK(get(64, run, 10, &value, &next, &error) == PQX_VARINT_TOO_LONG && error.expected == 10);
    CHECK(get(32, wide32, 5, &value, &next, &error) == PQX_VARINT_OVERFLOW && error.expected == 32
          && error.found == 0x10);
    CHECK(get(64, wide32, 5, &value, &next, &error) == PQX_OK && value == (uint64_t)1 << 32);
    CHECK(get(64, wide64, 10, &value, &next, &error) == PQX_VARINT_OVERFLOW && error.expected == 64
          && error.found == 2);
}

static void many_values_go_there_and_back(void)
{
    uint64_t values[64], decoded[64];
    for (int i = 0; i < 64; i++) values[i] = (uint64_t)0x9e3779b97f4a7c15u * (uint64_t)i >> i;
    for (int zigzag = 0; zigzag < 2; zigzag++) {
        uint8_t out[640];
        size_t size = pqx_varint_put_many(values, 64, zigzag, out), next;
        uint8_t *data = exact(out, size);
        CHECK(pqx_varint_get_many64(data, size, 0, zigzag, decoded, 64, &next, NULL) == PQX_OK
              && next == size);
        CHECK(memcmp(values, decoded, sizeof values) == 0);
        pqx_error error;
        CHECK(pqx_varint_get_many64(data, size - 1, 0, zigzag, decoded, 64, &next, &error)
              == PQX_TRUNCATED);
        CHECK(pqx_varint_get_many64(data, size, 0, zigzag, decoded, size + 1, &next, &error)
              == PQX_COUNT_TOO_LARGE);
        CHECK(error.expected == size + 1 && error.found == size);
        free(data);
    }
}

int main(void)
{
    RUN(every_length_comes_back);
    RUN(limits_of_32_and_64_bits_are_told_apart);
    RUN(many_values_go_there_and_back);
    return 0;
}
