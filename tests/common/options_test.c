/* options_test.c - one table of options: both spellings, config file, help for users and shells.
 *
 * What ends the process is tried on the scheduler itself. */
#include "common/option_places.h"
#include "common/options.h"
#include "tests/support/folder.h"
#include "tests/support/program.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const colours[] = {"red", "green", NULL};

/* Static, as are the texts: the parser keeps what it joins for the whole process. */
static struct settings {
    bool loud;
    const char *name;
    const char *colour;
    int64_t count;
    double speed;
    struct option_range span;
} settings;

static const struct option_spec options[] = {
    OPTION_SWITCH("loud", &settings.loud, "make noise"),
    OPTION_LETTER_TEXT('n', "name", "NAME", &settings.name, "what it is called"),
    OPTION_CHOICE("colour", "COLOUR", &settings.colour, colours, "how it looks"),
    OPTION_WHOLE("count", "PIECES", &settings.count, 1, 100, "how many there are"),
    OPTION_REAL("speed", "M_PER_S", &settings.speed, 0.5, 10, "how fast it goes"),
    OPTION_RANGE("span", "LOW:HIGH", &settings.span, 0, 1000, "from where to where"),
    OPTION_END,
};

static struct command command = {.name = "tester",
                                 .summary = "Try options",
                                 .text = "'There' is more to say.\n.Even this.",
                                 .options = options};

static folder_t *folder;
static struct error error;
static struct operands operands;
static char *arguments[16];

FIXTURE(set_up)
{
    folder = folder_new();
    settings = (struct settings){
        .colour = "red", .count = 7, .speed = 1.5, .span = {.low = 10, .high = 20}};
    command.operands = NULL;
    operands = (struct operands){NULL, 0};
    return 0;
}

FIXTURE(tear_down)
{
    free(operands.items);
    folder_destroy(&folder);
    return 0;
}

/* The parser joins a switch and its word, for as long as the process lives. */
static void free_joined(const char *const words[])
{
    for (size_t i = 1; arguments[i]; i++) {
        size_t k = 0;

        while (words[k] && words[k] != arguments[i])
            k++;
        if (!words[k])
            free(arguments[i]);
    }
}

static int parse(const char *const words[])
{
    int result;
    static char program[] = "tester";
    size_t count = 0;

    while (words[count])
        count++;
    assert_true(count + 2 <= COUNT(arguments));
    arguments[0] = program;
    memcpy(&arguments[1], words, (count + 1) * sizeof(*arguments));
    result = options_parse(&command, (int)count + 1, arguments, &operands, &error);
    free_joined(words);
    return result;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

#define ON_SETTINGS(name) TEST_WITH(name, set_up, tear_down)

ON_SETTINGS(without_a_word_the_defaults_stand)
{
    assert_int_equal(parse((const char *const[]){NULL}), 0);
    assert_false(settings.loud);
    assert_null(settings.name);
    assert_string_equal(settings.colour, "red");
    assert_int_equal(settings.count, 7);
}

ON_SETTINGS(a_value_may_be_joined_or_stand_alone)
{
    assert_int_equal(PARSE("--name=a", "--count", "8", "--speed=2.5", "--colour", "green"), 0);
    assert_string_equal(settings.name, "a");
    assert_int_equal(settings.count, 8);
    assert_true(settings.speed == 2.5);
    assert_string_equal(settings.colour, "green");
}

ON_SETTINGS(a_short_form_does_what_the_long_one_does)
{
    assert_int_equal(PARSE("-n", "a"), 0);
    assert_string_equal(settings.name, "a");
    assert_int_equal(PARSE("-nb"), 0);
    assert_string_equal(settings.name, "b");
}

ON_SETTINGS(a_list_has_each_text_that_was_given)
{
    static struct option_list list;
    static bool short_switch;
    const struct option_spec own[] = {
        OPTION_LIST("item", "TEXT", &list, "one of them"),
        OPTION_LETTER_SWITCH('f', "flag", &short_switch, "a switch"),
        OPTION_END,
    };

    command.options = own;
    assert_int_equal(PARSE("--item=a", "-f", "--item", "b=c", "--item=a"), 0);
    command.options = options;
    assert_true(short_switch);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0], "a");
    assert_string_equal(list.items[1], "b=c");
    assert_string_equal(list.items[2], "a");
}

