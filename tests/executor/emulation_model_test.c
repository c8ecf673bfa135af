/* emulation_model_test.c - what emulated jobs cost is ordered as what real ones do. */
#include "executor/emulation_model.h"

#include "scheduler/state/throughput.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define A100_MIB 40960
#define T4_MIB   15360

TEST(an_unknown_model_costs_something_too)
{
    const struct emulation_model *model = emulation_model_find("unheard-of");

    assert_null(model->model);
    assert_true(emulation_model_prepare_ms(model) > 0);
}

TEST(larger_groups_take_longer_and_a_single_rank_none)
{
    const struct emulation_model *model = emulation_model_find("bert");

    assert_int_equal(emulation_model_group_ms(model, 1), 0);
    for (int32_t world = 2; world <= 256; world *= 2)
        assert_true(emulation_model_group_ms(model, world) <
                    emulation_model_group_ms(model, 2 * world));
    assert_true(emulation_model_begin_ms(model, 4, 0) < emulation_model_begin_ms(model, 4, 100));
}

TEST(more_ranks_need_less_memory_each)
{
    const struct emulation_model *model = emulation_model_find("vgg16");

    assert_true(emulation_model_memory_mib(model, 256, 2) >
                emulation_model_memory_mib(model, 256, 4));
    assert_int_equal(emulation_model_memory_mib(model, 1 << 20, 1),
                     emulation_model_memory_mib(model, 1 << 22, 1)); /* accumulated */
}

/* What was profiled on a type of GPU fits into its memory. */
TEST(every_profiled_model_fits)
{
    static const struct {
        const char *type;
        int64_t has_mib;
    } types[] = {{"A100", A100_MIB}, {"T4", T4_MIB}};

    for (size_t i = 0; i < COUNT(types); i++) {
        struct error error;
        throughput_table_t *table = throughput_read("throughputs", types[i].type, &error);

        assert_non_null(table);
        for (size_t at = 0; at < throughput_count(table); at++) {
            const struct throughput_row *row = throughput_row_at(table, at);
            const struct emulation_model *model = emulation_model_find(row->model);

            assert_non_null(model->model); /* each has a row of its own */
            for (int level = 0; level < row->level_count; level++)
                assert_true(emulation_model_memory_mib(model, row->batch_size, row->gpus[level]) <=
                            types[i].has_mib);
        }
        throughput_destroy(&table);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
