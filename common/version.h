/* version.h - the version of Rubato. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

/* "0.1.0 (decisions 1a2b3c4d5e6f)": the release, and the first 12 hexadecimal digits of a SHA-256
 * over all sources that decide. Two builds with the same text decide alike; cmake/Version.cmake
 * says which sources count. */
extern const char version_text[];

#endif
