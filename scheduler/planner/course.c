/* course.c - see course.h. */
#include "scheduler/planner/course.h"

struct course course_rest(struct course course, int64_t now_s)
{
    while (course.count > 1 && course.pieces[1].at_s <= now_s) {
        course.pieces++;
        course.count--;
    }
    course.pieces[0].at_s = now_s;
    return course;
}

struct course course_copy(const struct course *self, const struct piece *first, arena_t *arena)
{
    const int before = first ? 1 : 0;
    struct course copy = *self;

    copy.count += before;
    copy.pieces = arena_alloc(arena, (size_t)copy.count * sizeof(*copy.pieces));
    if (first)
        copy.pieces[0] = *first;
    for (int i = 0; i < self->count; i++)
        copy.pieces[before + i] = self->pieces[i];
    return copy;
}

void course_archive(struct course *self, struct archive *archive, arena_t *arena)
{
    const size_t count = archive_count(archive, (size_t)self->count, UINT16_MAX);

    if (archive->reads) {
        self->count = (int)count;
        self->pieces = arena_alloc(arena, (count + 1) * sizeof(*self->pieces));
    }
    for (size_t i = 0; i < count; i++) {
        if (archive->reads)
            self->pieces[i] = (struct piece){0, 0, 0};
        ARCHIVE(archive, &self->pieces[i].at_s);
        ARCHIVE(archive, &self->pieces[i].level);
        ARCHIVE(archive, &self->pieces[i].rank);
    }
    ARCHIVE(archive, &self->end_s);
    ARCHIVE(archive, &self->gpu_s);
}
