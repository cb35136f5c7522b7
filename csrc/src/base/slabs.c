/* A slab is a mapping that is divided into pieces of one size. The free pieces and their size are
 * stored in one word, so that they are always read together: a freed slab may already have been
 * reused with another size. */
#include "base/slabs.h"

#include "base/atomics.h"
#include "base/mappings.h"

enum { SLABS = 256, CLASS_SHIFT = 52, LINE = 64 };

/* Pieces per slab, at most CLASS_SHIFT. Slabs of large pieces have two huge pages. */
static const uint8_t counts[] = {51, 40, 32, 26, 20, 16, 13, 10, 8, 7, 6, 5, 8, 7, 6, 5, 4};
enum { CLASSES = sizeof counts, FIRST_LARGE = 12 };

typedef struct slab {
    PQX_ATOMIC(uint64_t) word; /* a bit for each free piece; from CLASS_SHIFT on the class plus 1 */
    uint8_t *start;            /* valid while at least one piece is in use */
    size_t mapped;
} slab;

static slab slabs[SLABS];
enum { NO_SLAB = 0 };
static const uint64_t changing = (uint64_t)1 << 63;

static size_t bytes_of(unsigned size_class)
{ return size_class < FIRST_LARGE ? PQX_HUGE_PAGE : 2 * PQX_HUGE_PAGE; }

static size_t piece_of(unsigned size_class)
{ return bytes_of(size_class) / counts[size_class] & ~(size_t)(LINE - 1); }

static uint64_t pieces_of(unsigned size_class) { return ((uint64_t)1 << counts[size_class]) - 1; }

/* Return the word of a slab with these free pieces. */
static uint64_t word_of(unsigned size_class, uint64_t pieces)
{ return (uint64_t)(size_class + 1) << CLASS_SHIFT | pieces; }

static unsigned lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned bit = 0;
    while (!(bits >> bit & 1)) bit++;
    return bit;
#endif
}

/* Take a free piece of a slab of this class. */
static void *take(slab *from, unsigned size_class, pqx_piece *piece)
{
    uint64_t word = atomic_load(&from->word);
    while (word >> CLASS_SHIFT == size_class + 1 && word & pieces_of(size_class)) {
        unsigned number = lowest(word);
        if (!atomic_compare_exchange_weak(&from->word, &word, word & ~((uint64_t)1 << number)))
            continue;
        *piece = (pqx_piece){(uint16_t)(from - slabs), (uint16_t)number};
        return from->start + number * piece_of(size_class);
    }
    return NULL;
}

/* Take the first piece of a new slab. */
static void *take_of_new(unsigned size_class, pqx_piece *piece)
{
    for (slab *made = slabs; made < slabs + SLABS; made++) {
        uint64_t word = NO_SLAB;
        if (!atomic_compare_exchange_strong(&made->word, &word, changing)) continue;
        made->start = (uint8_t *)pqx_map(bytes_of(size_class), &made->mapped);
        atomic_store(&made->word,
                     made->start ? word_of(size_class, pieces_of(size_class) - 1) : NO_SLAB);
        *piece = (pqx_piece){(uint16_t)(made - slabs), 0};
        return made->start;
    }
    return NULL;
}

void *pqx_take_piece(size_t size, pqx_piece *piece, size_t *room)
{
    unsigned size_class = 0;
    while (size_class < CLASSES && piece_of(size_class) < size) size_class++;
    if (size_class == CLASSES) return NULL;
    *room = piece_of(size_class);
    for (slab *each = slabs; each < slabs + SLABS; each++) {
        void *found = take(each, size_class, piece);
        if (found) return found;
    }
    return take_of_new(size_class, piece);
}

void pqx_give_piece(pqx_piece piece)
{
    slab *of = slabs + piece.slab;
    uint64_t bit = (uint64_t)1 << piece.number;
    uint64_t word = atomic_fetch_or(&of->word, bit) | bit;
    unsigned size_class = (unsigned)(word >> CLASS_SHIFT) - 1;
    if (word != word_of(size_class, pieces_of(size_class))) return;
    if (!atomic_compare_exchange_strong(&of->word, &word, changing)) return;
    pqx_unmap(of->start, of->mapped);
    atomic_store(&of->word, NO_SLAB);
}
