/* blocks.c - see blocks.h.
 *
 * A heap-shaped tree: place 1 is the whole, place p has the halves 2p and 2p + 1. A free block is
 * noted, as a bit at its place, only if it is no part of a larger free block. Blocks of equal size
 * are a row of bits in the order of their ranks. */
#include "scheduler/planner/blocks.h"

#include <assert.h>
#include <string.h>

#define WORD_BITS 64

static int place_of(const struct blocks *self, int rank, int gpus)
{
    return (self->width + rank) >> __builtin_ctz((unsigned)gpus);
}

/* The exponent of the size of a block. */
static int class_at(const struct blocks *self, int place)
{
    return __builtin_clz((unsigned)place) - __builtin_clz((unsigned)self->width);
}

static int width_at(const struct blocks *self, int place)
{
    return 1 << class_at(self, place);
}

static int rank_at(const struct blocks *self, int place)
{
    return (place << class_at(self, place)) - self->width;
}

static uint64_t bit_of(int at)
{
    return UINT64_C(1) << (at % WORD_BITS);
}

static bool is_noted(const struct blocks *self, int place)
{
    return (self->free[place / WORD_BITS] & bit_of(place)) != 0;
}

static void note(struct blocks *self, int place)
{
    const int word = place / WORD_BITS;
    const int class = class_at(self, place);

    self->free[word] |= bit_of(place);
    self->filled[word / WORD_BITS] |= bit_of(word);
    self->counts[class]++;
    self->sizes |= UINT32_C(1) << class;
}

static void strike(struct blocks *self, int place)
{
    const int word = place / WORD_BITS;
    const int class = class_at(self, place);

    self->free[word] &= ~bit_of(place);
    if (self->free[word] == 0)
        self->filled[word / WORD_BITS] &= ~bit_of(word);
    if (--self->counts[class] == 0)
        self->sizes &= ~(UINT32_C(1) << class);
}

/* The first bit from `at` on, in `words` words; -1 for none. */
static int first_bit(const uint64_t bits[], int words, int at)
{
    int word = at / WORD_BITS;
    uint64_t left;

    if (word >= words)
        return -1;
    left = bits[word] & (UINT64_MAX << (at % WORD_BITS));
    while (left == 0 && ++word < words)
        left = bits[word];
    return left != 0 ? word * WORD_BITS + __builtin_ctzll(left) : -1;
}

static int words_for(int bits)
{
    return (bits + WORD_BITS - 1) / WORD_BITS;
}

/* The first place from `place` on with a noted free block; -1 for none. */
static int first_noted(const struct blocks *self, int place)
{
    const int words = words_for(2 * self->width);
    const uint64_t left = self->free[place / WORD_BITS] & (UINT64_MAX << (place % WORD_BITS));
    int word;

    if (left != 0)
        return place / WORD_BITS * WORD_BITS + __builtin_ctzll(left);
    word = first_bit(self->filled, words_for(words), place / WORD_BITS + 1);
    return word >= 0 ? word * WORD_BITS + __builtin_ctzll(self->free[word]) : -1;
}

/* The place, with or around `place`, of the block that is taken or free as a whole; 0 if both are
 * to be found within. */
static int known_around(const struct blocks *self, int place)
{
    while (place >= 1 && self->owners[place] == BLOCK_FREE && !is_noted(self, place))
        place /= 2;
    return place;
}

void blocks_take(struct blocks *self, int rank, int gpus, int owner)
{
    const int place = place_of(self, rank, gpus);
    int around = place;
    int halvings = 0;

    while (!is_noted(self, around)) {
        around /= 2;
        halvings++;
        assert(around >= 1);
    }
    strike(self, around);
    for (; halvings > 0; halvings--)
        note(self, (place >> (halvings - 1)) ^ 1);
    self->owners[place] = owner;
}

void blocks_give(struct blocks *self, int rank, int gpus)
{
    int place = place_of(self, rank, gpus);

    assert(self->owners[place] != BLOCK_FREE);
    self->owners[place] = BLOCK_FREE;
    for (; place > 1 && is_noted(self, place ^ 1); place /= 2)
        strike(self, place ^ 1);
    note(self, place);
}

void blocks_open(struct blocks *self, int gpus, arena_t *arena)
{
    int words;

    self->gpus = gpus;
    self->width = 1;
    while (self->width < gpus)
        self->width *= 2;
    words = words_for(2 * self->width);
    self->free = arena_alloc(arena, (size_t)words * sizeof(*self->free));
    self->filled = arena_alloc(arena, (size_t)words_for(words) * sizeof(*self->filled));
    self->owners = arena_alloc(arena, 2 * (size_t)self->width * sizeof(*self->owners));
    blocks_clear(self);
}

void blocks_clear(struct blocks *self)
{
    const int places = 2 * self->width;
    const int words = words_for(places);

    memset(self->free, 0, (size_t)words * sizeof(*self->free));
    memset(self->filled, 0, (size_t)words_for(words) * sizeof(*self->filled));
    memset(self->counts, 0, sizeof(self->counts));
    self->sizes = 0;
    for (int place = 1; place < places; place++)
        self->owners[place] = BLOCK_FREE;
    note(self, 1);
    for (int rank = self->gpus; rank < self->width; rank++)
        blocks_take(self, rank, 1, BLOCK_CLOSED);
}

bool blocks_is_free(const struct blocks *self, int rank, int gpus)
{
    const int around = known_around(self, place_of(self, rank, gpus));

    return around > 0 && self->owners[around] == BLOCK_FREE;
}

int blocks_room(const struct blocks *self, int rank, int gpus)
{
    return width_at(self, known_around(self, place_of(self, rank, gpus)));
}

int blocks_next(const struct blocks *self, int rank, int gpus)
{
    uint32_t sizes = self->sizes & ~((uint32_t)gpus - 1);
    int first = -1;

    for (; sizes != 0 && rank < self->width; sizes &= sizes - 1) {
        const int size = (int)(sizes & -sizes);
        const int place = first_noted(self, place_of(self, rank, size));

        if (place < 0 || width_at(self, place) != size)
            continue;
        if (first < 0 || rank_at(self, place) < first)
            first = rank_at(self, place);
    }
    return first >= 0 && first < rank ? rank : first;
}

int blocks_find(const struct blocks *self, int gpus)
{
    const uint32_t fitting = self->sizes & ~((uint32_t)gpus - 1);

    return fitting != 0 ? rank_at(self, first_noted(self, self->width >> __builtin_ctz(fitting)))
                        : -1;
}

/* Visits the taken blocks below a place that is not free as a whole. Both halves are checked before
 * any visit: a first half that is given back may merge with a free second half. */
static void each_below(const struct blocks *self, int place,
                       void (*meet)(void *context, int owner, int rank, int gpus), void *context)
{
    const int halves[] = {2 * place, 2 * place + 1};

    if (self->owners[place] != BLOCK_FREE) {
        meet(context, self->owners[place], rank_at(self, place), width_at(self, place));
        return;
    }
    if (is_noted(self, halves[0]))
        each_below(self, halves[1], meet, context);
    else if (is_noted(self, halves[1]))
        each_below(self, halves[0], meet, context);
    else
        for (int i = 0; i < 2; i++)
            each_below(self, halves[i], meet, context);
}

void blocks_each(const struct blocks *self, int rank, int gpus,
                 void (*meet)(void *context, int owner, int rank, int gpus), void *context)
{
    const int place = place_of(self, rank, gpus);
    const int around = known_around(self, place);

    if (around == 0 || !is_noted(self, around))
        each_below(self, around > 0 ? around : place, meet, context);
}
