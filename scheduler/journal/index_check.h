/* index_check.h - compares the index of the documents with their table. */
#ifndef JOURNAL_INDEX_CHECK_H
#define JOURNAL_INDEX_CHECK_H

#include "scheduler/journal/database.h"

/* -1, with `error`, if an entry of the index is missing, belongs to no document or is out of order.
 * Table and index are each read once, in their own order, and compared by count and sum of
 * checksums: SQLite's integrity_check seeks the entry of each document instead, which takes ten
 * times as long. Pages are taken to be in order. */
int index_check(struct database *self, struct error *error);

#endif
