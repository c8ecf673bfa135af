# pytorch_test.sh - examples/pytorch/ by itself, under the first Python that has torch.
[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # nothing of it is compiled
source "$(dirname "$0")/../e2e/testbed.sh"
source tests/examples/python_with_torch.sh
TMPDIR=$work "$python" -B tests/examples/pytorch_test.py
passed=yes
