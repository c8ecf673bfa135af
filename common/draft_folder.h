/* draft_folder.h - the folders that a draft (draft.h) is moved between; for draft.c and its
 * neighbours alone. Functions return -1 with errno. */
#ifndef COMMON_DRAFT_FOLDER_H
#define COMMON_DRAFT_FOLDER_H

#include "common/draft.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct draft {
    char *folder;  /* the folder's path as the caller wrote it, without slashes at the end */
    int in;        /* the folder, open */
    char name[64]; /* name of the draft in the folder; "" if there is no draft */
    char *path;    /* path of the draft */
    int files;     /* the draft, open and locked */
    bool over;     /* the draft is committed or kept */
    struct draft_names names;
};

int draft_folder_open(int in, const char *name);

/* Whether `folder` has an entry `name`; draft_folder_has_file: a regular file. */
bool draft_folder_has(int folder, const char *name);
bool draft_folder_has_file(int folder, const char *name);

/* Moves a file, by a link where renaming fails. */
int draft_folder_move_back(int from, int to, const char *name);

/* Removes a file, or with AT_REMOVEDIR an empty folder, in a second try if need be. A file that is
 * not there counts as removed. */
int draft_folder_remove(int folder, const char *name, int flags);

/* Removes all files of `names`. */
int draft_folder_empty(int folder, const struct draft_names *names);

/* Calls `see` for each entry but "." and "..", until `see` returns anything but 0; returns that
 * value. */
int draft_folder_each(int folder, int (*see)(void *context, int folder, const char *name),
                      void *context);

/* Whether `name` is a regular file and one of `names`. */
bool draft_folder_is_ours(int folder, const char *name, const struct draft_names *names);

/* Removes the folder `name` of `in`, its first name last. Files of others that `folder` has are
 * links, and go; what `folder` lacks moves there. */
int draft_folder_clear(int in, const char *name, int folder, const struct draft_names *names);

/* Says on stderr what became of FOLDER/NAME, or of FOLDER.rubato-aside if `name` is NULL. */
void draft_folder_tell(const char *folder, const char *name, const char *what);

/* Opens the folder above `folder`, and finds the name of `folder` there. */
int draft_folder_parent(int folder, char name[NAME_MAX + 1]);

/* The draft becomes the folder by one exchange. 1, with nothing changed, if the exchange is
 * impossible; -1, with `error`, if the draft cannot be moved back either: its path has then
 * changed. */
int draft_exchange(draft_t *self, struct error *error);

/* The draft's files move to the folder. -1, with `error`. */
int draft_move(draft_t *self, struct error *error);

#endif
