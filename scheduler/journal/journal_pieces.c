/* journal_pieces.c - a snapshot in pieces, each a document and a transaction of its own, so that
 * little is written at a time.
 *
 * There are two sets of pieces. The last document names the set in force, how many pieces it has
 * and their check; the other set is written over. */
#include "scheduler/journal/journal_internal.h"

#include "common/checksum.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD "pieces"

static void name_piece(char name[SNAPSHOT_PIECE_NAME], int set, int64_t number)
{
    (void)snprintf(name, SNAPSHOT_PIECE_NAME, "%c-%" PRId64, set == 0 ? 'a' : 'b', number);
}

static uint64_t add(uint64_t before, const char *piece)
{
    return checksum(before, piece, strlen(piece));
}

/* ---- writing ---- */

static int keep(journal_t *self, const char *name, const char *body, struct error *error)
{
    if (journal_begin(self, error) < 0)
        return -1;
    if (journal_put(self, SNAPSHOT_KIND, name, body, error) == 0)
        return journal_commit(self, error);
    journal_rollback(self);
    return -1;
}

void journal_begin_pieces(journal_t *self)
{
    self->pieces.count = 0;
    self->pieces.check = CHECKSUM_OF_NOTHING;
}

int journal_keep_piece(journal_t *self, const char *piece, struct error *error)
{
    char name[SNAPSHOT_PIECE_NAME];

    name_piece(name, !self->pieces.in_force, self->pieces.count);
    if (keep(self, name, piece, error) < 0)
        return -1;
    self->pieces.count++;
    self->pieces.check = add(self->pieces.check, piece);
    return 0;
}

int journal_keep_pieces(journal_t *self, struct error *error)
{
    const int set = !self->pieces.in_force;

    self->text.used = 0;
    text_word(&self->text, WORD);
    text_key_number(&self->text, "set", (uint64_t)set);
    text_key_whole(&self->text, "count", self->pieces.count);
    text_key_digest(&self->text, "check", self->pieces.check);
    text_bytes(&self->text, "", 1);
    if (keep(self, SNAPSHOT_NAME, self->text.bytes, error) < 0)
        return -1;
    self->pieces.in_force = set;
    return 0;
}

/* ---- reading ---- */

static int read_head(const char *body, int64_t *set, int64_t *count, uint64_t *check,
                     struct error *error)
{
    struct cursor cursor = {.path = SNAPSHOT_KIND, .line = 1, .text = body, .length = strlen(body)};

    if (cursor_word(&cursor, WORD, error) < 0 || cursor_key(&cursor, "set", error) < 0 ||
        cursor_number(&cursor, 0, 1, set, error) < 0 || cursor_key(&cursor, "count", error) < 0 ||
        cursor_number(&cursor, 0, INT32_MAX, count, error) < 0 ||
        cursor_key(&cursor, "check", error) < 0 || cursor_digest(&cursor, check, error) < 0)
        return -1;
    return cursor_end(&cursor, error);
}

static int join(journal_t *self, int set, int64_t count, uint64_t expected, struct text *whole,
                struct error *error)
{
    uint64_t check = CHECKSUM_OF_NOTHING;

    for (int64_t i = 0; i < count; i++) {
        char name[SNAPSHOT_PIECE_NAME];
        const char *piece;
        int got;

        name_piece(name, set, i);
        got = journal_get(self, SNAPSHOT_KIND, name, &piece, error);
        if (got <= 0)
            return got < 0 ? -1 : error_set(error, "piece %" PRId64 " of it is not there", i);
        check = add(check, piece);
        text_word(whole, piece);
    }
    if (check != expected)
        return error_set(error, "its pieces are not of one snapshot");
    text_bytes(whole, "", 1);
    return 0;
}

int journal_join_pieces(journal_t *self, const char **body, struct error *error)
{
    struct text whole = {0};
    uint64_t check;
    int64_t count;
    int64_t set;

    if (strncmp(*body, WORD " ", strlen(WORD) + 1) != 0)
        return 0;
    if (read_head(*body, &set, &count, &check, error) < 0)
        return -1;
    self->pieces.in_force = (int)set;
    if (join(self, (int)set, count, check, &whole, error) < 0) {
        text_free(&whole);
        return -1;
    }
    free(self->body);
    *body = self->body = whole.bytes;
    return 0;
}
