rule probe:
    """Frozen features once, then every linear probe and metric on them."""
    input:
        checkpoints=lambda wildcards: plan.checkpoints(
            plan.probe[wildcards.key]["checkpoint"]
        ),
        packed=lambda wildcards: f"data/packed/{plan.probe[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "probe"),
        code=code_hashes("probe"),
    output:
        metrics=f"{results}/probe/{{key}}/metrics.json",
        summary=f"{results}/probe/{{key}}/summary.json",
        predictions=f"{results}/probe/{{key}}/predictions.npz",
        run=f"{results}/probe/{{key}}/run.json",
    log:
        f"logs/{plan.suite}/probe/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/probe/{{key}}.tsv"
    resources:
        gpu=1,
        mem_mb=8000,
        runtime="2h",
    params:
        stage="probe@{key}",
    message:
        "Probing {wildcards.key}"
    shell:
        repro


rule select:
    """Of three trainings that differ in a weight, the one that does best on the validation images."""
    input:
        metrics=lambda wildcards: [
            f"{results}/probe/{candidate['probe']}/metrics.json"
            for candidate in plan.select[wildcards.key]["candidates"]
        ],
        checkpoints=lambda wildcards: [
            plan.checkpoints(candidate["checkpoint"])
            for candidate in plan.select[wildcards.key]["candidates"]
        ],
        entry=entry_file(plan.suite, "select"),
        code=code_hashes("select"),
    output:
        checkpoints=directory(f"{results}/select/{{key}}/checkpoints"),
        choice=f"{results}/select/{{key}}/choice.json",
    log:
        f"logs/{plan.suite}/select/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/select/{{key}}.tsv"
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        stage="select@{key}",
    message:
        "Choosing the weight of {wildcards.key}"
    shell:
        repro


rule tsne:
    """Two dimensions to look at: t-SNE of a test set's features."""
    input:
        checkpoints=lambda wildcards: plan.checkpoints(
            plan.tsne[wildcards.key]["checkpoint"]
        ),
        packed=lambda wildcards: f"data/packed/{plan.tsne[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "tsne"),
        code=code_hashes("tsne"),
    output:
        points=directory(f"{results}/tsne/{{key}}"),
    log:
        f"logs/{plan.suite}/tsne/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/tsne/{{key}}.tsv"
    resources:
        mem_mb=8000,
        runtime="2h",
    params:
        stage="tsne@{key}",
    message:
        "Drawing the t-SNE of {wildcards.key}"
    shell:
        repro
