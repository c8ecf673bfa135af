/* oracle_chronus_slots.c - lease slots to come, what is free in them, and what fits (sections 6.1
 * to 6.3). */
#include "oracle_chronus_internal.h"

#include <assert.h>
#include <string.h>

/* Arrays of slots are what makes the oracle plain; worlds with deadlines beyond this are not for
 * it. */
#define SLOTS_MAX (1L << 24)

/* Section 6.1: from the next lease boundary on; not above 0 if it is too late. */
long chronus_slot_count(const struct chronus *self, const struct chronus_job *job, size_t level)
{
    long m = job->given->levels[level].deadline_s / self->setting->lease_s - self->q;

    assert(m <= SLOTS_MAX);
    return m;
}

/* CH-Q10: entries are counted in larger sizes than jobs hold. */
int chronus_bin(const struct chronus *self, int gpus)
{
    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q10))
        return gpus;
    if (gpus == 3)
        return 4;
    return gpus == 5 || gpus == 6 || gpus == 7 ? 8 : gpus;
}

bool chronus_is_active(const struct chronus_job *job)
{
    return job->class == ORACLE_ACCEPTED && job->eligible && job->need > 0;
}

static long slots_of_active(const struct chronus *self, const struct chronus_jobs *list, long most)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t v = 0; chronus_is_active(list->at[i]) && v < list->at[i]->given->level_count;
             v++)
            if (chronus_slot_count(self, list->at[i], v) > most)
                most = chronus_slot_count(self, list->at[i], v);
    return most;
}

static void take_plans(struct chronus_slots *slots, const struct chronus_jobs *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct chronus_job *job = list->at[i];

        for (long s = 0; chronus_is_active(job) && job->plan && s < job->plan_length; s++)
            if (job->plan[s]) {
                assert(s < slots->count);
                slots->at[s] -= job->given->gpus;
            }
    }
}

static struct chronus_slots slots_new(struct chronus *self, long slot_count)
{
    struct chronus_slots slots = {
        .at = oracle_resize(&self->call, NULL, (size_t)slot_count * sizeof(slots.at[0]) + 1),
        .count = slot_count};

    for (long s = 0; s < slot_count; s++)
        slots.at[s] = self->setting->gpu_count;
    return slots;
}

void chronus_slots_drop(struct chronus *self, struct chronus_slots *slots)
{
    oracle_free(&self->call, slots->at);
    *slots = (struct chronus_slots){0};
}

struct chronus_slots chronus_residual(struct chronus *self)
{
    long most = slots_of_active(self, &self->running, slots_of_active(self, &self->pending, 0));
    struct chronus_slots slots = slots_new(self, most);

    take_plans(&slots, &self->pending);
    take_plans(&slots, &self->running);
    return slots;
}

void chronus_entry_add(struct chronus *self, struct chronus_entries *entries,
                       struct chronus_job *job, size_t level)
{
    if (entries->count == entries->room) {
        entries->room = 2 * entries->room + 8;
        entries->at =
            oracle_resize(&self->call, entries->at, entries->room * sizeof(entries->at[0]));
    }
    entries->at[entries->count++] =
        (struct chronus_entry){.m = chronus_slot_count(self, job, level),
                               .need = job->need,
                               .gpus = chronus_bin(self, job->given->gpus),
                               .value = job->given->levels[level].value,
                               .level = level,
                               .job = job};
}

/* CH-Q18: an admitted job may still be served at any of its levels. Repaired, it is at the one that
 * it was promised: then nothing but that promise is booked and kept. */
void chronus_entries_add_admitted(struct chronus *self, struct chronus_entries *entries,
                                  struct chronus_job *job)
{
    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q18)) {
        chronus_entry_add(self, entries, job, job->lev);
        return;
    }
    for (size_t v = 0; v < job->given->level_count; v++)
        chronus_entry_add(self, entries, job, v);
}

void chronus_entries_drop(struct chronus *self, struct chronus_entries *entries)
{
    oracle_free(&self->call, entries->at);
    *entries = (struct chronus_entries){0};
}

void chronus_entries_sort(struct chronus_entries *entries,
                          int (*compare)(const struct chronus_entry *,
                                         const struct chronus_entry *))
{
    for (size_t i = 1; i < entries->count; i++) {
        struct chronus_entry entry = entries->at[i];
        size_t to = i;

        for (; to > 0 && compare(&entry, &entries->at[to - 1]) < 0; to--)
            entries->at[to] = entries->at[to - 1];
        entries->at[to] = entry;
    }
}

bool chronus_pack_entry(struct chronus_slots *slots, const struct chronus_entry *entry, char *plan)
{
    long lacking = entry->need;

    for (long s = entry->m - 1; s >= 0 && lacking > 0; s--)
        if (slots->at[s] >= entry->gpus)
            lacking--;
    if (lacking > 0)
        return false;
    lacking = entry->need;
    for (long s = entry->m - 1; lacking > 0; s--)
        if (slots->at[s] >= entry->gpus) {
            slots->at[s] -= entry->gpus;
            lacking--;
            if (plan)
                plan[s] = 1;
        }
    return true;
}

int chronus_compare_for_packing(const struct chronus_entry *a, const struct chronus_entry *b)
{
    if (a->gpus != b->gpus)
        return chronus_sign(b->gpus, a->gpus);
    if (a->m - a->need != b->m - b->need)
        return chronus_sign(a->m - a->need, b->m - b->need);
    return chronus_sign(b->m, a->m);
}

/* CH-Q18: of a job with several levels it is the tightest one that comes first. */
static bool pack_all(struct chronus_slots *slots, const struct chronus_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        entries->at[i].job->is_packed = false;
    for (size_t i = 0; i < entries->count; i++) {
        const struct chronus_entry *entry = &entries->at[i];

        if (entry->job->is_packed)
            continue;
        if (!chronus_pack_entry(slots, entry, NULL))
            return false;
        entry->job->is_packed = true;
    }
    return true;
}

bool chronus_pack(struct chronus *self, const struct chronus_slots *residual,
                  const struct chronus_entries *entries)
{
    struct chronus_entries sorted = {.room = entries->count, .count = entries->count};
    struct chronus_slots slots;
    long most = residual->count;
    bool packs;

    if (entries->count == 0)
        return true;
    for (size_t i = 0; i < entries->count; i++)
        if (entries->at[i].m > most)
            most = entries->at[i].m;
    slots = slots_new(self, most);
    if (residual->count > 0)
        memcpy(slots.at, residual->at, (size_t)residual->count * sizeof(slots.at[0]));
    sorted.at = oracle_resize(&self->call, NULL, entries->count * sizeof(sorted.at[0]));
    memcpy(sorted.at, entries->at, entries->count * sizeof(sorted.at[0]));
    chronus_entries_sort(&sorted, chronus_compare_for_packing);
    packs = pack_all(&slots, &sorted);
    chronus_entries_drop(self, &sorted);
    chronus_slots_drop(self, &slots);
    return packs;
}
