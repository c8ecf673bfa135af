/* line_test.c - words are taken one by one, and what is found instead of what was expected is
 * said. */
#include "master/commands/line.h"
#include "tests/support/test.h"

#include <stdio.h>

/* Line 3 of f.txt, which is to be cut into words. */
struct scene {
    char text[128];
    struct error error;
    struct line line;
};

static void scene_init(struct scene *self, const char *text)
{
    (void)snprintf(self->text, sizeof(self->text), "%s", text);
    self->error.text[0] = '\0';
    self->line = (struct line){"f.txt", 3, self->text, "", arena_new(), &self->error};
}

static void scene_clear(struct scene *self)
{
    arena_destroy(&self->line.arena);
}

TEST(words_have_blanks_between_them)
{
    struct scene scene;

    scene_init(&scene, " \tone two\t three  ");
    assert_true(line_has_more(&scene.line));
    assert_string_equal(line_word(&scene.line), "one");
    assert_string_equal(line_word(&scene.line), "two");
    assert_string_equal(line_word(&scene.line), "three");
    assert_false(line_has_more(&scene.line));
    assert_string_equal(line_word(&scene.line), "");
    assert_int_equal(line_end(&scene.line), 0);
    scene_clear(&scene);
}

TEST(numbers_keep_their_bounds)
{
    struct scene scene;
    int32_t number = 0;

    scene_init(&scene, "4 9 x");
    assert_int_equal(line_small(&scene.line, "a size", 1, 8, &number), 0);
    assert_int_equal(number, 4);
    assert_int_equal(line_small(&scene.line, "a size", 1, 8, &number), -1);
    assert_string_equal(scene.error.text, "f.txt:3: expected a size, from 1 to 8, found \"9\"");
    assert_int_equal(line_small(&scene.line, "a size", 1, 8, &number), -1);
    assert_string_equal(scene.error.text, "f.txt:3: expected a size, from 1 to 8, found \"x\"");
    assert_int_equal(line_small(&scene.line, "a size", 1, 8, &number), -1);
    assert_string_equal(scene.error.text,
                        "f.txt:3: expected a size, from 1 to 8, found the end of the line");
    scene_clear(&scene);
}

TEST(names_have_the_letters_that_they_may_have)
{
    struct scene scene;
    const char *name = NULL;

    scene_init(&scene, "node-a.b a/b");
    assert_int_equal(line_name(&scene.line, "a name", ".-", &name), 0);
    assert_string_equal(name, "node-a.b");
    assert_int_equal(line_name(&scene.line, "a name", ".-", &name), -1);
    assert_string_equal(scene.error.text, "f.txt:3: expected a name, found \"a/b\"");
    scene_clear(&scene);
}

TEST(the_rest_of_a_line_is_ranks)
{
    struct scene scene;
    int32_t *ranks = NULL;
    size_t count = 9;

    scene_init(&scene, "3 1 2 ");
    assert_int_equal(line_ranks(&scene.line, &ranks, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(ranks[0], 3);
    assert_int_equal(ranks[2], 2);
    assert_int_equal(line_ranks(&scene.line, &ranks, &count), 0);
    assert_int_equal(count, 0);
    scene_clear(&scene);
    scene_init(&scene, "3 -1");
    assert_int_equal(line_ranks(&scene.line, &ranks, &count), -1);
    assert_string_equal(scene.error.text,
                        "f.txt:3: expected the rank of a GPU, from 0 to 65535, found \"-1\"");
    scene_clear(&scene);
}

TEST(what_is_left_is_named)
{
    struct scene scene;

    scene_init(&scene, "over");
    assert_int_equal(line_end(&scene.line), -1);
    assert_string_equal(scene.error.text, "f.txt:3: expected the end of the line, found \"over\"");
    scene_clear(&scene);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
