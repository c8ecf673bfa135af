/* entries.h - the readers of untrusted files, each as a function of the bytes of a file.
 *
 * The fuzz targets call these functions with bytes from libFuzzer, `fuzz_replay` with files. A
 * function returns if the reader refuses the bytes with one printable sentence that names the file,
 * or accepts them with values within their limits. Any other result fails an assertion. */
#ifndef FUZZ_ENTRIES_H
#define FUZZ_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

typedef void entry_fn(const uint8_t *bytes, size_t size);

entry_fn entry_trace;
entry_fn entry_throughput; /* table of throughputs in either layout */
entry_fn entry_cluster_spec;
entry_fn entry_faults; /* faults of nodes in a simulation */
entry_fn entry_config;
entry_fn entry_messages; /* frame of a message, read as a message of every link */
entry_fn entry_stream;   /* bytes from a server to a client on a local socket */
entry_fn entry_keys;     /* file of keys, read as each of the three kinds */
entry_fn entry_commands;
entry_fn entry_step;    /* text of a step in the state of a service */
entry_fn entry_jobs;    /* trained jobs in a state */
entry_fn entry_log;     /* write-ahead log of the database of a state */
entry_fn entry_import;  /* job log, read as that of each other system */
entry_fn entry_results; /* files of a result folder, drawn as a picture if they are valid */
entry_fn entry_sweep;   /* lists in the config file of a sweep */
entry_fn entry_record; /* record of a run; in a fuzzer the checksums of its bytes hold, whatever the
                          bytes are */

#endif
