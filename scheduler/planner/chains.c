/* chains.c - see chains.h. All but the division takes time by the number of tasks and links; the
 * division takes a pass over the links for each task that comes after one that waits for it. */
#include "scheduler/planner/chains.h"

#include "scheduler/planner/stand.h"

#include <math.h>

#define NO_LINK SIZE_MAX

/* `child` waits for `parent`. */
struct link {
    size_t parent;
    size_t child;
    size_t next; /* link of the same parent; NO_LINK at the end */
};

/* A task of the round in its chain. */
struct node {
    double need_s;  /* where it is fastest, a new start included */
    double base_s;  /* when the longest path to it begins: now, or after a promised task */
    double path_s;  /* what the tasks on that path need, with this one; 0 for a promised one */
    double due_s;   /* INFINITY for none */
    size_t links;   /* the first of those whose parent it is */
    size_t group;   /* the first of the tasks that are promised with it or not at all */
    size_t members; /* of the first of a group: its first member; else the next one of the group */
    size_t count;   /* of the first of a group: so many members */
    bool lost;      /* a parent is none that ends by a time known now */
    bool tried;     /* in this try, of the first of a group */
};

struct chains {
    const struct pricing *pricing;
    struct task *tasks;
    size_t task_count;
    struct node *nodes; /* as the tasks */
    struct link *links; /* as their children */
    size_t count;
    size_t room;
    size_t *places; /* of tasks by the numbers of their jobs, as many as a power of two */
    size_t mask;
};

static double now_s(const struct chains *self)
{
    return (double)self->pricing->planner->view->now_s;
}

static size_t place_of(const struct chains *self, const struct task *task)
{
    return (size_t)(task - self->tasks);
}

static const struct node *first_of(const struct chains *self, const struct task *task)
{
    return &self->nodes[self->nodes[place_of(self, task)].group];
}

/* ---- who waits for whom ---- */

