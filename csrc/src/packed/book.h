/* Books of a packed footer: the templates of one kind of struct, and how the values of their roles
 * are predicted (docs/formats.md, 15.2). */
#ifndef PQX_PACKED_BOOK_H
#define PQX_PACKED_BOOK_H

#include "packed/content.h"

enum { PQX_BOOK_CHUNKS, PQX_BOOK_ROW_GROUPS, PQX_BOOK_ELEMENTS, PQX_BOOKS };
enum { PQX_MOST_ROLES = 255 };

static inline int pqx_step_has_role(int kind)
{ return kind == PQX_STEP_INTEGER || kind >= PQX_STEP_TEXT; }
static inline int pqx_step_is_fixed(int kind) { return kind >= PQX_STEP_LITTLE; }
static inline int pqx_step_area(int kind)
{
    if (pqx_step_is_fixed(kind)) return PQX_ROLE_BOUND;
    return kind == PQX_STEP_INTEGER ? PQX_ROLE_PLACED : PQX_ROLE_WORDS;
}

/* A step in which a template writes bytes. */
typedef struct pqx_packed_step {
    uint8_t kind, role, size;
    uint32_t length;
    const uint8_t *literal; /* LITERAL, COLUMNS: `length` bytes */
} pqx_packed_step;

typedef struct pqx_packed_role {
    uint8_t area, predictor, first, second;
} pqx_packed_role;

typedef struct pqx_packed_chain {
    uint8_t length, first, second;
} pqx_packed_chain;

/* The roles that a template has, or that are needed. */
typedef struct pqx_role_set {
    uint64_t words[4];
} pqx_role_set;

static inline int pqx_has_role(const pqx_role_set *set, unsigned role)
{ return (int)(set->words[role >> 6] >> (role & 63) & 1); }
static inline void pqx_add_role(pqx_role_set *set, unsigned role)
{ set->words[role >> 6] |= UINT64_C(1) << (role & 63); }
static inline void pqx_add_roles(pqx_role_set *set, const pqx_role_set *more)
{
    for (int i = 0; i < 4; i++) set->words[i] |= more->words[i];
}

/* Remove the lowest role of a set; return 0 if it is empty. */
static inline int pqx_take_role(pqx_role_set *set, unsigned *role)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t bits = set->words[i];
        if (!bits) continue;
        set->words[i] = bits & (bits - 1);
        *role = i << 6 | (unsigned)__builtin_ctzll(bits);
        return 1;
    }
    return 0;
}

/* Return the roles that are in both sets. */
static inline pqx_role_set pqx_both_roles(const pqx_role_set *one, const pqx_role_set *other)
{
    pqx_role_set both;
    for (int i = 0; i < 4; i++) both.words[i] = one->words[i] & other->words[i];
    return both;
}

/* Return the roles of a set that are not in another one. */
static inline pqx_role_set pqx_without_roles(const pqx_role_set *set, const pqx_role_set *other)
{
    pqx_role_set left;
    for (int i = 0; i < 4; i++) left.words[i] = set->words[i] & ~other->words[i];
    return left;
}

static inline int pqx_has_roles(const pqx_role_set *set)
{ return (set->words[0] | set->words[1] | set->words[2] | set->words[3]) != 0; }

/* Return 1 if a role is in both sets. */
static inline int pqx_shares_roles(const pqx_role_set *one, const pqx_role_set *other)
{
    pqx_role_set both = pqx_both_roles(one, other);
    return pqx_has_roles(&both);
}

typedef struct pqx_packed_template {
    const pqx_packed_step *steps;
    uint32_t count;
    pqx_role_set roles;
    size_t most; /* bytes that its steps write, without paths and texts */
    int has_raw; /* a text of it may be any part of the struct */
} pqx_packed_template;
enum { PQX_MOST_VARINT = 10 };

typedef struct pqx_packed_book {
    uint8_t role_count, chain_count, template_count;
    pqx_packed_template *templates; /* in one block of memory, with the following */
    pqx_packed_step *steps;         /* of all templates */
    pqx_packed_role *roles;
    pqx_packed_chain *chains;
    pqx_role_set of_area[3];
} pqx_packed_book;

/* Read a book; literals point into the content. Free it with pqx_packed_book_free. */
int pqx_packed_book_read(pqx_content *content, pqx_packed_book *book);
void pqx_packed_book_free(pqx_packed_book *book);

#endif