ON_SETTINGS(a_list_has_no_empty_text)
{
    static struct option_list list;
    const struct option_spec own[] = {OPTION_LIST("item", "TEXT", &list, "one"), OPTION_END};

    command.options = own;
    assert_int_equal(PARSE("--item="), -1);
    command.options = options;
    assert_int_equal(list.count, 0);
    assert_non_null(strstr(error.text, "--item: expected a text that is not empty"));
}

ON_SETTINGS(a_switch_stands_alone_or_takes_a_word)
{
    static const struct {
        const char *words[3];
        bool expected;
    } spellings[] = {
        {{"--loud", NULL}, true},     {{"--loud=True", NULL}, true},
        {{"--loud", "True"}, true},   {{"--loud=1", NULL}, true},
        {{"--loud", "yes"}, true},    {{"--loud=False", NULL}, false},
        {{"--loud", "False"}, false}, {{"--loud", "0"}, false},
        {{"--loud=no", NULL}, false}, {{"--loud", "NO"}, false},
    };

    for (size_t i = 0; i < COUNT(spellings); i++) {
        settings.loud = !spellings[i].expected;
        if (parse(spellings[i].words) != 0)
            fail_msg("%s", error.text);
        assert_int_equal(settings.loud, spellings[i].expected);
    }
}

ON_SETTINGS(a_switch_takes_no_word_that_belongs_to_another_option)
{
    command.operands = "FILE...";
    assert_int_equal(PARSE("--loud", "file", "--", "--loud", "false"), 0);
    assert_true(settings.loud);
    assert_int_equal(operands.count, 3);
    assert_string_equal(operands.items[0], "file");
    assert_string_equal(operands.items[1], "--loud");
    assert_string_equal(operands.items[2], "false");
}

ON_SETTINGS(a_range_is_two_numbers_or_one)
{
    assert_int_equal(PARSE("--span=2.5:40"), 0);
    assert_true(settings.span.low == 2.5 && settings.span.high == 40);
    assert_int_equal(PARSE("--span=7"), 0);
    assert_true(settings.span.low == 7 && settings.span.high == 7);
}

static void check_refused(const char *word, const char *expected)
{
    assert_int_equal(PARSE(word), -1);
    assert_string_equal(error.text, expected);
}

ON_SETTINGS(a_bad_value_is_named_with_its_option)
{
    check_refused("--loud=loud", "--loud: expected true or false, found \"loud\"");
    check_refused("--name=", "--name: expected a text that is not empty, found \"\"");
    check_refused("--colour=blue", "--colour: expected one of red, green, found \"blue\"");
    check_refused("--count=0", "--count: expected a whole number from 1 to 100, found \"0\"");
    check_refused("--count=1.5", "--count: expected a whole number from 1 to 100, found \"1.5\"");
    check_refused("--count=-1", "--count: expected a whole number from 1 to 100, found \"-1\"");
    check_refused("--speed=11", "--speed: expected a number from 0.5 to 10, found \"11\"");
    check_refused("--speed=nan", "--speed: expected a number from 0.5 to 10, found \"nan\"");
    check_refused("--span=9:8",
                  "--span: expected LOW:HIGH with 0 <= LOW <= HIGH <= 1000, found \"9:8\"");
    check_refused("--span=9:",
                  "--span: expected LOW:HIGH with 0 <= LOW <= HIGH <= 1000, found \"9:\"");
    check_refused("--span=:9",
                  "--span: expected LOW:HIGH with 0 <= LOW <= HIGH <= 1000, found \":9\"");
}

static const char *write_config(const char *text)
{
    const char *path = folder_write(folder, "settings", text);
    static char word[4096];

    assert_int_equal(chmod(path, 0644), 0);
    (void)snprintf(word, sizeof(word), "--config=%s", path);
    return word;
}

