/* Find the block that opens a file in the file's last bytes, from the back, without parsing Thrift.
 */
#include "base/base64.h"

#define PAR3_TRAILER_BYTES 16
#define BEHIND_STOP 8 /* the footer's length and the magic */
#define TEXT_END 40   /* characters whose 30 bytes end in a trailer */
#define MARKER_BYTES 4

typedef struct locator {
    const uint8_t *tail; /* the file's bytes [begin, size) */
    uint64_t begin, size, footer;
    pqx_location *found;
} locator;

static const uint8_t flat_uuid[16] = PQX_UUID_FLAT_FOOTER, index_uuid[16] = PQX_UUID_FOOTER_INDEX,
                     packed_uuid[16] = PQX_UUID_PACKED_FOOTER,
                     reference_uuid[16] = PQX_UUID_FOOTER_REFERENCE;

static int form_of(const uint8_t uuid[16])
{
    if (memcmp(uuid, flat_uuid, 16) == 0) return PQX_FORM_FLAT;
    if (memcmp(uuid, packed_uuid, 16) == 0) return PQX_FORM_PACKED;
    return memcmp(uuid, index_uuid, 16) == 0 ? PQX_FORM_INDEX : PQX_FORM_NONE;
}

static void set_found(locator *l, int form, uint64_t thrift_length, uint64_t payload,
                      uint32_t length)
{
    pqx_location *found = l->found;
    found->form = form;
    found->footer = l->footer;
    found->thrift_length = thrift_length;
    found->payload = payload;
    found->length = length;
    found->known = l->tail;
    found->known_size = (size_t)(l->size - l->begin);
    found->known_end = l->size;
}

/* Return 1 if a marker is at `at`, followed by a length that covers the rest of the footer except
 * its stop byte. */
static int is_extension(const locator *l, uint64_t at)
{
    static const uint8_t markers[2][MARKER_BYTES] = {{0x08, 0xff, 0xff, 0x01},
                                                     {0x08, 0xfe, 0xff, 0x03}};
    uint64_t stop = l->size - BEHIND_STOP - 1;
    if (at < l->begin || at >= stop || stop - at <= MARKER_BYTES) return 0;
    const uint8_t *marker = l->tail + (at - l->begin);
    if (memcmp(marker, markers[0], MARKER_BYTES) != 0
        && memcmp(marker, markers[1], MARKER_BYTES) != 0)
        return 0;
    uint32_t length;
    size_t left = (size_t)(stop - at), next;
    return pqx_varint_get32(marker, left, MARKER_BYTES, &length, &next, NULL) == PQX_OK
           && length == left - next;
}

/* Follow a reference whose trailer was found to the last block aside that is one of our forms. In
 * text form, the reference directly follows the struct and has replaced its stop byte; above other
 * software's bytes it may follow the stop byte. */
static void go_by_reference(locator *l, const uint8_t *payload, size_t length, uint32_t crc,
                            int is_text)
{
    pqx_reference reference;
    pqx_aside_block block;
    if (pqx_crc32(0, payload, length) != crc
        || pqx_reference_parse(payload, length, l->footer, &reference, NULL) != PQX_OK)
        return;
    uint64_t marker = l->footer + reference.struct_length - 1;
    if (marker < l->begin || marker >= l->size) return;
    if (!is_extension(l, marker)
        && (is_text || l->tail[marker - l->begin] != 0 || !is_extension(l, marker + 1)))
        return;
    for (uint32_t i = reference.block_count; i-- > 0;) {
        pqx_reference_get_block(&reference, i, &block);
        int form = form_of(block.uuid);
        if (form == PQX_FORM_NONE) continue;
        set_found(l, form, reference.struct_length - 1, block.payload, block.length);
        if (l->begin > block.payload && i + 1 == reference.block_count
            && reference.tail_block.size) {
            l->found->known = reference.tail_block.data;
            l->found->known_size = reference.tail_block.size;
            l->found->known_end = block.payload + block.length;
        }
        return;
    }
}

