rule acquire:
    """Raw files of a data set, verified."""
    message:
        "Getting the raw files of {wildcards.key}"
    input:
        entry=entry_file(plan.suite, "acquire"),
        code=code_files("acquire"),
    output:
        record="data/acquired/{key}.json",
    params:
        stage="acquire@{key}",
    log:
        "logs/acquire/{key}.log",
    benchmark:
        "logs/acquire/{key}.tsv"
    resources:
        mem_mb=2000,
        runtime="12h",
    shell:
        repro


rule prepare:
    """One packed array with labels, splits and a data card."""
    message:
        "Packing {wildcards.key}"
    input:
        record=lambda wildcards: f"data/acquired/{plan.prepare[wildcards.key]['acquire']}.json",
        entry=entry_file(plan.suite, "prepare"),
        code=code_files("prepare"),
    output:
        packed=directory("data/packed/{key}"),
    params:
        stage="prepare@{key}",
    log:
        "logs/prepare/{key}.log",
    benchmark:
        "logs/prepare/{key}.tsv"
    threads: 8
    resources:
        mem_mb=4000,
        runtime="4h",
    shell:
        repro
