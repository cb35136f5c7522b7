/* A small Thrift footer, byte by byte: one int64 column "a", one row group of three rows. */
#ifndef PQX_TEST_FOOTER_H
#define PQX_TEST_FOOTER_H

#include <stdint.h>

static const uint8_t small_footer[] = {
    0x15, 0x02, /* version 1 */
    0x19, 0x2c, /* schema: two elements */
    0x48, 0x06, 's',  'c',  'h',  'e',  'm',  'a',  0x15, 0x02,
    0x00,                                           /* the root: name, num_children 1 */
    0x15, 0x04, 0x25, 0x00, 0x18, 0x01, 'a',  0x00, /* INT64, REQUIRED, "a" */
    0x16, 0x06,                                     /* num_rows 3 */
    0x19, 0x1c,                                     /* row groups: one */
    0x19, 0x1c,                                     /* its columns: one */
    0x26, 0x08, 0x1c,                               /* file_offset 4, meta_data */
    0x15, 0x04, 0x19, 0x15, 0x00, 0x19, 0x18, 0x01, 'a',  0x15,
    0x00,                                           /* INT64, [PLAIN], ["a"], UNCOMPRESSED */
    0x16, 0x06, 0x16, 0x60, 0x16, 0x60, 0x26, 0x08, /* 3 values, 48 bytes, 48 bytes, page at 4 */
    0x3c, 0x36, 0x00,                               /* statistics: no nulls */
    0x28, 0x08, 9,    0,    0,    0,    0,    0,    0,    0, /* max_value 9 */
    0x18, 0x08, 7,    0,    0,    0,    0,    0,    0,    0,
    0x00,                         /* min_value 7 */
    0x00, 0x00,                   /* ends of meta_data and column chunk */
    0x16, 0x60, 0x16, 0x06, 0x00, /* total_byte_size 48, num_rows 3 */
    0x39, 0x1c, 0x1c, 0x00, 0x00, /* column_orders: [TypeDefinedOrder] */
    0x00,
};

#endif
