/* growth_report.c - see growth_report.h. */
#include "benchmarks/growth_report.h"

#include <stdio.h>
#include <sys/resource.h>

#define WINDOW ((size_t)4)

static long peak_mib(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static void print_points(const struct growth_point points[], size_t count,
                         const struct growth_subject *subject)
{
    for (size_t i = 0; i < count; i++)
        printf("{\"growth\": \"%s\", \"gpus\": %d, \"size\": \"%s\", \"samples\": %zu, "
               "\"median_size\": %.0f, \"median_us\": %.1f, \"ns_each\": %.2f}\n",
               subject->name, subject->gpus, subject->size, points[i].samples, points[i].size,
               1e6 * points[i].cost_s, 1e9 * points[i].cost_s / points[i].size);
}

static double steepest(const struct growth_point points[], size_t count)
{
    double most = growth_exponent(points, count < WINDOW ? count : WINDOW);

    for (size_t i = 1; i + WINDOW <= count; i++) {
        const double exponent = growth_exponent(points + i, WINDOW);

        most = exponent > most ? exponent : most;
    }
    return most;
}

void growth_report(growth_t *growth, const struct growth_subject *subject)
{
    struct growth_point all[GROWTH_POINTS_MAX];
    const size_t all_count = growth_points(growth, subject->samples_min, all);
    const struct growth_point *points = all;
    size_t count = all_count;

    for (; count > 0 && points->size < subject->size_min; count--)
        points++;
    print_points(points, count, subject);
    printf("{\"fit\": \"%s\", \"gpus\": %d, \"size\": \"%s\", \"points\": %zu, \"largest\": %.0f, "
           "\"ended\": \"%s\", \"peak_mib\": %ld, ",
           subject->name, subject->gpus, subject->size, count,
           count > 0 ? points[count - 1].size : 0.0, subject->ended, peak_mib());
    if (count >= WINDOW) {
        const double exponent = growth_exponent(points, count);

        printf("\"exponent\": %.2f, \"steepest\": %.2f, \"bound\": %.1f, \"met\": %s}\n", exponent,
               steepest(points, count), GROWTH_BOUND, exponent <= GROWTH_BOUND ? "true" : "false");
    } else {
        printf("\"exponent\": \"-\", \"steepest\": \"-\", \"bound\": %.1f, \"met\": \"-\"}\n",
               GROWTH_BOUND);
    }
}
