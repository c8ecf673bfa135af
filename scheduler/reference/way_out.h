/* way_out.h - how a run goes on where the artifact aborts: the end of sentences that say it does.
 */
#ifndef REFERENCE_WAY_OUT_H
#define REFERENCE_WAY_OUT_H

#define WAY_OUT           "--rules clean goes on"
#define WAY_OUT_OF_PLACES "--rules clean or --placement best-fit places them"

#endif
