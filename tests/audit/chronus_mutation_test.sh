#!/bin/bash
# chronus_mutation_test.sh - the auditor names what is broken in an engine that hands out leases.
source "$(dirname "$0")/mutants.sh"
export RUBATO_SOLVERS=$build/lib/rubato # a mutant is not where it could find them

plan=(--solver=none --lease_term_interval=60 --admission_interval=60)
leasing=("${plan[@]}")
unbroken chronus

mutant "estimates have another margin" scheduler/policies/lease_admission.c \
    chronus promise-mismatch \
    '#define ESTIMATE_MARGIN 1.1' '#define ESTIMATE_MARGIN 1.2'

mutant "promises are not rounded" scheduler/policies/lease_admission.c \
    chronus promise-mismatch \
    'deadline_s / lease_s * lease_s;' 'deadline_s;'

mutant "everybody is promised his deadline" scheduler/policies/lease_admission.c \
    chronus promise-withdrawn \
    'if (look->rules->fits(batch, lease)) {' 'if (look->rules->fits(batch, lease) || true) {'

mutant "plans are read a slot late" scheduler/policies/lease_round.c \
    chronus promise-withdrawn \
    'slot_runs_has(&lease->plan, look->slot)' 'slot_runs_has(&lease->plan, look->slot - 1)'

mutant "whoever has a promise gets spare GPUs" scheduler/policies/lease_hand_out.c \
    chronus leases-mismatch \
    '(lease->class == LEASE_ACCEPTED && !with_accepted)' '(lease->leases > 0 && !with_accepted)'

mutant "spare GPUs are handed out whenever somebody looks" scheduler/policies/chronus.c \
    chronus out-of-slot \
    'if (view->now_s % leasing->admission_s == 0) {' 'if (view->now_s >= 0) {'

mutant "spare GPUs stay idle" scheduler/policies/lease_hand_out.c \
    chronus idle-gpus \
    'if (gpus > free_gpus ||' 'if (gpus + 4 > free_gpus ||'

mutant "nobody is hopeless" scheduler/policies/lease_hand_out.c \
    chronus class-mismatch \
    'return lease->deadline_s < look->now_s + job->duration_s - job->attained_s;' \
    'return lease->deadline_s < look->now_s - job->duration_s - job->attained_s;'

mutant "waiting is credited, but nobody is told" scheduler/policies/lease_round.c \
    chronus wait-mismatch \
    'lease->waited_s += look->now_s - lease->since_s;' ';'

mutant "waiting is not credited" scheduler/policies/lease_round.c \
    chronus wait-mismatch \
    'return lease->since_s;' 'return lease->since_s < now_s ? now_s : now_s;'

mutant "waiting is credited that must not be" scheduler/policies/quirks.c \
    chronus wait-mismatch \
    'policy->sharing.chronus.credited_from_s = chronus_credit_from_start;' ';' CH-Q1

mutant "time on GPUs is credited twice" scheduler/backend/backend_sim.c \
    chronus work-overcredited \
    '.worked_s = now_s - lease->since_s};' '.worked_s = 2 * (now_s - lease->since_s)};'

mutant "starts cost the same on all GPUs" scheduler/state/lease_book.c \
    chronus end-mismatch \
    '(1 + log2((double)lease->job->gpus_requested));' '(1 + log2(1.0));'

mutant "the first start is free" scheduler/policies/lease_hand_out.c \
    chronus starts-mismatch \
    'if (look->rules->start_costs(lease))' 'if (look->rules->start_costs(lease) && lease->starts > 0)'

mutant "who keeps his GPUs pays for a start" scheduler/policies/quirks.c \
    chronus starts-mismatch \
    'policy->sharing.chronus.start_costs = chronus_changes_cost;' ';' CH-Q8

mutant "ends are seen a check late" scheduler/engine/forecast.c \
    chronus end-mismatch \
    'seen_at_s = round_up(' 'seen_at_s = check_s + round_up('

mutant "arrivals are seen an admission late" scheduler/engine/forecast.c \
    chronus arrival-missed \
    '? round_up(job->submit_s, self->setting.leasing.admission_s)' \
    '? round_up(job->submit_s + 60, self->setting.leasing.admission_s)'

mutant "nobody is late" scheduler/engine/retire.c \
    chronus promise-mismatch \
    'late = !job->best_effort &&' 'late = false && !job->best_effort &&'

mutant "best effort has to meet deadlines although it must not" scheduler/policies/quirks.c \
    chronus record-mismatch \
    'policy->rules.best_effort = BEST_EFFORT_IS_KEPT;' ';' CH-Q9

mutant "promises are recorded that were never given" scheduler/report/lease_report.c \
    chronus promise-broken \
    'return "lowest";' 'return "accepted";'

mutant "leases are not counted" scheduler/policies/lease_round.c \
    chronus lease-mismatch \
    'lease->leases++;' ';'

mutant "one GPU less is granted than leased" scheduler/policies/lease_round.c \
    chronus lease-mismatch \
    'look->book->round.granted_gpus += lease->job->gpus_requested;' \
    'look->book->round.granted_gpus += lease->job->gpus_requested - 1;'

mutant "lease rounds are left out of the record" scheduler/policies/lease_round.c \
    chronus lease-mismatch \
    'book->round_held = book->round.entries > 0;' 'book->round_held = book->round.entries > 2;'

mutant "the record of admissions is wrong" scheduler/report/lease_report.c \
    chronus count-mismatch \
    'self->figures.admitted += lease->class == LEASE_ACCEPTED;' 'self->figures.admitted++;'

leasing=("${plan[@]}" --solver=cbc)
unbroken chronus

mutant "a solution is taken for a plan" scheduler/policies/lease_choice.c \
    chronus lease-mismatch \
    'LEASE_BY_FULL : LEASE_BY_COMPACTED;' 'LEASE_BY_FULL : LEASE_BY_PLAN;'

mutant "the closed form is taken for a solution" scheduler/policies/lease_round.c \
    chronus lease-mismatch \
    'look->book->round.method = LEASE_BY_CLOSED_FORM;' 'look->book->round.method = LEASE_BY_FULL;'

leasing=("${plan[@]}" --solver=cbc --mip_objective=minimize)

mutant "the objective is another than asked for" scheduler/policies/lease_round.c \
    chronus lease-mismatch \
    'if (look->leasing->objective != OBJECTIVE_ADAPTIVE)' 'if (look->leasing->objective == OBJECTIVE_RANDOM)'

all_named
