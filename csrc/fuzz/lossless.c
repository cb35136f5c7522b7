/* Footers to flat and back, which must give the same bytes; and any bytes, their checksums made
 * right, as a payload with its trailer to rebuild and to check. */
#include "input.h"
#include "base/wire.h"
#include "signing.h"

/* A written footer can be rebuilt. */
static void there_and_back(const uint8_t *data, size_t size, int flags)
{
    pqx_scan scan;
    pqx_extension extension;
    pqx_buffer payload = {0}, thrift = {0};
    if (pqx_scan_loosely(data, size, &scan, NULL) != PQX_OK) return;
    if (pqx_flat_write(data, size, &scan, PQX_FLAT_WRITE_VERBATIM | flags, NULL, 0, &payload, NULL)
        == PQX_OK) {
        CLAIM(pqx_flat_to_thrift(payload.data, payload.size, &thrift, NULL) == PQX_OK);
        CLAIM(pqx_flat_verify(payload.data, payload.size, NULL) == PQX_OK);
        if (!flags && pqx_extension_find(data, size, 0, PQX_MAX_DEPTH, &extension, NULL) == PQX_OK
            && extension.marker == PQX_MARKER_NONE)
            CLAIM(thrift.size == scan.end && !memcmp(thrift.data, data, thrift.size));
    }
    pqx_buffer_free(&payload);
    pqx_buffer_free(&thrift);
    pqx_scan_free(&scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t *data = exact(input, size);
    pqx_buffer thrift = {0};
    there_and_back(data, size, steering & 1 ? PQX_FLAT_WRITE_COMPACT : 0);
    size_t payload = size < 28 ? size : size - 28;
    sign_flat(data, payload);
    if (pqx_flat_to_thrift(data, payload, &thrift, NULL) == PQX_OK)
        CLAIM(thrift.size <= 64 * payload);
    (void)pqx_flat_verify(data, payload, NULL);
    pqx_buffer_free(&thrift);
    free(data);
    return 0;
}
