def checkpoints_of(stage):
    """The folder of checkpoints that an entry of `stage` names."""

    def folder(wildcards):
        checkpoint = getattr(plan, stage)[wildcards.key]["checkpoint"]
        return f"{results}/{checkpoint['stage']}/{checkpoint['key']}/checkpoints"

    return folder


rule probe:
    """Frozen features once, then every linear probe and metric on them."""
    message:
        "Probing {wildcards.key}"
    input:
        checkpoints=checkpoints_of("probe"),
        packed=lambda wildcards: f"data/packed/{plan.probe[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "probe"),
        code=code_files("probe"),
    output:
        metrics=f"{results}/probe/{{key}}/metrics.json",
        predictions=f"{results}/probe/{{key}}/predictions.npz",
        run=f"{results}/probe/{{key}}/run.json",
    params:
        stage="probe@{key}",
    log:
        f"logs/{plan.suite}/probe/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/probe/{{key}}.tsv"
    resources:
        gpu=1,
        mem_mb=8000,
        runtime="2h",
    shell:
        repro


rule tsne:
    """Two dimensions to look at: t-SNE of a test set's features."""
    message:
        "Drawing the t-SNE of {wildcards.key}"
    input:
        checkpoints=checkpoints_of("tsne"),
        packed=lambda wildcards: f"data/packed/{plan.tsne[wildcards.key]['data']}",
        entry=entry_file(plan.suite, "tsne"),
        code=code_files("tsne"),
    output:
        points=directory(f"{results}/tsne/{{key}}"),
    params:
        stage="tsne@{key}",
    log:
        f"logs/{plan.suite}/tsne/{{key}}.log",
    benchmark:
        f"logs/{plan.suite}/tsne/{{key}}.tsv"
    resources:
        mem_mb=8000,
        runtime="2h",
    shell:
        repro
