/* The wide registers that an x86-64 system saves. */
#ifndef PQX_CPU_X86_H
#define PQX_CPU_X86_H

#include <cpuid.h>
#include <stdint.h>

#define PQX_YMM_STATE 0x06u
#define PQX_ZMM_STATE 0xe6u

/* Return the register states that the system saves when it switches threads (XCR0). */
static inline uint32_t pqx_kept_by_system(uint32_t leaf1_ecx)
{
    if (!(leaf1_ecx & bit_OSXSAVE) || !(leaf1_ecx & bit_AVX)) return 0;
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

#endif
