/* index_check.c - see index_check.h. */
#include "scheduler/journal/index_check.h"

#include "common/checksum.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* A sum over documents, which does not depend on their order. */
struct sum {
    uint64_t count;
    uint64_t checks;
};

/* A text of a row, lent until the next row. */
struct word {
    const char *bytes;
    size_t length;
};

static struct word word_of(sqlite3_stmt *row, int column)
{
    const char *bytes = (const char *)sqlite3_column_text(row, column);

    return (struct word){bytes ? bytes : "", (size_t)sqlite3_column_bytes(row, column)};
}

/* Adds a row: a place, a kind and a name. */
static void add(struct sum *sum, sqlite3_stmt *row)
{
    const sqlite3_int64 place = sqlite3_column_int64(row, 0);
    const struct word kind = word_of(row, 1);
    const struct word name = word_of(row, 2);
    uint64_t check = checksum(CHECKSUM_OF_NOTHING, (const char *)&place, sizeof(place));

    check = checksum(check, kind.bytes, kind.length);
    check = checksum(check, "", 1);
    sum->count++;
    sum->checks += checksum(check, name.bytes, name.length);
}

static int compare(struct word a, struct word b)
{
    const int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);

    return order != 0 ? order : a.length < b.length ? -1 : a.length > b.length;
}

/* A copy of a text. */
struct kept_word {
    char *bytes;
    size_t length;
    size_t room;
};

static void keep_word(struct kept_word *kept, struct word word)
{
    kept->bytes = reserve_array(kept->bytes, word.length + 1, &kept->room, 1);
    memcpy(kept->bytes, word.bytes, word.length);
    kept->length = word.length;
}

/* The kind and the name of the last entry. */
struct entry {
    struct kept_word words[2];
    bool is_there;
};

/* Whether the entry of `row` comes after `before`. `before` becomes that entry. */
static bool is_after(struct entry *before, sqlite3_stmt *row)
{
    int order = 0;

    for (int i = 0; i < 2; i++) {
        struct kept_word *kept = &before->words[i];
        const struct word word = word_of(row, i + 1);

        if (order == 0 && before->is_there)
            order = compare((struct word){kept->bytes, kept->length}, word);
        keep_word(kept, word);
    }
    if (!before->is_there)
        order = -1;
    before->is_there = true;
    return order < 0;
}

/* Sums up the rows. 1 with the sum, 0 if `ordered` rows are out of order, -1 with `error`. */
static int sum_up(struct database *self, const char *sql, bool ordered, struct sum *sum,
                  struct error *error)
{
    sqlite3_stmt *rows = database_prepare(self, sql, error);
    struct entry before = {.is_there = false};
    int result = 1;
    int code = SQLITE_DONE;

    *sum = (struct sum){0};
    if (!rows)
        return -1;
    while (result == 1 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        add(sum, rows);
        if (ordered && !is_after(&before, rows))
            result = 0;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        result = database_complain(self, code, error);
    (void)sqlite3_finalize(rows);
    free(before.words[0].bytes);
    free(before.words[1].bytes);
    return result;
}

int index_check(struct database *self, struct error *error)
{
    struct sum table;
    struct sum index = {0};
    int status =
        sum_up(self, "SELECT place, kind, name FROM document NOT INDEXED", false, &table, error);

    if (status == 1)
        status = sum_up(self,
                        "SELECT place, kind, name FROM document INDEXED BY "
                        "sqlite_autoindex_document_1 ORDER BY kind, name",
                        true, &index, error);
    if (status < 0)
        return -1;
    if (status == 0)
        return database_complain_damage(self, "the index of documents is not in order", error);
    if (table.count == index.count && table.checks == index.checks)
        return 0;
    return database_complain_damage(self, "the index of documents does not have what they are",
                                    error);
}
