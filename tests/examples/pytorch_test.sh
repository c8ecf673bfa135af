# pytorch_test.sh - examples/pytorch/ by itself, under the first Python that has torch.
set -euo pipefail
source tests/examples/python_with_torch.sh
exec "$python" -B tests/examples/pytorch_test.py
