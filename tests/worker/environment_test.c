/* environment_test.c - what of a worker's environment its trainers and programs see. */
#include "worker/environment.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error error;

static void assert_words(char *const *environment, const char *more, const char *expected)
{
    char **words = environment_select(environment, more, &error);
    char all[512] = "";

    assert_non_null(words);
    for (size_t i = 0; words[i]; i++) {
        const size_t used = strlen(all);

        assert_true(used + strlen(words[i]) + 2 < sizeof(all));
        (void)snprintf(all + used, sizeof(all) - used, "%s ", words[i]);
    }
    assert_string_equal(all, expected);
    free(words);
}

TEST(only_what_is_on_the_list_is_passed_on)
{
    static char *environment[] = {
        "PATH=/bin",    "PATHS=x",    "LD_PRELOAD=x", "LC_ALL=C", "PYTHONPATH=x",
        "RUBATO_X=1",   "HOME=/root", "HOMELESS=1",   "TZ=UTC",   "BASH_ENV=x",
        "TOKEN=secret", "LANG=de",    "RUBATO=1",     "PATH",     NULL};

    assert_words(environment, NULL, "PATH=/bin LC_ALL=C RUBATO_X=1 HOME=/root TZ=UTC LANG=de ");
}

TEST(what_was_asked_for_is_passed_on_too)
{
    static char *environment[] = {"LD_PRELOAD=x", "PYTHONPATH=y", "PYTHON=z", NULL};

    assert_words(environment, "PYTHONPATH,ABSENT,LD_PRELOAD", "LD_PRELOAD=x PYTHONPATH=y ");
    assert_words(environment, "", "");
}

static void assert_network(char *const *environment, const char *more, const char *interface,
                           const char *first, const char *second)
{
    struct environment_network network;
    char **words = environment_of_node(environment, more, interface, &network, &error);

    assert_non_null(words);
    assert_string_equal(words[0], "TZ=UTC");
    assert_string_equal(words[1], first);
    assert_string_equal(words[2], second);
    assert_null(words[3]);
    free(words);
}

TEST(ranks_meet_on_the_interface_of_the_node)
{
    static char *plain[] = {"TZ=UTC", NULL};
    static char *own[] = {"TZ=UTC", "NCCL_SOCKET_IFNAME=ib0", NULL};
    struct environment_network network;
    char **words;

    assert_network(plain, NULL, "eth1", "GLOO_SOCKET_IFNAME=eth1", "NCCL_SOCKET_IFNAME==eth1");
    assert_network(own, NULL, "eth1", "GLOO_SOCKET_IFNAME=eth1", "NCCL_SOCKET_IFNAME=ib0");
    assert_network(own, "NCCL_SOCKET_IFNAME", "eth1", "NCCL_SOCKET_IFNAME=ib0",
                   "GLOO_SOCKET_IFNAME=eth1");
    words = environment_of_node(own, NULL, "", &network, &error);
    assert_non_null(words);
    assert_null(words[1]);
    free(words);
}

TEST(what_is_no_name_is_refused)
{
    static char *environment[] = {NULL};

    assert_null(environment_select(environment, "A,,B", &error));
    assert_string_equal(error.text, "--pass-env: \"\" is no name of a variable");
    assert_null(environment_select(environment, "A=1", &error));
    assert_string_equal(error.text, "--pass-env: \"A=1\" is no name of a variable");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
