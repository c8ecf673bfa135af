/* verbs.h - the verbs of `rubato`. Each verb parses its own command line, in which argv[0] is the
 * verb. Each returns the exit status, which is 2 after a user's mistake. */
#ifndef TOOLS_VERBS_H
#define TOOLS_VERBS_H

int verb_simulate(int argc, char **argv);
int verb_compare(int argc, char **argv);
int verb_sweep(int argc, char **argv);
int verb_bound(int argc, char **argv);
int verb_local(int argc, char **argv);
int verb_replay(int argc, char **argv);
int verb_audit(int argc, char **argv);
int verb_export(int argc, char **argv);
int verb_policies(int argc, char **argv);
int verb_quirks(int argc, char **argv);
int verb_new_policy(int argc, char **argv);
int verb_trace_info(int argc, char **argv);
int verb_trace_validate(int argc, char **argv);
int verb_trace_convert(int argc, char **argv);
int verb_trace_generate(int argc, char **argv);
int verb_trace_import(int argc, char **argv);
int verb_trace_overhead(int argc, char **argv);
int verb_trace_search(int argc, char **argv);
int verb_quote(int argc, char **argv);

/* verbs of rubato-more */
int verb_figure(int argc, char **argv);
int verb_keys(int argc, char **argv);
int verb_report(int argc, char **argv);

/* verbs of a service */
int verb_up(int argc, char **argv);
int verb_down(int argc, char **argv);
int verb_state(int argc, char **argv);
int verb_submit(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_wait(int argc, char **argv);
int verb_cancel(int argc, char **argv);
int verb_hold(int argc, char **argv);
int verb_release(int argc, char **argv);
int verb_nodes(int argc, char **argv);
int verb_drain(int argc, char **argv);
int verb_resume(int argc, char **argv);
int verb_reserve(int argc, char **argv);
int verb_reservations(int argc, char **argv);
int verb_status(int argc, char **argv);
int verb_change(int argc, char **argv);
int verb_logs(int argc, char **argv);
int verb_top(int argc, char **argv);
int verb_history(int argc, char **argv);
int verb_promises(int argc, char **argv);
int verb_profile(int argc, char **argv);
int verb_profiles(int argc, char **argv);
int verb_learn(int argc, char **argv);
int verb_whatif(int argc, char **argv);

#endif
