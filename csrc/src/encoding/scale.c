#include "encoding/scale.h"

#include "encoding/loops.h"

void pqx_scale32_portable(const uint32_t *deltas, size_t count, uint32_t frame, float up,
                          float down, void *out)
{
    uint8_t *to = (uint8_t *)out;
    for (size_t i = 0; i < count; i++) {
        float value = (float)(int32_t)(deltas[i] + frame);
        value *= up;
        value *= down;
        memcpy(to + 4 * i, &value, 4);
    }
}

void pqx_scale64_portable(const uint64_t *deltas, size_t count, uint64_t frame, double up,
                          double down, void *out)
{
    uint8_t *to = (uint8_t *)out;
    for (size_t i = 0; i < count; i++) {
        double value = (double)(int64_t)(deltas[i] + frame);
        value *= up;
        value *= down;
        memcpy(to + 8 * i, &value, 8);
    }
}

void pqx_scale32(const uint32_t *deltas, size_t count, uint32_t frame, float up, float down,
                 void *out)
{ pqx_best_loops()->scale32(deltas, count, frame, up, down, out); }

void pqx_scale64(const uint64_t *deltas, size_t count, uint64_t frame, double up, double down,
                 void *out)
{ pqx_best_loops()->scale64(deltas, count, frame, up, down, out); }
