/* course.h - the GPUs that a job is to hold until its end. */
#ifndef PLANNER_COURSE_H
#define PLANNER_COURSE_H

#include "common/archive.h"
#include "common/memory.h"
#include "scheduler/plan/plan.h"

#include <stdint.h>

/* A job holds `level` from `at_s` on, on the GPUs from `rank` on. */
struct piece {
    int64_t at_s;
    int level;
    int rank;
};

/* The GPUs that a job is to hold over time, until its end, at `end_s` at the latest. */
struct course {
    struct piece *pieces; /* sorted by time, at least one */
    int count;
    int64_t end_s;
    double gpu_s; /* GPU-seconds held */
};

/* The piece in force at a time. */
static inline const struct piece *course_piece(const struct course *course, int64_t now_s)
{
    int i = course->count - 1;

    while (i > 0 && course->pieces[i].at_s > now_s)
        i--;
    return &course->pieces[i];
}

static inline int course_level(const struct course *course, int64_t now_s)
{
    return now_s < course->end_s ? course_piece(course, now_s)->level : 0;
}

/* The first time after `now_s` at which a course rises above `level`; NEVER_S for none. */
static inline int64_t course_rise_s(const struct course *course, int64_t now_s, int level)
{
    for (int i = 0; i < course->count; i++)
        if (course->pieces[i].at_s > now_s && course->pieces[i].level > level)
            return course->pieces[i].at_s;
    return NEVER_S;
}

/* The rest of a course that has begun. Changes the first of the remaining pieces in place. */
struct course course_rest(struct course course, int64_t now_s);

/* A copy with pieces in `arena`, preceded by `first` unless that is NULL. */
struct course course_copy(const struct course *self, const struct piece *first, arena_t *arena);

/* Reads or writes a course; see common/archive.h. Pieces of a course that is read live in
 * `arena`. */
void course_archive(struct course *self, struct archive *archive, arena_t *arena);

#endif