/* Follow a text reference that ends before `end`. */
static void go_by_text(locator *l, uint64_t end)
{
    uint8_t last[TEXT_END / 4 * 3], *bytes = l->found->reference;
    pqx_block trailer;
    if (end < l->begin || end - l->begin < TEXT_END || end - l->footer < TEXT_END) return;
    const uint8_t *text_end = l->tail + (end - l->begin);
    if (pqx_base64_decode(text_end - TEXT_END, TEXT_END, last) != SIZE_MAX) return;
    if (!pqx_block_read_trailer(last, sizeof last, &trailer)
        || memcmp(trailer.uuid, reference_uuid, 16) != 0)
        return;
    uint64_t size = trailer.length + PQX_BLOCK_TRAILER_BYTES, text = size / 3 * 4;
    if (size % 3 || size > sizeof l->found->reference || text > end - l->footer
        || text > end - l->begin)
        return;
    if (pqx_base64_decode(text_end - text, (size_t)text, bytes) == SIZE_MAX)
        go_by_reference(l, bytes, (size_t)trailer.length, trailer.crc, 1);
}

/* Skip other software's blocks by their trailers until one of ours. */
static void step_back(locator *l)
{
    pqx_block trailer;
    uint64_t end = l->size - BEHIND_STOP - 1;
    while (end > l->footer && end - l->footer > PQX_BLOCK_TRAILER_BYTES && end >= l->begin
           && end - l->begin >= PQX_BLOCK_TRAILER_BYTES) {
        if (!pqx_block_read_trailer(l->tail, (size_t)(end - l->begin), &trailer)
            || trailer.length >= end - PQX_BLOCK_TRAILER_BYTES - l->footer) {
            go_by_text(l, end);
            return;
        }
        uint64_t payload = end - PQX_BLOCK_TRAILER_BYTES - trailer.length;
        int form = form_of(trailer.uuid);
        if (form != PQX_FORM_NONE) {
            set_found(l, form, payload - l->footer, payload, (uint32_t)trailer.length);
            return;
        }
        if (memcmp(trailer.uuid, reference_uuid, 16) == 0) {
            if (payload >= l->begin)
                go_by_reference(l, l->tail + (payload - l->begin), (size_t)trailer.length,
                                trailer.crc, 0);
            return;
        }
        end = payload;
    }
}

static void find_alone(locator *l, size_t tail_size)
{
    if (tail_size < PAR3_TRAILER_BYTES || l->size < PAR3_TRAILER_BYTES + 4) return;
    const uint8_t *trailer = l->tail + tail_size - PAR3_TRAILER_BYTES;
    uint32_t length = pqx_load32(trailer + 4);
    if (pqx_crc32(0, trailer + 4, 4) != pqx_load32(trailer + 8)
        || length > l->size - PAR3_TRAILER_BYTES - 4)
        return;
    l->footer = l->size - PAR3_TRAILER_BYTES - length;
    set_found(l, PQX_FORM_PAR3, 0, l->footer, length);
}

void pqx_locate(const uint8_t *tail, size_t tail_size, uint64_t file_size, pqx_location *found)
{
    found->form = PQX_FORM_NONE;
    if (tail_size < BEHIND_STOP + 1 || tail_size > file_size) return;
    locator l = {.tail = tail, .begin = file_size - tail_size, .size = file_size, .found = found};
    const uint8_t *end = tail + tail_size;
    if (memcmp(end - 4, "PAR3", 4) == 0) {
        find_alone(&l, tail_size);
        return;
    }
    uint32_t length = pqx_load32(end - 8);
    if (memcmp(end - 4, "PAR1", 4) != 0 || length < 1 || length > file_size - BEHIND_STOP
        || end[-9] != 0)
        return;
    l.footer = file_size - BEHIND_STOP - length;
    step_back(&l);
}
