/* figures_page.c - the part of a manual page that the tables of figures give, in the language of
 * man: `man_figures summary` for the fields of summary.json, `man_figures columns` for the columns
 * of rubato compare. */
#include "scheduler/policies/policy.h"
#include "scheduler/report/run_figures.h"
#include "tools/columns.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(const struct figure *figure)
{
    switch (figure->kind) {
    case FIGURE_KIND_SWITCH:
        return "boolean";
    case FIGURE_KIND_WHOLE:
        return "integer";
    case FIGURE_KIND_REAL:
    case FIGURE_KIND_TENTHS:
        return "real";
    case FIGURE_KIND_EACH:
        return "object of integers";
    case FIGURE_KIND_LIST:
        return "array of integers";
    default:
        return "string";
    }
}

static const char *condition_of(enum figure_part part)
{
    switch (part) {
    case PART_SOFT:
        return ", where some job has a soft deadline";
    case PART_QUEUES:
        return ", of a policy that has queues";
    case PART_BOUNDS:
        return ", with --bound";
    case PART_VALUE_BOUNDS:
        return ", with --bound, where jobs differ in value";
    default:
        return "";
    }
}

/* Each hyphen as a hyphen that can be searched for. */
static void print_text(const char *text)
{
    for (; *text; text++)
        if (*text == '-')
            (void)fputs("\\-", stdout);
        else
            (void)putchar(*text);
}

static void print_figure(const struct figure *figure, const char *condition)
{
    printf(".TP\n.BR %s \" (%s", figure->key, type_of(figure));
    print_text(condition);
    printf(")\"\n");
    print_text(figure->help);
    printf(".\n");
}

static bool is_told(const struct policy_figures *table, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (policy_at(i)->figures == table)
            return true;
    return false;
}

/* The policies whose figures are in `table`, with commas between. */
static void print_owners(const struct policy_figures *table)
{
    const struct policy *policy;
    const char *comma = "";

    for (size_t i = 0; (policy = policy_at(i)); i++)
        if (policy->figures == table) {
            (void)fputs(comma, stdout);
            print_text(policy->name);
            comma = ", ";
        }
}

static void print_own(const struct policy_figures *table)
{
    printf(".TP\n.BR %s \" (object)\"\nfigures of their own that these policies have: ",
           table->object ? table->object : "policy_figures");
    print_owners(table);
    printf(".\n.RS\n");
    for (const struct figure *item = table->items; item->kind != FIGURE_KIND_END; item++)
        print_figure(item, "");
    printf(".RE\n");
}

static void print_summary(void)
{
    const struct policy *policy;

    for (const struct run_figure *item = run_figures; item->part != PART_END; item++)
        print_figure(&item->figure, condition_of(item->part));
    for (size_t i = 0; (policy = policy_at(i)); i++)
        if (policy->figures && !is_told(policy->figures, i))
            print_own(policy->figures);
}

/* The keys with commas between, without "all", which comes first. */
static void print_columns(void)
{
    const char *const *keys = columns_keys() + 1;

    for (; *keys; keys++)
        printf(keys[1] ? ".BR %s ,\n" : ".BR %s .\n", *keys);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "summary"))
        print_summary();
    else if (argc == 2 && !strcmp(argv[1], "columns"))
        print_columns();
    else
        return 2;
    return ferror(stdout) != 0;
}
