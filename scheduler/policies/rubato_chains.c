/* rubato_chains.c - see rubato.h. The deadline of a pipeline is divided backwards: each job has a
 * share of the time up to it, by what the job needs where it is fastest. */
#include "scheduler/policies/rubato.h"

#include <math.h>

/* `child` waits for `parent`. */
struct link {
    size_t parent;
    size_t child;
};

/* A task of the round in its chain. */
struct node {
    double need_s; /* where it is fastest, a new start included */
    double base_s; /* when the longest path to it begins: now, or after a promised job */
    double path_s; /* what the jobs on that path need, with this one; 0 for a promised one */
    double due_s;  /* INFINITY for none */
    size_t group;  /* the first of the jobs that are promised with it or not at all */
    bool lost;     /* a parent is none that ends by a time known now */
    bool tried;    /* in this try, of the first of a group */
};

struct chains {
    struct node *nodes; /* as the tasks of the round */
    struct link *links;
    size_t count;
    size_t room;
};

static size_t place_of(const struct round *round, const struct task *task)
{
    return (size_t)(task - round->tasks);
}

/* ---- who waits for whom ---- */

static size_t find(const struct round *round, uint64_t number)
{
    size_t i = 0;

    while (i < round->count && round->tasks[i].job->number != number)
        i++;
    return i;
}

static void add_links(struct round *round, size_t child)
{
    struct chains *chains = round->chains;
    const struct job *job = round->tasks[child].job;

    for (size_t k = 0; k < job->submission->parent_count; k++) {
        const size_t parent =
            job_waits_for(job, k) ? find(round, job->submission->parents[k].number) : SIZE_MAX;

        if (parent == round->count)
            chains->nodes[child].lost = true;
        if (parent >= round->count)
            continue;
        chains->links = arena_grow(round->planner.arena, chains->links, chains->count,
                                   &chains->room, sizeof(*chains->links));
        chains->links[chains->count++] = (struct link){parent, child};
    }
}

/* ---- the division ---- */

static double need_of(const struct round *round, const struct task *task)
{
    const int level = task->usable[task->scaling->reach];

    if (level == 0)
        return INFINITY;
    return task_work(task) / task->scaling->rate[level] +
           planner_price_later(&round->planner, task_gpus(task, level));
}

static void open_node(struct round *round, size_t i)
{
    struct node *node = &round->chains->nodes[i];
    const struct task *task = &round->tasks[i];

    *node = (struct node){.base_s = (double)round->view->now_s,
                          .due_s = task->deadline_s == DEADLINE_NONE_S ? INFINITY
                                                                       : (double)task->deadline_s,
                          .group = i};
    if (task->promised)
        node->base_s = node->due_s;
    else
        node->path_s = node->need_s = need_of(round, task);
}

/* Each of these says whether it changed something. */
typedef bool spread_fn(struct round *round, const struct link *link);

static bool spread_path(struct round *round, const struct link *link)
{
    const struct node *parent = &round->chains->nodes[link->parent];
    struct node *child = &round->chains->nodes[link->child];
    const double base_s = fmax(child->base_s, parent->base_s);
    const double path_s = fmax(child->path_s, child->need_s + parent->path_s);
    const bool changes = base_s > child->base_s || path_s > child->path_s;

    if (round->tasks[link->child].promised)
        return false;
    child->base_s = base_s;
    child->path_s = path_s;
    return changes;
}

static bool spread_due(struct round *round, const struct link *link)
{
    struct node *parent = &round->chains->nodes[link->parent];
    const struct node *child = &round->chains->nodes[link->child];
    double due_s;

    if (round->tasks[link->parent].promised || round->tasks[link->child].promised ||
        !isfinite(child->due_s))
        return false;
    due_s = floor(child->base_s +
                  (child->due_s - child->base_s) * (child->path_s - child->need_s) / child->path_s);
    if (!(due_s < parent->due_s))
        return false;
    parent->due_s = due_s;
    return true;
}

static bool is_open(const struct round *round, size_t i)
{
    return !round->tasks[i].promised && isfinite(round->chains->nodes[i].due_s);
}

static bool spread_group(struct round *round, const struct link *link)
{
    struct node *parent = &round->chains->nodes[link->parent];
    struct node *child = &round->chains->nodes[link->child];
    const size_t first = parent->group < child->group ? parent->group : child->group;
    const bool changes = parent->group != child->group;

    if (!is_open(round, link->parent) || !is_open(round, link->child))
        return false;
    parent->group = child->group = first;
    return changes;
}

/* Until nothing changes: so often as the longest chain has jobs at most, for jobs wait for jobs
 * that came before. */
static void spread(struct round *round, spread_fn *one)
{
    bool changes = true;

    for (size_t tries = 0; changes && tries <= round->chains->count; tries++) {
        changes = false;
        for (size_t i = 0; i < round->chains->count; i++)
            changes = one(round, &round->chains->links[i]) || changes;
    }
}

/* ---- what the plan has to heed ---- */

