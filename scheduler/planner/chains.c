/* chains.c - see chains.h. All functions but chains_divide() take time by the number of tasks and
 * links. chains_divide() takes a pass over the links for each task that is listed after a task that
 * waits for it. */
#include "scheduler/planner/chains.h"

#include "scheduler/planner/soft.h"
#include "scheduler/planner/stand.h"

#include <math.h>

#define NO_LINK SIZE_MAX

/* `child` waits for `parent`. The links of a child lie side by side. */
struct link {
    size_t parent;
    size_t child;
    size_t next; /* link of the same parent; NO_LINK at the end */
};

/* A task of the round in its chain. */
struct node {
    double need_s;    /* seconds needed on the fastest level, a new start included */
    double base_s;    /* start of the longest path to the task: now, or the end of a kept promise */
    double path_s;    /* seconds needed by the tasks on that path, this task included */
    double due_s;     /* deadline; INFINITY for none */
    size_t children;  /* the first link from this task to a child */
    size_t parents;   /* the first link from a parent to this task */
    size_t count;     /* number of links from parents */
    size_t marked;    /* the last division that has this task */
    int64_t enters_s; /* the task begins no earlier, whatever its parents do */
    bool lost;        /* no known time ends some task that this task waits for */
};

/* A task as it was before a division. */
struct change {
    size_t place;
    int64_t earliest_s;
    int64_t deadline_s;
    int step;
    bool is_divided;
    bool is_last; /* the deadline of `place` stays: it heads the chain, or is outside the chain */
};

struct chains {
    const struct pricing *pricing;
    struct task *tasks;
    size_t task_count;
    struct node *nodes; /* in the order of `tasks` */
    struct link *links; /* in the order of their children */
    size_t count;
    size_t room;
    size_t *places; /* hash table from job numbers to tasks; its size is a power of two */
    size_t mask;

    /* The division at hand: the last task of a chain, then the tasks before it; the links between
     * them; and the changes of all divisions in force. */
    size_t divisions;
    size_t *members;
    size_t member_count;
    size_t *between;
    size_t between_count;
    struct change *changes;
    size_t change_count;
    size_t change_room;
    size_t changed; /* number of changes before this division */
};

static double now_s(const struct chains *self)
{
    return (double)self->pricing->planner->view->now_s;
}

static size_t place_of(const struct chains *self, const struct task *task)
{
    return (size_t)(task - self->tasks);
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

/* The task of the job with this number; SIZE_MAX for none. */
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
    self->links[self->count] = (struct link){parent, child, self->nodes[parent].children};
    self->nodes[parent].children = self->count++;
    self->nodes[child].count++;
}

