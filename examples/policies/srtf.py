#!/usr/bin/env python3
"""Shortest remaining time first: a policy as a program, `--policy exec:examples/policies/srtf.py`.

The jobs that need least time at the size they asked for hold their GPUs. It decides as the built-in
policy srtf does.
"""
import json
import sys


def rate(job, pool):
    """Iterations per second at the size asked for, in `pool`; None where the job cannot run so."""
    scaling = job["scaling"][pool]
    return dict(zip(scaling["gpus"], scaling["rates"])).get(job["gpus_asked"])


def admit(view):
    largest = max(pool["gpus"] for pool in view["pools"])
    return {"verdicts": [{"number": job["number"], "verdict": "decline", "reason": "too-large"}
                         for job in view["jobs"] if job["new"] and job["gpus_asked"] > largest]}


def allocate(view):
    free = [pool["gpus"] for pool in view["pools"]]
    answer = []
    for job in sorted(view["jobs"], key=lambda job: job["iterations_left"] / rate(job, job["pool"])):
        share = {"number": job["number"], "gpus": 0}
        pools = [job["pool"]] if job["gpus"] > 0 else range(len(free))
        for pool in pools:
            if rate(job, pool) and job["gpus_asked"] <= free[pool]:
                free[pool] -= job["gpus_asked"]
                share.update(gpus=job["gpus_asked"], pool=pool)
                break
        answer.append(share)
    return {"jobs": answer}


for line in sys.stdin:
    view = json.loads(line)
    print(json.dumps(admit(view) if view["ask"] == "admit" else allocate(view)), flush=True)
