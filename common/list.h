/* list.h - an array that grows: its items, how many there are, and for how many there is room. An
 * empty list is all zeros; its owner frees `items`. */
#ifndef COMMON_LIST_H
#define COMMON_LIST_H

#include "common/memory.h"

#include <stddef.h>

#define LIST(type)                                                                                 \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/* Makes room for `room` items in `*list`, which is named more than once. */
#define list_reserve(list, room)                                                                   \
    ((list)->items =                                                                               \
         reserve_array((list)->items, (room), &(list)->capacity, sizeof(*(list)->items)))

/* Adds an item at the end of `*list`, which is named more than once. */
#define list_append(list, ...)                                                                     \
    ((list)->items =                                                                               \
         grow_array((list)->items, (list)->count, &(list)->capacity, sizeof(*(list)->items)),      \
     (void)((list)->items[(list)->count++] = (__VA_ARGS__)))

#endif
