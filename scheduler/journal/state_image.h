/* state_image.h - the files of a state as they are at one moment, copied to a folder of their own,
 * so that they can be looked at as a start does without a change to them. The state may be on a
 * medium that is read only, and a service may use it meanwhile. */
#ifndef JOURNAL_STATE_IMAGE_H
#define JOURNAL_STATE_IMAGE_H

#include "common/error.h"

#define IMAGE_PATH_MAX 3072 /* bytes */

struct state_image {
    char path[IMAGE_PATH_MAX]; /* the folder: state.db, its log, mark, and backup.db as a link */
    int backup; /* descriptor of the copy of the state that the link refers to, -1 for none */
};

/* Makes an image of the state in `folder`, for the user alone, in the folder for temporary files.
 * -1, with `error`, if a file of the state cannot be read, or changes faster than it can be copied.
 */
int state_image_make(struct state_image *self, const char *folder, struct error *error);

/* Removes the image. */
void state_image_remove(struct state_image *self);

/* Replaces the path of the image by `folder` in a sentence. */
void state_image_rename(const struct state_image *self, const char *folder, struct error *error);

#endif