static void add_links(struct chains *self, size_t child)
{
    const struct job *job = self->tasks[child].job;

    self->nodes[child].parents = self->count;
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

/* ---- the chains as the round begins ---- */

/* Seconds that the task needs on its fastest level, or on the GPUs that it holds. */
static double need_of(const struct chains *self, const struct task *task)
{
    const struct planner *planner = self->pricing->planner;
    const double *rate = task->scaling->rate;
    const int level = task->usable[task->scaling->reach];
    const double work = task_work(task);
    double need_s;

    if (level == 0)
        return INFINITY;
    need_s = work / rate[level] +
             planner_price_later(planner, task_gpus(task, level)) * (1 + task->start_kept);
    if (task->held > 0)
        need_s = fmin(need_s, work / rate[task->held] + task_debt_s(task));
    return ceil(need_s + ROUNDING_S) + (double)(task->waits ? planner->slot_s : 0);
}

/* The last deadline that the submission of `task` states; INFINITY for none. */
static double last_due(const struct task *task)
{
    const struct submission *submission = task->job->submission;

    if (submission_is_soft(submission))
        return (double)submission->levels[submission->level_count - 1].deadline_s;
    return submission->best_effort ? INFINITY : (double)submission->deadline_s;
}

/* The first deadline of `task` that is no earlier than `least_s`; INFINITY for none. */
static double first_due(const struct task *task, double least_s)
{
    const struct submission *submission = task->job->submission;

    if (submission_is_soft(submission))
        for (size_t k = 0; k < submission->level_count; k++)
            if ((double)submission->levels[k].deadline_s >= least_s)
                return (double)submission->levels[k].deadline_s;
    return last_due(task) >= least_s ? last_due(task) : INFINITY;
}

static void open_node(struct chains *self, size_t i)
{
    const struct task *task = &self->tasks[i];

    self->nodes[i] = (struct node){.need_s = need_of(self, task),
                                   .base_s = now_s(self),
                                   .children = NO_LINK,
                                   .enters_s = task->earliest_s};
    self->nodes[i].path_s = self->nodes[i].need_s;
}

/* The time at which the parents of `child` have to end: `child` itself gets the last part of the
 * time up to its deadline. */
static double divide(const struct node *child)
{
    return floor(child->base_s +
                 (child->due_s - child->base_s) * (child->path_s - child->need_s) / child->path_s +
                 ROUNDING_S);
}

/* Carries a value along a link. Returns whether something changed. */
typedef bool spread_fn(struct chains *self, const struct link *link);

static bool spread_path(struct chains *self, const struct link *link)
{
    const struct node *parent = &self->nodes[link->parent];
    struct node *child = &self->nodes[link->child];
    const double base_s = fmax(child->base_s, parent->base_s);
    const double path_s = fmax(child->path_s, child->need_s + parent->path_s);
    const bool changes =
        base_s > child->base_s || path_s > child->path_s || (parent->lost && !child->lost);

    child->base_s = base_s;
    child->path_s = path_s;
    child->lost = child->lost || parent->lost;
    return changes;
}

static bool spread_due(struct chains *self, const struct link *link)
{
    struct node *parent = &self->nodes[link->parent];
    const struct node *child = &self->nodes[link->child];
    double due_s;

    if (!isfinite(child->due_s))
        return false;
    due_s = divide(child);
    if (!(due_s < parent->due_s))
        return false;
    parent->due_s = due_s;
    return true;
}

/* Repeats passes until nothing changes, at most as many as the longest chain has tasks. Jobs wait
 * for jobs that came before, so one pass forward or backward mostly is enough. `links` lists some
 * of the links; NULL for all. */
static void spread(struct chains *self, spread_fn *one, bool backward, const size_t links[],
                   size_t count)
{
    bool changes = true;

    for (size_t tries = 0; changes && tries <= count; tries++) {
        changes = false;
        for (size_t i = 0; i < count; i++) {
            const size_t k = backward ? count - 1 - i : i;

            changes = one(self, &self->links[links ? links[k] : k]) || changes;
        }
    }
}

static int64_t whole(double at_s, int64_t none)
{
    return isfinite(at_s) ? (int64_t)at_s : none;
}

/* The time at which the parents of `i` have to end at the latest; INFINITY if no deadline says. */
static double parents_due(const struct chains *self, size_t i)
{
    const struct node *node = &self->nodes[i];
    double due_s = node->lost ? INFINITY : (double)node->enters_s;

    for (size_t k = 0; k < node->count; k++) {
        const struct task *parent = &self->tasks[self->links[node->parents + k].parent];

        due_s = fmax(due_s, parent->deadline_s == DEADLINE_NONE_S ||
                                    (double)parent->deadline_s <= now_s(self)
                                ? INFINITY
                                : (double)parent->deadline_s);
    }
    return due_s;
}

/* Sets the first step of a soft deadline that is no earlier than `due_s`, or else the last step. */
static void set_step(struct task *task, double due_s)
{
    const struct submission *submission = task->job->submission;

    task->step = 0;
    while (submission_is_soft(submission) && (size_t)task->step + 1 < submission->level_count &&
           (double)submission->levels[task->step].deadline_s < due_s)
        task->step++;
}

static void set_due(const struct chains *self, struct task *task, double due_s)
{
    set_step(task, due_s);
    task->is_divided = isfinite(due_s) && (int64_t)due_s != task_stated_s(task);
    pricing_until(self->pricing, task, whole(due_s, DEADLINE_NONE_S));
}

/* Gives each unpromised parent the deadline that its children leave. Children that are late in any
 * plan do not count. */
static void set_dues(struct chains *self)
{
    for (size_t i = 0; i < self->task_count; i++) {
        struct node *node = &self->nodes[i];

        node->due_s = self->tasks[i].promised || node->lost
                          ? INFINITY
                          : first_due(&self->tasks[i], node->base_s + node->path_s);
    }
    spread(self, spread_due, true, NULL, self->count);
    for (size_t i = 0; i < self->task_count; i++)
        if (!self->tasks[i].promised && self->nodes[i].children != NO_LINK &&
            isfinite(self->nodes[i].due_s))
            set_due(self, &self->tasks[i], self->nodes[i].due_s);
}

/* Promised tasks begin when the promises of their parents end, other tasks once their parents can
 * have ended. */
static void set_earliest(struct chains *self)
{
    for (size_t i = 0; i < self->task_count; i++) {
        const struct node *node = &self->nodes[i];
        struct task *task = &self->tasks[i];

        if (node->count == 0 && !node->lost)
            continue;
        task->earliest_s = whole(task->promised ? parents_due(self, i)
                                 : node->lost   ? INFINITY
                                                : node->base_s + node->path_s - node->need_s,
                                 NEVER_S);
        if (task->earliest_s < node->enters_s)
            task->earliest_s = node->enters_s;
    }
}

/* Gives a promise for which no job waits its own deadline again. A promise that was only for the
 * sake of waiting jobs ends. */
static void leave_chain(struct task *task)
{
    if (!task->promised || !task->is_divided)
        return;
    task->promised = task->stand->promised = task_is_told(task);
    task->is_divided = false;
    task->deadline_s = task_stated_s(task);
}

void chains_enter(struct task *task, bool any)
{
    const int64_t due_s = task->promised ? task->stand->due_s : 0;

    if (due_s > 0) {
        task->is_divided = task->deadline_s != due_s;
        task->deadline_s = due_s;
    }
    if (!any || task->deadline_s == DEADLINE_NONE_S)
        leave_chain(task);
    if (task->deadline_s == DEADLINE_NONE_S)
        task->promised = task->stand->promised = false;
    task->waits = any && job_waits(task->job);
}

struct chains *chains_open(const struct pricing *pricing, struct task tasks[], size_t count)
{
    arena_t *arena = pricing->planner->arena;
    struct chains *self = arena_alloc(arena, sizeof(*self));

    *self = (struct chains){.pricing = pricing, .tasks = tasks, .task_count = count};
    self->nodes = arena_alloc(arena, (count + 1) * sizeof(*self->nodes));
    self->members = arena_alloc(arena, (count + 1) * sizeof(*self->members));
    list_places(self);
    for (size_t i = 0; i < count; i++)
        open_node(self, i);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].waits)
            add_links(self, i);
    self->between = arena_alloc(arena, (self->count + 1) * sizeof(*self->between));
    for (size_t i = 0; i < count; i++)
        if (self->nodes[i].children == NO_LINK)
            leave_chain(&tasks[i]);
    spread(self, spread_path, false, NULL, self->count);
    set_dues(self);
    set_earliest(self);
    return self;
}

