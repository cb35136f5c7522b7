#include "page/codec.h"

#include "page/lz4_block.h"
#include "page/snappy.h"
#include "page/zstd.h"
#include "parquetext_internal.h"

enum {
    SNAPPY_FACTOR = 22,    /* a copy of 3 bytes produces 64 */
    LIKELY_FACTOR = 64,    /* the likely factor of the other codecs, whose limits are far higher, */
    LIKELY_BYTES = 1 << 20 /* applied above this size */
};

int pqx_codec_is_known(int codec)
{
    if (codec == PQX_CODEC_ZSTD) return pqx_zstd_is_there();
    return codec == PQX_CODEC_UNCOMPRESSED || codec == PQX_CODEC_SNAPPY
           || codec == PQX_CODEC_LZ4_RAW;
}

int pqx_codec_believes(int codec, size_t size, size_t out_size)
{
    if (codec == PQX_CODEC_SNAPPY) return out_size / SNAPPY_FACTOR <= size;
    return out_size <= LIKELY_BYTES || out_size / LIKELY_FACTOR <= size;
}

int pqx_decompress(int codec, const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                   void **zstd)
{
    switch (codec) {
    case PQX_CODEC_SNAPPY: return pqx_snappy(data, size, out, out_size);
    case PQX_CODEC_LZ4_RAW: return pqx_lz4_block(data, size, out, out_size);
    case PQX_CODEC_ZSTD: return pqx_zstd(zstd, data, size, out, out_size);
    default: return 0;
    }
}

int pqx_decompress_begin(int codec, pqx_lz *lz, void **zstd)
{
    switch (codec) {
    case PQX_CODEC_SNAPPY: return pqx_snappy_begin(lz);
    case PQX_CODEC_LZ4_RAW: return lz->out < lz->out_end;
    case PQX_CODEC_ZSTD: return pqx_zstd_begin(zstd, lz);
    default: return 0;
    }
}

int pqx_decompress_until(int codec, pqx_lz *lz, const uint8_t *stop, void *zstd)
{
    switch (codec) {
    case PQX_CODEC_SNAPPY: return pqx_snappy_until(lz, stop);
    case PQX_CODEC_LZ4_RAW: return pqx_lz4_until(lz, stop);
    case PQX_CODEC_ZSTD: return pqx_zstd_until(zstd, lz, stop);
    default: return 0;
    }
}