/* Source of the factor: Knuth, The Art of Computer Programming 3, 6.4. */
static size_t slot_of(const struct chains *self, uint64_t number)
{
    return (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & self->mask;
}

static void list_places(struct chains *self)
{
    size_t room = 4;

    while (room < 2 * self->task_count)
        room *= 2;
    self->mask = room - 1;
    self->places = arena_alloc(self->pricing->planner->arena, room * sizeof(*self->places));
    for (size_t i = 0; i < room; i++)
        self->places[i] = SIZE_MAX;
    for (size_t i = 0; i < self->task_count; i++) {
        size_t slot = slot_of(self, self->tasks[i].job->number);

        while (self->places[slot] != SIZE_MAX)
            slot = (slot + 1) & self->mask;
        self->places[slot] = i;
    }
}

/* The task of the job with that number; SIZE_MAX for none. */
static size_t find(const struct chains *self, uint64_t number)
{
    size_t slot = slot_of(self, number);

    while (self->places[slot] != SIZE_MAX && self->tasks[self->places[slot]].job->number != number)
        slot = (slot + 1) & self->mask;
    return self->places[slot];
}

static void add_link(struct chains *self, size_t parent, size_t child)
{
    self->links = arena_grow(self->pricing->planner->arena, self->links, self->count, &self->room,
                             sizeof(*self->links));
    self->links[self->count] = (struct link){parent, child, self->nodes[parent].links};
    self->nodes[parent].links = self->count++;
}

static void add_links(struct chains *self, size_t child)
{
    const struct job *job = self->tasks[child].job;

    for (size_t k = 0; k < job->submission->parent_count; k++) {
        size_t parent;

        if (!job_waits_for(job, k))
            continue;
        parent = find(self, job->submission->parents[k].number);
        if (parent == SIZE_MAX)
            self->nodes[child].lost = true;
        else
            add_link(self, parent, child);
    }
}

/* ---- the division ---- */

static double need_of(const struct chains *self, const struct task *task)
{
    const int level = task->usable[task->scaling->reach];

    if (level == 0)
        return INFINITY;
    return task_work(task) / task->scaling->rate[level] +
           planner_price_later(self->pricing->planner, task_gpus(task, level));
}

static double due_of(int64_t deadline_s)
{
    return deadline_s == DEADLINE_NONE_S ? INFINITY : (double)deadline_s;
}

static void open_node(struct chains *self, size_t i)
{
    struct node *node = &self->nodes[i];
    const struct task *task = &self->tasks[i];

    *node = (struct node){.base_s = now_s(self),
                          .due_s = due_of(task->deadline_s),
                          .links = NO_LINK,
                          .group = i,
                          .members = SIZE_MAX};
    if (task->promised)
        node->base_s = node->due_s;
    else
        node->path_s = node->need_s = need_of(self, task);
}

/* Each of these says whether it changed something. */
typedef bool spread_fn(struct chains *self, const struct link *link);

static bool spread_path(struct chains *self, const struct link *link)
{
    const struct node *parent = &self->nodes[link->parent];
    struct node *child = &self->nodes[link->child];
    const double base_s = fmax(child->base_s, parent->base_s);
    const double path_s = fmax(child->path_s, child->need_s + parent->path_s);
    const bool changes = base_s > child->base_s || path_s > child->path_s;

    if (self->tasks[link->child].promised)
        return false;
    child->base_s = base_s;
    child->path_s = path_s;
    return changes;
}

static bool spread_due(struct chains *self, const struct link *link)
{
    struct node *parent = &self->nodes[link->parent];
    const struct node *child = &self->nodes[link->child];
    double due_s;

    if (self->tasks[link->parent].promised || self->tasks[link->child].promised ||
        !isfinite(child->due_s))
        return false;
    due_s = floor(child->base_s +
                  (child->due_s - child->base_s) * (child->path_s - child->need_s) / child->path_s);
    if (!(due_s < parent->due_s))
        return false;
    parent->due_s = due_s;
    return true;
}

/* Until nothing changes: so often as the longest chain has tasks at most. Jobs wait for jobs that
 * came before, so that mostly one pass, forward or backward, does. */
static void spread(struct chains *self, spread_fn *one, bool backward)
{
    bool changes = true;

    for (size_t tries = 0; changes && tries <= self->count; tries++) {
        changes = false;
        for (size_t i = 0; i < self->count; i++)
            changes = one(self, &self->links[backward ? self->count - 1 - i : i]) || changes;
    }
}

/* ---- groups ---- */

static bool is_open(const struct chains *self, size_t i)
{
    return !self->tasks[i].promised && isfinite(self->nodes[i].due_s);
}

/* Source: union-find with path halving, Tarjan and van Leeuwen, JACM 31(2), 1984. */
static size_t group_of(struct chains *self, size_t i)
{
    struct node *nodes = self->nodes;

    while (nodes[i].group != i)
        i = nodes[i].group = nodes[nodes[i].group].group;
    return i;
}

static void join(struct chains *self, const struct link *link)
{
    size_t parent;
    size_t child;

    if (!is_open(self, link->parent) || !is_open(self, link->child))
        return;
    parent = group_of(self, link->parent);
    child = group_of(self, link->child);
    self->nodes[parent > child ? parent : child].group = parent < child ? parent : child;
}

/* The members of a group in the order of the tasks. Its first one is its first task, so that
 * `members` of that one is the second. */
static void list_groups(struct chains *self)
{
    for (size_t i = 0; i < self->count; i++)
        join(self, &self->links[i]);
    for (size_t i = self->task_count; i-- > 0;) {
        struct node *first;

        self->nodes[i].group = group_of(self, i);
        first = &self->nodes[self->nodes[i].group];
        first->count++;
        if (first == &self->nodes[i])
            continue;
        self->nodes[i].members = first->members;
        first->members = i;
    }
}

/* ---- what the plan has to heed ---- */

/* When the parents of a task have ended, if they all keep their times. */
static void set_earliest(struct chains *self, const struct link *link)
{
    const struct node *parent = &self->nodes[link->parent];
    struct task *child = &self->tasks[link->child];

    if (!isfinite(parent->due_s) || parent->due_s <= now_s(self))
        self->nodes[link->child].lost = true;
    else if ((double)child->earliest_s < parent->due_s)
        child->earliest_s = (int64_t)parent->due_s;
}

static void set_deadline(const struct chains *self, struct task *task, double due_s)
{
    task->is_divided = isfinite(due_s) && (int64_t)due_s < task_stated_s(task);
    pricing_until(self->pricing, task, isfinite(due_s) ? (int64_t)due_s : DEADLINE_NONE_S);
}

/* A group of which one task cannot end by its time is none: its tasks are by themselves. */
static void drop_lost(struct chains *self)
{
    struct node *nodes = self->nodes;

    for (size_t i = 0; i < self->task_count; i++)
        if (is_open(self, i) && (nodes[i].lost || !isfinite(self->tasks[i].price)))
            nodes[nodes[i].group].lost = true;
    for (size_t i = 0; i < self->task_count; i++) {
        struct task *task = &self->tasks[i];

        if (task->promised || !nodes[nodes[i].group].lost)
            continue;
        nodes[i].due_s = due_of(task_stated_s(task));
        set_deadline(self, task, nodes[i].due_s);
    }
    for (size_t i = 0; i < self->task_count; i++)
        if (self->tasks[i].waits && (nodes[i].lost || nodes[nodes[i].group].lost))
            self->tasks[i].earliest_s = NEVER_S;
}

/* A promise for the sake of jobs that wait ends once no job waits. */
void chains_enter(struct task *task, bool any)
{
    const int64_t due_s = any && task->promised ? task->stand->due_s : 0;

    if (due_s > 0) {
        task->is_divided = task->deadline_s != due_s;
        task->deadline_s = due_s;
    }
    if (task->deadline_s == DEADLINE_NONE_S)
        task->promised = false;
    task->waits = any && job_waits(task->job);
}

struct chains *chains_open(const struct pricing *pricing, struct task tasks[], size_t count)
{
    arena_t *arena = pricing->planner->arena;
    struct chains *self = arena_alloc(arena, sizeof(*self));

    *self = (struct chains){.pricing = pricing, .tasks = tasks, .task_count = count};
    self->nodes = arena_alloc(arena, (count + 1) * sizeof(*self->nodes));
    list_places(self);
    for (size_t i = 0; i < count; i++)
        open_node(self, i);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].waits)
            add_links(self, i);
    spread(self, spread_path, false);
    spread(self, spread_due, true);
    list_groups(self);
    for (size_t i = 0; i < self->count; i++)
        set_earliest(self, &self->links[i]);
    for (size_t i = 0; i < count; i++)
        if (is_open(self, i))
            set_deadline(self, &tasks[i], self->nodes[i].due_s);
    drop_lost(self);
    return self;
}

