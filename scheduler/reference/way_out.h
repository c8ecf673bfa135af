/* way_out.h - the end of sentences about an abort of the artifact: how the run can go on. */
#ifndef REFERENCE_WAY_OUT_H
#define REFERENCE_WAY_OUT_H

#define WAY_OUT           "--rules clean goes on"
#define WAY_OUT_OF_PLACES "--rules clean or --placement best-fit places them"

#endif