/* When the parents of a task have ended, if they all keep their times. */
static void set_earliest(struct round *round, const struct link *link)
{
    struct chains *chains = round->chains;
    const struct node *parent = &chains->nodes[link->parent];
    struct task *child = &round->tasks[link->child];

    if (!isfinite(parent->due_s) || parent->due_s <= (double)round->view->now_s)
        chains->nodes[link->child].lost = true;
    else if ((double)child->earliest_s < parent->due_s)
        child->earliest_s = (int64_t)parent->due_s;
}

static void set_deadline(const struct round *round, struct task *task, double due_s)
{
    task->is_divided = isfinite(due_s) && (int64_t)due_s < soft_deadline_s(task);
    price_until(round, task, isfinite(due_s) ? (int64_t)due_s : DEADLINE_NONE_S);
}

static double own_due_s(const struct task *task)
{
    const int64_t deadline_s = soft_deadline_s(task);

    return deadline_s == DEADLINE_NONE_S ? INFINITY : (double)deadline_s;
}

/* A group of which one job cannot end by its time is none: its jobs are by themselves. */
static void drop_lost(struct round *round)
{
    struct node *nodes = round->chains->nodes;

    for (size_t i = 0; i < round->count; i++)
        if (is_open(round, i) && (nodes[i].lost || !isfinite(round->tasks[i].price)))
            nodes[nodes[i].group].lost = true;
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        if (task->promised || !nodes[nodes[i].group].lost)
            continue;
        nodes[i].due_s = own_due_s(task);
        set_deadline(round, task, nodes[i].due_s);
    }
    for (size_t i = 0; i < round->count; i++)
        if (round->tasks[i].waits && (nodes[i].lost || nodes[nodes[i].group].lost))
            round->tasks[i].earliest_s = NEVER_S;
}

void chains_open(struct round *round)
{
    arena_t *arena = round->planner.arena;
    struct chains *chains = arena_alloc(arena, sizeof(*chains));

    *chains =
        (struct chains){.nodes = arena_alloc(arena, (round->count + 1) * sizeof(*chains->nodes))};
    round->chains = chains;
    for (size_t i = 0; i < round->count; i++)
        open_node(round, i);
    for (size_t i = 0; i < round->count; i++) {
        round->tasks[i].waits = job_waits(round->tasks[i].job);
        if (round->tasks[i].waits)
            add_links(round, i);
    }
    spread(round, spread_path);
    spread(round, spread_due);
    spread(round, spread_group);
    for (size_t i = 0; i < chains->count; i++)
        set_earliest(round, &chains->links[i]);
    for (size_t i = 0; i < round->count; i++)
        if (is_open(round, i))
            set_deadline(round, &round->tasks[i], chains->nodes[i].due_s);
    drop_lost(round);
}

/* ---- whole or not at all ---- */

void chains_try_again(struct round *round)
{
    for (size_t i = 0; round->chains && i < round->count; i++) {
        struct node *node = &round->chains->nodes[i];

        node->tried = false;
        if (is_open(round, i) && (double)round->tasks[i].deadline_s != node->due_s)
            set_deadline(round, &round->tasks[i], node->due_s);
    }
}

static bool is_of_group(const struct round *round, size_t i, size_t group)
{
    return is_open(round, i) && round->chains->nodes[i].group == group;
}

struct task_list chains_group(struct round *round, struct task *task)
{
    struct task_list members =
        task_list_open(round->planner.arena, round->chains ? round->count : 1, task_latest_start);
    size_t group;

    if (!round->chains || task->promised) {
        task_list_append(&members, task);
        return members;
    }
    group = round->chains->nodes[place_of(round, task)].group;
    for (size_t i = 0; i < round->count; i++)
        if (is_of_group(round, i, group))
            task_list_append(&members, &round->tasks[i]);
    if (members.count == 0)
        task_list_append(&members, task);
    return members;
}

bool chains_left(const struct round *round, const struct task *task)
{
    const struct node *nodes = round->chains->nodes;

    return task->waits && nodes[nodes[place_of(round, task)].group].tried;
}

bool chains_is_new(struct round *round, const struct task *task)
{
    struct node *nodes = round->chains->nodes;
    struct node *first = &nodes[nodes[place_of(round, task)].group];
    const bool is_new = !first->tried;

    first->tried = true;
    return is_new;
}

bool chains_leave(struct round *round, struct task *task)
{
    const double own_s = own_due_s(task);

    if (task->waits || !isfinite(own_s))
        return false;
    set_deadline(round, task, own_s);
    return true;
}

/* ---- after a disturbance ---- */

bool chains_may_start(const struct task *task, const struct course *course)
{
    const int64_t starts_s = course_rise_s(course, INT64_MIN, 0);

    return !task->waits || (task->earliest_s != NEVER_S && starts_s >= task->earliest_s);
}

struct task *chains_child(const struct round *round, const struct task *parent)
{
    for (size_t i = 0; round->chains && i < round->chains->count; i++) {
        const struct link *link = &round->chains->links[i];

        if (&round->tasks[link->parent] == parent && round->tasks[link->child].promised)
            return &round->tasks[link->child];
    }
    return NULL;
}
