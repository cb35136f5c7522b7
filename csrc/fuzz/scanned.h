/* Inputs of the other targets, from which programs make seeds. */
#ifndef PQX_FUZZ_SCANNED_H
#define PQX_FUZZ_SCANNED_H

#include "input.h"

/* Makes a seed of an input that is a footer; `number` counts the seeds. Returns 1 if there is one.
 */
typedef int (*make_seed)(const uint8_t *data, size_t size, const pqx_scan *scan, int number,
                         pqx_buffer *seed);

static inline void write_seed(const char *folder, int number, const pqx_buffer *seed,
                              const uint8_t steering[8])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%04d", folder, number);
    FILE *file = fopen(path, "wb");
    CLAIM(file);
    CLAIM(fwrite(seed->data, 1, seed->size, file) == seed->size);
    CLAIM(fwrite(steering, 1, 8, file) == 8 && fclose(file) == 0);
}

/* Write seeds to the folder arguments[1], from the files in arguments[2] and later. Return 0 if any
 * seed was made. */
static inline int make_seeds(int count, char **arguments, make_seed make, const uint8_t steering[8])
{
    static uint8_t data[1 << 20];
    int made = 0;
    for (int i = 2; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        CLAIM(file);
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        pqx_scan scan;
        pqx_buffer seed = {0};
        if (size < 8 || pqx_scan_footer(data, size - 8, &scan, NULL) != PQX_OK) continue;
        if (make(data, size - 8, &scan, made, &seed))
            write_seed(arguments[1], made++, &seed, steering);
        pqx_buffer_free(&seed);
        pqx_scan_free(&scan);
    }
    printf("%d seeds\n", made);
    return made ? 0 : 1;
}

#endif
