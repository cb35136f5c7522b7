/* Structs of one kind, divided into templates and values while a packed footer is written. */
#ifndef PQX_PACKED_STRUCTS_H
#define PQX_PACKED_STRUCTS_H

#include "packed/book.h"
#include "packed/numbers.h"

enum {
    PQX_MOST_TEMPLATES = 64,
    PQX_MOST_STEPS = 255,
    PQX_VERBATIM_CODE = 1,
    PQX_NO_TEMPLATE = 255
};

/* A step whose role is the code of a path of fields. */
typedef struct pqx_coded_step {
    uint8_t kind, size;     /* of an integer: its Thrift type */
    uint32_t begin, length; /* LITERAL, COLUMNS: bytes of the footer */
    uint64_t code;
} pqx_coded_step;

/* Facts about the structs that are divided. */
typedef struct pqx_packed_struct_facts {
    const uint8_t *path_list; /* of the leaf */
    size_t path_list_size;
    int physical_type;                   /* of the leaf; -1: none */
    uint32_t columns_begin, columns_end; /* of a row group's chunks */
} pqx_packed_struct_facts;

/* Divide the struct at data[begin], which has been scanned, into steps and values: integers, and
 * begin << 32 | end of texts. `steps` has room for PQX_MOST_STEPS; *count may be larger: then the
 * struct has too many steps. */
int pqx_packed_parse(const uint8_t *data, size_t size, uint32_t begin,
                     const pqx_packed_struct_facts *facts, pqx_coded_step *steps, uint32_t *count,
                     int64_t *values, pqx_error *error);
/* Divide the struct at [begin, end) like pqx_packed_parse if it is of a template with a PATH;
 * return 0 if it is of another one. */
int pqx_packed_follow(const uint8_t *data, uint32_t begin, uint32_t end,
                      const pqx_packed_struct_facts *facts, const pqx_coded_step *steps,
                      uint32_t count, int64_t *values);
/* Return the code of a path of field ids and positions in lists; 0 for one that has none. */
uint64_t pqx_packed_code(const int32_t *steps, int count);

typedef struct pqx_coded_template {
    uint64_t hash;
    size_t key, key_size;       /* in `keys` */
    uint32_t first_step, count; /* in `steps` */
    uint32_t values;            /* number of roles */
    int physical_type;          /* of the leaf that it was made for */
    uint8_t has_path;
    pqx_role_set roles; /* numbers of its roles */
} pqx_coded_template;

typedef struct pqx_coded_role {
    uint64_t code;
    uint8_t area;
} pqx_coded_role;

typedef struct pqx_packed_structs {
    const uint8_t *data;
    size_t size;
    int kind; /* PQX_BOOK_ */
    pqx_buffer keys, steps, values, templates_of, firsts;
    uint32_t count, template_count, role_count;
    pqx_coded_template templates[PQX_MOST_TEMPLATES + 1];
    pqx_coded_role coded[PQX_MOST_ROLES];
    /* after pqx_packed_structs_number */
    pqx_packed_role roles[PQX_MOST_ROLES];
    pqx_packed_chain chains[4];
    uint32_t chain_count;
} pqx_packed_structs;

/* `likely` is the template to try first, or PQX_NO_TEMPLATE; it becomes the struct's. */
int pqx_packed_structs_add(pqx_packed_structs *structs, uint32_t begin, uint32_t end,
                           const pqx_packed_struct_facts *facts, uint8_t *likely, pqx_error *error);
/* Number the roles, after the last struct has been added. */
void pqx_packed_structs_number(pqx_packed_structs *structs);
int pqx_packed_structs_write_book(const pqx_packed_structs *structs, pqx_buffer *out,
                                  pqx_error *error);
void pqx_packed_structs_free(pqx_packed_structs *structs);

/* roles.c: the roles that parquet.thrift has. */
/* Sort roles into the order in which they are decoded, and predict those that are known. */
void pqx_packed_predict(pqx_packed_structs *structs);

static inline const pqx_coded_step *pqx_packed_steps_of(const pqx_packed_structs *structs,
                                                        unsigned used)
{
    return (const pqx_coded_step *)(const void *)structs->steps.data
           + structs->templates[used].first_step;
}

#endif
