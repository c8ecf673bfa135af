/* keys_make.c - makes the keys of a process; see keys.h.
 *
 * libzmq is loaded when keys are made. Linked with libzmq, `rubato` would take milliseconds longer
 * at each start. */
#include "common/memory.h"
#include "common/object.h"
#include "common/output.h"
#include "protocol/key_file.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBZMQ "libzmq.so.5"

#define LINE_BYTES 512

/* The files of one process. */
struct key_paths {
    char key[PATH_MAX];
    char public_key[PATH_MAX];
    char allowed[PATH_MAX];
};

static int name_paths(struct key_paths *paths, const char *folder, const char *name,
                      struct error *error)
{
    if (strlen(folder) + PROCESS_NAME_MAX + 10 > PATH_MAX)
        return error_set(error, "%s: the name of the folder is too long", folder);
    (void)snprintf(paths->key, PATH_MAX, "%s/%s.key", folder, name);
    (void)snprintf(paths->public_key, PATH_MAX, "%s/%s.pub", folder, name);
    (void)snprintf(paths->allowed, PATH_MAX, "%s/allowed", folder);
    return 0;
}

static int write_whole(int file, const char *text)
{
    const size_t length = strlen(text);

    return write(file, text, length) == (ssize_t)length ? 0 : -1;
}

/* Writes a new file; no file is left if the writing fails. */
static int write_file(const char *path, mode_t mode, const char *text, struct error *error)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

    if (file < 0)
        return error_set(error, "%s: cannot be made: %s", path, strerror(errno));
    if (write_whole(file, text) < 0 || fsync(file) < 0) {
        error_unwritten(error, path, errno);
        (void)close(file);
        (void)unlink(path);
        return -1;
    }
    (void)close(file);
    return 0;
}

/* Whether the file does not end with a line's end. */
static bool ends_within_line(int file)
{
    const off_t size = lseek(file, 0, SEEK_END);
    char last;

    return size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

/* Appends a line in one write: a reader never sees a part of the line. A line that may not be on
 * the disk is taken back. */
static int append_whole(int file, const char *line)
{
    const off_t size = lseek(file, 0, SEEK_END);
    char whole[LINE_BYTES + 1];
    int number;

    (void)snprintf(whole, sizeof(whole), "%s%s", ends_within_line(file) ? "\n" : "", line);
    if (write_whole(file, whole) == 0 && fsync(file) == 0)
        return 0;
    number = errno;
    if (size >= 0 && ftruncate(file, size) == 0)
        (void)fsync(file);
    errno = number;
    return -1;
}

/* Appends a line. A new file does not stay if the line cannot be written. */
static int append_line(const char *path, const char *line, struct error *error)
{
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    const int new = open(path, flags | O_CREAT | O_EXCL, 0644);
    const int file = new >= 0 || errno != EEXIST ? new : open(path, flags);
    int result = 0;

    if (file < 0)
        return error_unwritten(error, path, errno);
    if (append_whole(file, line) < 0) {
        result = error_unwritten(error, path, errno);
        if (new >= 0)
            (void)unlink(path);
    }
    (void)close(file);
    return result;
}

static int make_pair(struct key_pair *pair, struct error *error)
{
    void *const library = object_open(LIBZMQ, error);
    int (*make)(char *public_key, char *secret_key) = NULL;
    void *symbol;
    int result = 0;

    if (!library)
        return error_set(error, "keys need %s, which cannot be loaded", LIBZMQ);
    symbol = dlsym(library, "zmq_curve_keypair");
    if (symbol)
        memcpy(&make, &symbol, sizeof(symbol)); /* POSIX's cast to a function */
    do {                                        /* a key must not begin like a comment */
        if (!make || make(pair->public_key, pair->secret_key) < 0)
            result = error_set(error, "%s cannot make keys", LIBZMQ);
    } while (result == 0 && (pair->public_key[0] == '#' || pair->secret_key[0] == '#'));
    (void)dlclose(library);
    return result;
}

static int write_keys(const struct key_paths *paths, const char *role, const char *name,
                      struct error *error)
{
    struct key_pair pair = {"", ""};
    char text[LINE_BYTES];
    int result;

    if (make_pair(&pair, error) < 0)
        return -1;
    (void)snprintf(text, sizeof(text),
                   "# keys of %s %s; keep the secret one secret\n"
                   "public %s\nsecret %s\n",
                   role, name, pair.public_key, pair.secret_key);
    result = write_file(paths->key, 0600, text, error);
    explicit_bzero(pair.secret_key, sizeof(pair.secret_key));
    explicit_bzero(text, sizeof(text));
    if (result < 0)
        return -1;
    (void)snprintf(text, sizeof(text), "# public key of %s %s\n%s\n", role, name, pair.public_key);
    if (write_file(paths->public_key, 0644, text, error) < 0) {
        (void)unlink(paths->key);
        return -1;
    }
    (void)snprintf(text, sizeof(text), "%s %s %s\n", pair.public_key, role, name);
    if (append_line(paths->allowed, text, error) < 0) {
        (void)unlink(paths->key);
        (void)unlink(paths->public_key);
        return -1;
    }
    return 0;
}

int keys_make(const char *folder, const char *role, const char *name, struct error *error)
{
    struct key_paths paths;
    int made;

    if (process_name_check(name, error) < 0 || process_name_check(role, error) < 0 ||
        name_paths(&paths, folder, name, error) < 0)
        return -1;
    made = output_make_folder(folder, error);
    if (made < 0)
        return -1;
    if (made > 0)
        (void)chmod(folder, 0700);
    if (key_folder_check(folder, error) < 0 || write_keys(&paths, role, name, error) < 0) {
        output_remove_folders(folder, made);
        return -1;
    }
    return 0;
}