/* ---- a division ---- */

bool chains_has_parents(const struct chains *self, const struct task *task)
{
    return self && self->nodes[place_of(self, task)].count > 0;
}

/* Collects `last` and the tasks before it; promised tasks only if `moved`. */
static void collect(struct chains *self, size_t last, bool moved)
{
    self->nodes[last].marked = ++self->divisions;
    self->members[0] = last;
    self->member_count = 1;
    self->between_count = 0;
    for (size_t k = 0; k < self->member_count; k++) {
        const size_t child = self->members[k];
        struct node *node = &self->nodes[child];

        node->base_s = now_s(self);
        node->path_s = node->need_s;
        node->due_s = INFINITY;
        for (size_t i = node->parents; i < node->parents + node->count; i++) {
            const size_t parent = self->links[i].parent;

            if (self->tasks[parent].promised && !moved) {
                node->base_s = fmax(node->base_s, (double)self->tasks[parent].deadline_s);
                continue;
            }
            self->between[self->between_count++] = i;
            if (self->nodes[parent].marked == self->divisions)
                continue;
            self->nodes[parent].marked = self->divisions;
            self->members[self->member_count++] = parent;
        }
    }
}

size_t chains_arrivals(struct chains *self, const struct task *task)
{
    size_t arrivals = 0;

    if (!isfinite(last_due(task)))
        return SIZE_MAX;
    if (!self)
        return 0;
    collect(self, place_of(self, task), true);
    for (size_t k = 1; k < self->member_count; k++) {
        const struct task *member = &self->tasks[self->members[k]];

        arrivals += !member->known && member->drives;
    }
    return arrivals;
}

/* The latest time by which `member` may end, without its children's deadlines. */
static double most_due(const struct task *member, enum division division)
{
    if (member->promised)
        return (double)member->deadline_s;
    return division == DIVISION_FREES ? INFINITY : last_due(member);
}

/* Whether the division differs from the division tried before. */
static bool is_other(const struct chains *self, enum division division)
{
    for (size_t k = 1; k < self->member_count; k++) {
        const struct task *task = &self->tasks[self->members[k]];

        if (division == DIVISION_MOVES
                ? task->promised
                : !task->promised && self->nodes[self->members[k]].due_s > last_due(task))
            return true;
    }
    return division == DIVISION_KEEPS;
}

static void note_change(struct chains *self, size_t place, bool is_last)
{
    const struct task *task = &self->tasks[place];

    self->changes = arena_grow(self->pricing->planner->arena, self->changes, self->change_count,
                               &self->change_room, sizeof(*self->changes));
    self->changes[self->change_count++] = (struct change){
        place, task->earliest_s, task->deadline_s, task->step, task->is_divided, is_last};
}

