# lint_comments_test.sh - the lint of comments finds a drawing that a reflow would garble, a file that does not exist, and
# a riddle beyond those that are allowed, each with its line.
set -euo pipefail

tool=$PWD/tools/lint_comments.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
git init -q
mkdir tools
printf '# phrases\n1\t^It \n0\t\\bnobody\\b\n' >tools/riddles.txt
cat >good.h <<'END'
/* good.h - a table of its own, see good.h and <stdlib.h>. */
/* clang-format off */
/*   one     1
 *   two     2
 *   three   3 */
/* clang-format on */
const char *text = "/* nobody.c says it */";
/* It is allowed once. */
END
cat >page.md <<'END'
good.h exists, tools/gone.sh does not.
```
/* new.c - yet to be written */
```
END
! python3 "$tool" >found || exit 1
[ "$(cat found)" = "page.md:1: file: tools/gone.sh does not exist" ] || { cat found; exit 1; }

rm page.md
cat >bad.c <<'END'
/* bad.c - see good.h
 *
 *   one     1
 *   two     2 */
int x; /* see old.h */
/* Nothing.
 * Then nobody knows. */
/* It was one too many. */
END
! python3 "$tool" >found || exit 1
cat >wanted <<'END'
bad.c:5: file: old.h does not exist
bad.c:3: drawing: between clang-format off and on it stays as it is
bad.c:8: riddle: ^It : It was one too many.
good.h:8: riddle: ^It : It is allowed once.
bad.c:6: riddle: \bnobody\b: Nothing. Then nobody knows.
END
diff wanted found