/* ---- whole or not at all ---- */

/* Whether a task is due by the first step of its own soft deadline: no child wants it earlier, and
 * it may have fallen to a later step. */
static bool has_own_steps(const struct task *task, double due_s)
{
    const struct submission *job = task->job->submission;

    return submission_is_soft(job) && due_s == (double)job->levels[0].deadline_s;
}

void chains_try_again(struct chains *self)
{
    for (size_t i = 0; i < self->task_count; i++) {
        struct node *node = &self->nodes[i];

        node->tried = false;
        if (is_open(self, i) && (double)self->tasks[i].deadline_s != node->due_s &&
            !has_own_steps(&self->tasks[i], node->due_s))
            set_deadline(self, &self->tasks[i], node->due_s);
    }
}

bool chains_is_single(const struct chains *self, const struct task *task)
{
    size_t open = 0;

    if (!self || task->promised)
        return true;
    for (size_t i = self->nodes[place_of(self, task)].group; i != SIZE_MAX && open < 2;
         i = self->nodes[i].members)
        open += is_open(self, i);
    return open < 2;
}

struct task_list chains_group(const struct chains *self, const struct task *task)
{
    const struct node *first = first_of(self, task);
    struct task_list members =
        task_list_open(self->pricing->planner->arena, first->count, task_latest_start);

    for (size_t i = self->nodes[place_of(self, task)].group; i != SIZE_MAX;
         i = self->nodes[i].members)
        if (is_open(self, i))
            task_list_append(&members, &self->tasks[i]);
    return members;
}

bool chains_is_first(struct chains *self, const struct task *task)
{
    struct node *first = &self->nodes[self->nodes[place_of(self, task)].group];
    const bool is_first = !first->tried;

    first->tried = true;
    return is_first;
}

bool chains_is_left(const struct chains *self, const struct task *task)
{
    return task->waits && first_of(self, task)->tried;
}

bool chains_leave(const struct chains *self, struct task *task)
{
    const double own_s = due_of(task_stated_s(task));

    if (task->waits || !isfinite(own_s))
        return false;
    set_deadline(self, task, own_s);
    return true;
}

/* ---- after a disturbance ---- */

bool chains_may_start(const struct task *task, const struct course *course)
{
    const int64_t starts_s = course_rise_s(course, INT64_MIN, 0);

    return !task->waits || (task->earliest_s != NEVER_S && starts_s >= task->earliest_s);
}

struct task *chains_child(const struct chains *self, const struct task *parent)
{
    size_t i = self ? self->nodes[place_of(self, parent)].links : NO_LINK;

    while (i != NO_LINK && !self->tasks[self->links[i].child].promised)
        i = self->links[i].next;
    return i == NO_LINK ? NULL : &self->tasks[self->links[i].child];
}
