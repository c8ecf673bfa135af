/* entries.h - the readers of the world's files, each as a function of the bytes in the file.
 *
 * The fuzz targets call them with what libFuzzer makes up, `fuzz_replay` with files. They return
 * when the bytes are refused with one printable sentence that names the file, or accepted with
 * values that keep to their limits; anything else is an assertion. */
#ifndef FUZZ_ENTRIES_H
#define FUZZ_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

typedef void entry_fn(const uint8_t *bytes, size_t size);

entry_fn entry_trace;
entry_fn entry_throughput; /* as a table of either layout */
entry_fn entry_cluster_spec;
entry_fn entry_faults; /* of nodes, in a simulation */
entry_fn entry_config;
entry_fn entry_messages; /* a frame, as a message of every link */
entry_fn entry_stream;   /* what a server sends a client on a local socket */
entry_fn entry_keys;     /* as each of the three kinds of files */
entry_fn entry_commands;
entry_fn entry_step;    /* of a state, as its text */
entry_fn entry_jobs;    /* of a state: what is known of a trained job */
entry_fn entry_log;     /* of a state: the write-ahead log of its database */
entry_fn entry_import;  /* as a job log of each other system */
entry_fn entry_results; /* of a run, as files of its result folder; drawn if they make sense */
entry_fn entry_sweep;   /* the config file of a sweep, as far as its lists go */
entry_fn entry_record;  /* of a run; checks of its bytes hold in a fuzzer whatever they are */

#endif
