/* plural.h - the ending of a word that is counted: "1 node", "2 nodes". */
#ifndef COMMON_PLURAL_H
#define COMMON_PLURAL_H

#define PLURAL(count) ((count) == 1 ? "" : "s")

#endif
