/* Validate UTF-8. */
#include "base/internal.h"

int pqx_is_text(const uint8_t *at, uint32_t length)
{
    const uint8_t *end = at + length;
    while (at < end) {
        uint8_t lead = *at++, low = 0x80, high = 0xbf;
        if (lead < 0x80) continue;
        int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4 || end - at < more) return 0;
        if (lead == 0xe0) low = 0xa0;
        if (lead == 0xed) high = 0x9f;
        if (lead == 0xf0) low = 0x90;
        if (lead == 0xf4) high = 0x8f;
        for (; more; more--, at++, low = 0x80, high = 0xbf)
            if (*at < low || *at > high) return 0;
    }
    return 1;
}