/* Sets the deadlines of the chain's members. False if a task cannot be in time. */
static bool set_members(struct chains *self)
{
    for (size_t k = 0; k < self->member_count; k++) {
        const size_t i = self->members[k];
        struct task *task = &self->tasks[i];

        note_change(self, i, k == 0);
        if (k > 0 && (!task->promised || self->nodes[i].due_s < (double)task->deadline_s)) {
            const int step = task->step;

            set_due(self, task, self->nodes[i].due_s);
            if (task->promised)
                task->step = step;
        }
    }
    for (size_t k = 0; k < self->member_count; k++) {
        struct task *task = &self->tasks[self->members[k]];

        if (self->nodes[self->members[k]].count > 0)
            task->earliest_s = whole(parents_due(self, self->members[k]), NEVER_S);
        pricing_until(self->pricing, task, task->deadline_s);
        if (!task->promised && (!isfinite(task->price) || (k > 0 && !task->drives)))
            return false;
    }
    return true;
}

/* Lets promises outside the chain begin sooner where their parents' promises are kept earlier. */
static void bring_forward(struct chains *self, size_t parent)
{
    for (size_t i = self->nodes[parent].children; i != NO_LINK; i = self->links[i].next) {
        const size_t child = self->links[i].child;
        struct task *task = &self->tasks[child];

        if (!task->promised || self->nodes[child].marked == self->divisions)
            continue;
        note_change(self, child, true);
        task->earliest_s = whole(parents_due(self, child), NEVER_S);
        pricing_until(self->pricing, task, task->deadline_s);
    }
}

bool chains_divide(struct chains *self, struct task *last, enum division division)
{
    self->changed = self->change_count;
    collect(self, place_of(self, last), division != DIVISION_KEEPS);
    spread(self, spread_path, true, self->between, self->between_count);
    for (size_t k = 1; k < self->member_count; k++)
        self->nodes[self->members[k]].due_s = most_due(&self->tasks[self->members[k]], division);
    self->nodes[self->members[0]].due_s = (double)last->deadline_s;
    spread(self, spread_due, false, self->between, self->between_count);
    if (!is_other(self, division))
        return false;
    if (!set_members(self)) {
        chains_undo(self);
        return false;
    }
    for (size_t k = 1; k < self->member_count; k++)
        bring_forward(self, self->members[k]);
    return true;
}

struct task_list chains_group(const struct chains *self)
{
    struct task_list group =
        task_list_open(self->pricing->planner->arena, self->member_count, task_latest_start);

    for (size_t k = 0; k < self->member_count; k++)
        if (!self->tasks[self->members[k]].promised)
            task_list_append(&group, &self->tasks[self->members[k]]);
    return group;
}

static void undo_to(struct chains *self, size_t count)
{
    while (self->change_count > count) {
        const struct change *change = &self->changes[--self->change_count];
        struct task *task = &self->tasks[change->place];

        task->earliest_s = change->earliest_s;
        if (!change->is_last) {
            task->deadline_s = change->deadline_s;
            task->step = change->step;
            task->is_divided = change->is_divided;
        }
        pricing_until(self->pricing, task, task->deadline_s);
    }
}

void chains_undo(struct chains *self)
{
    undo_to(self, self->changed);
}

void chains_undo_all(struct chains *self)
{
    if (self)
        undo_to(self, 0);
}

bool chains_follow(struct chains *self, struct task *task)
{
    if (!chains_has_parents(self, task))
        return true;
    if (!chains_divide(self, task, DIVISION_KEEPS))
        return false;
    if (self->member_count == 1)
        return true;
    chains_undo(self);
    return false;
}

bool chains_take_own(const struct chains *self, struct task *task, int first)
{
    double least_s;

    if (!self || !task->is_divided)
        return isfinite(last_due(task));
    least_s =
        fmax(now_s(self), (double)task->earliest_s) + self->nodes[place_of(self, task)].need_s;
    if (last_due(task) < least_s || !isfinite(last_due(task)))
        return false;
    set_due(self, task, first_due(task, least_s));
    soft_open(self->pricing, task, first);
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
    size_t i = self ? self->nodes[place_of(self, parent)].children : NO_LINK;

    while (i != NO_LINK && !self->tasks[self->links[i].child].promised)
        i = self->links[i].next;
    return i == NO_LINK ? NULL : &self->tasks[self->links[i].child];
}

bool chains_loosen(const struct chains *self, struct task *task)
{
    if (!self || !task->is_divided || !task_is_told(task))
        return false;
    task->is_divided = false;
    pricing_until(self->pricing, task, task_stated_s(task));
    return isfinite(task->price);
}

void chains_delay(struct chains *self, const struct task *parent)
{
    size_t i = self ? self->nodes[place_of(self, parent)].children : NO_LINK;

    for (; i != NO_LINK; i = self->links[i].next) {
        struct task *child = &self->tasks[self->links[i].child];

        if (!child->promised)
            continue;
        child->earliest_s = whole(parents_due(self, self->links[i].child), NEVER_S);
        child->strays = child->strays || !chains_may_start(child, &child->stand->course);
        pricing_until(self->pricing, child, child->deadline_s);
    }
}
