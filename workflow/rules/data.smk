rule acquire:
    """Raw files of a data set, verified."""
    input:
        entry=entry_file(plan.suite, "acquire"),
        code=code_hashes("acquire"),
    output:
        record="data/acquired/{key}.json",
    log:
        "logs/acquire/{key}.log",
    benchmark:
        "logs/acquire/{key}.tsv"
    priority: 10
    resources:
        mem_mb=2000,
        runtime="12h",
    params:
        stage="acquire@{key}",
    message:
        "Getting the raw files of {wildcards.key}"
    shell:
        repro


rule prepare:
    """One packed array with labels, splits and a data card."""
    input:
        record=lambda wildcards: f"data/acquired/{plan.prepare[wildcards.key]['acquire']}.json",
        entry=entry_file(plan.suite, "prepare"),
        code=code_hashes("prepare"),
    output:
        packed=directory("data/packed/{key}"),
    log:
        "logs/prepare/{key}.log",
    benchmark:
        "logs/prepare/{key}.tsv"
    priority: 10
    threads: 8
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        stage="prepare@{key}",
    message:
        "Packing {wildcards.key}"
    shell:
        repro
