/* Write pages for the targets `delta` and `binary` to a folder: pages_seed FOLDER. */
#include "../tests/deltas.h"

enum { MOST = 600 };

static uint8_t page[MOST_DELTA_BYTES];
static uint64_t prefixes[MOST], lengths[MOST];

static void write_page(const char *folder, const char *name, size_t number, size_t size,
                       uint64_t steering)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%zu", folder, name, number);
    FILE *file = fopen(path, "wb");
    if (!file) abort();
    memcpy(page + size, &steering, sizeof steering);
    if (fwrite(page, 1, size + sizeof steering, file) != size + sizeof steering) abort();
    fclose(file);
}

static void write_deltas(const char *folder, size_t number, size_t count, uint64_t *state)
{
    uint64_t values[MOST], last = 0;
    int is_64 = number & 1;
    for (size_t i = 0; i < count; i++)
        values[i] = last += next_number(state) >> (number * 5 % 63) & (is_64 ? UINT64_MAX : 0xffff);
    size_t size = put_deltas(page, is_64, values, count, number % 3 ? 128 : 256, 4, 0);
    write_page(folder, "delta", number, size, (uint64_t)is_64 | count << 8 | (uint64_t)37 << 32);
}

/* Values of up to 20 bytes; `kind` is the number of the encoding in binary.c. */
static void write_binary(const char *folder, size_t number, size_t count, uint64_t *state)
{
    uint64_t kind = number % 4, is_fixed = kind == 2 && number & 4, size = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = i ? prefixes[i - 1] + lengths[i - 1] : 0;
        prefixes[i] = kind == 2 ? next_number(state) % (before < 5 ? before + 1 : 6) : 0;
        lengths[i] = is_fixed ? 5 - prefixes[i] : next_number(state) % 20;
        bytes += lengths[i];
    }
    if (kind == 0) {
        for (size_t i = 0; i < count; i++) {
            const uint8_t length[4] = {(uint8_t)lengths[i]};
            memcpy(page + size, length, 4);
            memset(page + size + 4, 'a', lengths[i]);
            size += 4 + lengths[i];
        }
    } else if (kind == 3) {
        const uint8_t runs[] = {3, 20, 2, 3, 0x88, 0xc6, 0xfa, 200, 1, 4};
        memcpy(page, runs, size = sizeof runs);
        count = 100;
    } else {
        if (kind == 2) size = put_deltas(page, 0, prefixes, count, 128, 4, 0);
        size += put_deltas(page + size, 0, lengths, count, 128, 4, 0);
        memset(page + size, 'a', bytes);
        size += bytes;
    }
    write_page(folder, "binary", number, size,
               kind | is_fixed | count << 8 | (uint64_t)37 << 32 | (uint64_t)100 << 48);
}

int main(int argc, char **argv)
{
    uint64_t state = 1;
    if (argc != 2) return 2;
    for (size_t number = 0; number < 40; number++) {
        size_t count = number * 37 % 300 + 1;
        write_deltas(argv[1], number, count, &state);
        write_binary(argv[1], number, count, &state);
    }
    return 0;
}
