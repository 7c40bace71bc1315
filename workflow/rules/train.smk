rule warmup:
    """The base objective alone: the encoder every fair run of this data, target and seed starts from."""
    input:
        packed=lambda wildcards: f"data/packed/{plan.warmup[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "warmup"),
        code=code_hashes("warmup"),
    output:
        checkpoints=directory(f"{results}/warmup/{{key}}/checkpoints"),
        log=f"{results}/warmup/{{key}}/log.jsonl",
        run=f"{results}/warmup/{{key}}/run.json",
    log:
        f"logs/{plan.suite}/warmup/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/warmup/{{key}}.tsv"
    priority: 2
    resources:
        gpu=1,
        mem_mb=16000,
        runtime="48h",
    params:
        stage="warmup@{key}",
    message:
        "Warming up {wildcards.key}"
    shell:
        repro


rule fair:
    """A warm-up continued with the base objective plus the ProtoFair term (or, as its control, without)."""
    input:
        checkpoints=lambda wildcards: f"{results}/warmup/{plan.fair[wildcards.key]['warmup']}/checkpoints",
        packed=lambda wildcards: f"data/packed/{plan.fair[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "fair"),
        code=code_hashes("fair"),
    output:
        checkpoints=directory(f"{results}/fair/{{key}}/checkpoints"),
        log=f"{results}/fair/{{key}}/log.jsonl",
        run=f"{results}/fair/{{key}}/run.json",
    log:
        f"logs/{plan.suite}/fair/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/fair/{{key}}.tsv"
    priority: 1
    resources:
        gpu=1,
        mem_mb=16000,
        runtime="24h",
    params:
        stage="fair@{key}",
    message:
        "Training {wildcards.key} fairly"
    shell:
        repro


rule baseline:
    """A method that trains in its own way, from beginning to end; MFD reads the CE run of its data, target and seed."""
    input:
        teacher=lambda wildcards: plan.teacher(wildcards.key),
        packed=lambda wildcards: f"data/packed/{plan.baseline[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "baseline"),
        code=code_hashes("baseline"),
    output:
        checkpoints=directory(f"{results}/baseline/{{key}}/checkpoints"),
        log=f"{results}/baseline/{{key}}/log.jsonl",
        run=f"{results}/baseline/{{key}}/run.json",
    log:
        f"logs/{plan.suite}/baseline/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/baseline/{{key}}.tsv"
    priority: 1
    resources:
        gpu=1,
        mem_mb=16000,
        runtime="48h",
    params:
        stage="baseline@{key}",
    message:
        "Training {wildcards.key}"
    shell:
        repro
