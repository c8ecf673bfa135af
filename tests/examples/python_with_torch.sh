# python_with_torch.sh - sets `python` to the first Python that has torch, or skips the test. Sourced.
for python in ${RUBATO_PYTHON:+"$RUBATO_PYTHON"} python3 /usr/bin/python3 ""; do
    if [ "$python" ] && "$python" -c 'import torch.distributed' 2>/dev/null; then
        break
    fi
done
if [ ! "$python" ]; then
    echo "skipped: torch is not installed"
    exit 77
fi
