#include <inttypes.h>
#include <stdio.h>

#include "base/internal.h"

const char *pqx_version(void) { return PQX_VERSION; }

int pqx_abi_version(void) { return PQX_ABI_VERSION; }

const char *pqx_status_message(int status)
{
    switch (status) {
        PQX_ERROR_MESSAGES
    default: return "";
    }
}

/* Append characters to a sentence that is truncated to its capacity. */
typedef struct sentence {
    char *text;
    size_t capacity, length;
} sentence;

static void add(sentence *s, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, s->length++)
        if (s->length + 1 < s->capacity) s->text[s->length] = text[i];
}

/* Append the number that a placeholder such as {found} or {expected:#010x} refers to. */
static void add_number(sentence *s, const char *placeholder, const pqx_error *error)
{
    char digits[24];
    uint64_t number = placeholder[1] == 'f' ? error->found : error->expected;
    const char *colon = strpbrk(placeholder, ":}");
    const char *format = *colon == '}'                   ? "%" PRIu64
                         : strncmp(colon, ":#x", 3) == 0 ? "0x%" PRIx64
                                                         : "0x%08" PRIx64;
    int length = snprintf(digits, sizeof digits, format, number);
    add(s, digits, length > 0 ? (size_t)length : 0);
}

size_t pqx_error_format(const pqx_error *error, char *text, size_t capacity)
{
    sentence s = {text, capacity, 0};
    const char *rest = error->code == PQX_OK ? "no error" : pqx_status_message(error->code);
    if (!*rest) rest = "unknown error";
    while (*rest) {
        size_t plain = strcspn(rest, "{");
        add(&s, rest, plain);
        rest += plain;
        if (!*rest) break;
        add_number(&s, rest, error);
        rest = strchr(rest, '}') + 1;
    }
    if (error->code != PQX_OK) {
        char offset[40];
        int length = snprintf(offset, sizeof offset, " (offset %" PRIu64 ")", error->offset);
        add(&s, offset, length > 0 ? (size_t)length : 0);
    }
    if (capacity) text[s.length < capacity ? s.length : capacity - 1] = 0;
    return s.length;
}