ON_SETTINGS(the_command_line_wins_over_the_config_file)
{
    assert_int_equal(PARSE("--count=9", write_config("count = 8\nspeed = 2\nname = \"a b\"\n")), 0);
    assert_int_equal(settings.count, 9);
    assert_true(settings.speed == 2);
    assert_string_equal(settings.name, "a b");
}

ON_SETTINGS(of_two_values_on_the_command_line_the_last_wins)
{
    assert_int_equal(PARSE("--count=9", "--count", "10"), 0);
    assert_int_equal(settings.count, 10);
}

ON_SETTINGS(a_mistake_in_the_config_file_is_named_with_its_line)
{
    assert_int_equal(PARSE(write_config("loud = true\ncolour = blue\n")), -1);
    assert_non_null(strstr(error.text, "settings:2"));
    assert_non_null(strstr(error.text, "colour: expected one of red, green, found \"blue\""));
    assert_int_equal(PARSE(write_config("pieces = 3\n")), -1);
    assert_non_null(strstr(error.text, "settings:1"));
    assert_non_null(strstr(error.text, "pieces"));
}

static void check_told(const char *sentence, const char *expected)
{
    struct error told;

    error_set(&told, "%s", sentence);
    option_places_tell(&told);
    assert_string_equal(told.text, expected);
}

ON_SETTINGS(a_mistake_that_is_found_later_is_named_with_its_line_too)
{
    const char *config = write_config("count = 8\n\nname = x\n");
    char expected[4200];

    assert_int_equal(PARSE(config, "--count=9"), 0);
    (void)snprintf(expected, sizeof(expected), "%s:3: name: not x", strchr(config, '=') + 1);
    check_told("--name: not x", expected);
    check_told("--count: not 9", "--count: not 9"); /* the command line's wins */
    check_told("--names: what?", "--names: what?");
    check_told("name: no option", "name: no option");
}

ON_SETTINGS(a_config_file_that_any_user_may_write_to_is_refused)
{
    const char *word = write_config("count = 8\n");

    assert_int_equal(chmod(folder_file(folder, "settings"), 0646), 0);
    assert_int_equal(PARSE(word), -1);
    assert_non_null(strstr(error.text, "any user may write to it"));
    assert_int_equal(settings.count, 7);
}

