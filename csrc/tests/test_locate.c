/* The block that a file is opened by: within the footer, aside from it, alone; and every flipped
 * bit of a tail. */
#include "harness.h"

#include "../src/base/base64.h"

enum { START = 1000, STRUCT = 20, LENGTH = 96, FOOTER = START + LENGTH + 28 };
static const uint8_t flat[16] = PQX_UUID_FLAT_FOOTER,
                     reference_uuid[16] = PQX_UUID_FOOTER_REFERENCE;

static void put(pqx_buffer *out, const void *bytes, size_t size)
{ CHECK(pqx_buffer_append(out, bytes, size, NULL) == PQX_OK); }
static void put32(pqx_buffer *out, uint32_t value) { put(out, &value, 4); }
static void put64(pqx_buffer *out, uint64_t value) { put(out, &value, 8); }

/* A reference to one flat footer, with a copy of its end; payload and trailer. */
static pqx_buffer sealed_reference(void)
{
    pqx_buffer out = {0};
    uint8_t trailer[28];
    put32(&out, 1);
    put32(&out, 1);
    put64(&out, START);
    put32(&out, STRUCT);
    put32(&out, 0);
    put(&out, flat, 16);
    put64(&out, START);
    put32(&out, LENGTH);
    put32(&out, 0);
    put32(&out, 10);
    put(&out, "the end of", 10);
    while ((out.size + 28) % 3) put(&out, "", 1);
    pqx_block_trailer(out.data, out.size, reference_uuid, trailer);
    put(&out, trailer, sizeof trailer);
    return out;
}

/* The file from its Thrift footer on. */
static pqx_buffer tail_with(const pqx_buffer *extension)
{
    static const uint8_t header[4] = {0x08, 0xff, 0xff, 0x01};
    pqx_buffer out = {0};
    uint8_t number[10];
    for (int i = 1; i < STRUCT; i++) put(&out, "\x15", 1);
    put(&out, header, 4);
    put(&out, number, pqx_varint_put(number, extension->size));
    put(&out, extension->data, extension->size);
    put(&out, "", 1);
    put32(&out, (uint32_t)out.size);
    put(&out, "PAR1", 4);
    return out;
}

static pqx_buffer tail_as(int is_text)
{
    pqx_buffer block = sealed_reference(), text = {0};
    CHECK(pqx_base64_append(block.data, block.size, &text, NULL) == PQX_OK);
    pqx_buffer tail = tail_with(is_text ? &text : &block);
    pqx_buffer_free(&block);
    pqx_buffer_free(&text);
    return tail;
}

static void a_block_aside_is_found(void)
{
    for (int is_text = 0; is_text < 2; is_text++) {
        pqx_location found;
        pqx_buffer tail = tail_as(is_text);
        pqx_locate(tail.data, tail.size, FOOTER + tail.size, &found);
        CHECK(found.form == PQX_FORM_FLAT && found.footer == FOOTER
              && found.thrift_length == STRUCT - 1);
        CHECK(found.payload == START && found.length == LENGTH
              && found.known_end == START + LENGTH);
        CHECK(found.known_size == 10 && memcmp(found.known, "the end of", 10) == 0);
        pqx_locate(tail.data, tail.size, FOOTER + 1 + tail.size, &found); /* the footer has moved */
        CHECK(found.form == PQX_FORM_NONE);
        pqx_buffer_free(&tail);
    }
}

static void no_flipped_bit_leads_elsewhere(void)
{
    for (int is_text = 0; is_text < 2; is_text++) {
        pqx_buffer tail = tail_as(is_text);
        for (size_t bit = 0; bit < 8 * tail.size; bit++) {
            pqx_location found;
            uint8_t *flipped = exact(tail.data, tail.size);
            flipped[bit / 8] ^= (uint8_t)(1 << bit % 8);
            pqx_locate(flipped, tail.size, FOOTER + tail.size, &found);
            if (found.form != PQX_FORM_NONE)
                CHECK(found.payload == START && found.length == LENGTH && found.footer == FOOTER);
            free(flipped);
        }
        pqx_buffer_free(&tail);
    }
}

static void any_part_of_the_tail_is_enough_or_shows_nothing(void)
{
    for (int is_text = 0; is_text < 2; is_text++) {
        pqx_buffer tail = tail_as(is_text);
        for (size_t size = 0; size <= tail.size; size++) {
            pqx_location found;
            uint8_t *part = exact(tail.data + tail.size - size, size);
            pqx_locate(part, size, FOOTER + tail.size, &found);
            CHECK(found.form == (size >= tail.size - (STRUCT - 1) ? PQX_FORM_FLAT : PQX_FORM_NONE));
            free(part);
        }
        pqx_buffer_free(&tail);
    }
}

static void a_wrong_reference_is_damage_with_its_offset(void)
{
    pqx_buffer block = sealed_reference();
    pqx_reference reference;
    pqx_error error;
    size_t size = block.size - 28;
    CHECK(pqx_reference_parse(block.data, size, FOOTER, &reference, &error) == PQX_OK
          && reference.block_count == 1);
    CHECK(pqx_reference_parse(block.data, size, FOOTER + 1, &reference, &error) == PQX_REFERENCE
          && error.offset == 48);
    for (size_t held = 0; held < 70; held++) {
        uint8_t *part = exact(block.data, held);
        CHECK(pqx_reference_parse(part, held, FOOTER, &reference, &error) == PQX_REFERENCE);
        free(part);
    }
    block.data[0] = 2;
    CHECK(pqx_reference_parse(block.data, size, FOOTER, &reference, &error) == PQX_UNKNOWN_LAYOUT
          && error.found == 2);
    pqx_buffer_free(&block);
}

int main(void)
{
    RUN(a_block_aside_is_found);
    RUN(no_flipped_bit_leads_elsewhere);
    RUN(any_part_of_the_tail_is_enough_or_shows_nothing);
    RUN(a_wrong_reference_is_damage_with_its_offset);
    return 0;
}
