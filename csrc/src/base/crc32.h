/* The CRC-32 routines of one CPU, for the selection in crc32.c. */
#ifndef PQX_CRC32_H
#define PQX_CRC32_H

#include "base/internal.h"

typedef uint32_t (*pqx_crc32_function)(uint32_t crc, const uint8_t *data, size_t size);
typedef struct pqx_crc32_choice {
    const char *name;
    pqx_crc32_function run;
} pqx_crc32_choice;

/* Return the routines that this CPU can run, best first, the portable one last, then a NULL name;
 * static. Querying the CPU is slow. */
const pqx_crc32_choice *pqx_crc32_cpu_choices(void);

/* The portable routine. The others use it for the shortest inputs. */
uint32_t pqx_crc32_slice16(uint32_t crc, const uint8_t *data, size_t size);

#endif