/* What the parser prints on stdout; the caller frees it. */
static char *printed_by(const char *word, const char *second)
{
    const int kept = dup(STDOUT_FILENO);
    const int fd = open(folder_file(folder, "printed"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int result;

    (void)fflush(stdout);
    assert_true(kept >= 0 && fd >= 0);
    assert_true(dup2(fd, STDOUT_FILENO) >= 0);
    result = PARSE(word, second);
    (void)fflush(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(fd);
    (void)close(kept);
    assert_int_equal(result, 1);
    return folder_read(folder, "printed");
}

ON_SETTINGS(a_printed_config_sets_what_was_set)
{
    static const char *const name = "a \"b\" \\ $c ${d} #e";
    char *printed;

    settings = (struct settings){true, name, "green", 42, 0.1 + 0.7, {1.0 / 3, 999.5}};
    printed = printed_by("--print-config", NULL);
    settings = (struct settings){.colour = "red"};
    if (PARSE(write_config(printed)) != 0)
        fail_msg("%s", error.text);
    free(printed);
    assert_true(settings.loud);
    assert_string_equal(settings.name, name);
    assert_string_equal(settings.colour, "green");
    assert_int_equal(settings.count, 42);
    assert_true(settings.speed == 0.1 + 0.7);
    assert_true(settings.span.low == 1.0 / 3 && settings.span.high == 999.5);
}

ON_SETTINGS(a_printed_number_has_no_more_digits_than_it_needs)
{
    char *printed;

    settings.speed = 0.8;
    settings.span = (struct option_range){0.1, 1000};
    printed = printed_by("--print-config", NULL);
    assert_non_null(strstr(printed, "speed = \"0.8\"\n"));
    assert_non_null(strstr(printed, "span = \"0.1:1000\"\n"));
    free(printed);
}

ON_SETTINGS(a_printed_config_heeds_the_rest_of_the_command_line)
{
    char *printed = printed_by("--count=9", "--print-config");

    assert_non_null(strstr(printed, "count = \"9\"\n"));
    assert_null(strstr(printed, "name"));
    free(printed);
}

ON_SETTINGS(the_man_page_mentions_every_option)
{
    char *page = printed_by("--print-man", NULL);

    for (const struct option_spec *option = options; option->kind; option++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "\\-\\-%s", option->name);
        assert_non_null(strstr(page, name));
        assert_non_null(strstr(page, option->help));
    }
    assert_non_null(strstr(page, ".TH \"tester\" 1"));
    assert_non_null(strstr(page, "\\-n, "));
    assert_non_null(strstr(page, "Default: red."));
    assert_non_null(strstr(page, "\n\\&'There'"));
    assert_non_null(strstr(page, "\n\\&.Even this"));
    free(page);
}

ON_SETTINGS(the_words_for_shells_hold_every_option_and_choice)
{
    char *words = printed_by("--print-words", NULL);

    assert_string_equal(words, "--loud\n--name=\n--colour= red green\n--count=\n--speed=\n--span=\n"
                               "--config=\n--print-config\n--help\n--usage\n--version\n");
    free(words);
}

ON_SETTINGS(a_failure_is_one_sentence_and_status_two)
{
    error_set(&error, "no");
    assert_int_equal(options_fail(&command, &error), 2);
}

static void check_scheduler(const char *const words[], int status, const char *out, const char *err)
{
    struct program_result result = program_run("scheduler", words);

    assert_int_equal(result.status, status);
    if (!strstr(result.out, out) || !strstr(result.err, err))
        fail_msg("expected \"%s\" and \"%s\", found \"%s\" and \"%s\"", out, err, result.out,
                 result.err);
    if (status != 0)
        assert_string_equal(result.out, "");
    program_result_clear(&result);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

ON_SETTINGS(an_unknown_option_ends_the_program_with_its_name)
{
    check_scheduler(WORDS("--polic=ef"), 2, "", "--polic");
    check_scheduler(WORDS("--no_such_option"), 2, "", "--no_such_option");
    check_scheduler(WORDS("-q"), 2, "", "scheduler: invalid option -- 'q'");
}

ON_SETTINGS(an_argument_too_many_ends_the_program_with_its_text)
{
    check_scheduler(WORDS("trace.csv"), 2, "", "unexpected argument \"trace.csv\"");
}

ON_SETTINGS(an_option_without_its_value_ends_the_program)
{
    check_scheduler(WORDS("--trace_file"), 2, "", "--trace_file");
}

/* Lines are broken wherever the help's width has it. */
static void join_lines(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (!strchr(" \n", *from))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

ON_SETTINGS(help_names_every_option_with_its_default)
{
    struct program_result words = program_run("scheduler", WORDS("--print-words"));
    struct program_result help = program_run("scheduler", WORDS("--help"));
    size_t options_seen = 0;

    assert_int_equal(words.status, 0);
    assert_int_equal(help.status, 0);
    join_lines(help.out);
    for (char *line = strtok(words.out, "\n"); line; line = strtok(NULL, "\n")) {
        line[strcspn(line, "= ")] = '\0';
        assert_non_null(strstr(help.out, line));
        options_seen++;
    }
    assert_true(options_seen > 10);
    assert_non_null(strstr(help.out, "(default ef-accessctrl)"));
    assert_string_equal(help.err, "");
    program_result_clear(&words);
    program_result_clear(&help);
}

ON_SETTINGS(the_schedulers_own_config_is_read_back_as_it_was_printed)
{
    struct program_result first =
        program_run("scheduler", WORDS("--schedule=edf", "--print", "--gpu_type", "T4",
                                       "--simulation", "False", "--print-config"));
    struct program_result second;

    assert_int_equal(first.status, 0);
    assert_non_null(strstr(first.out, "schedule = \"edf\"\n"));
    assert_non_null(strstr(first.out, "simulation = \"false\"\n"));
    second = program_run("scheduler", WORDS(write_config(first.out), "--print-config"));
    assert_int_equal(second.status, 0);
    assert_string_equal(first.out, second.out);
    program_result_clear(&first);
    program_result_clear(&second);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
