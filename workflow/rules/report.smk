rule report:
    input:
        metrics=expand(f"{results}/probe/{{key}}/metrics.json", key=plan.probe),
        predictions=expand(f"{results}/probe/{{key}}/predictions.npz", key=plan.probe),
        probes=expand(f"{results}/probe/{{key}}/run.json", key=plan.probe),
        warmups=expand(f"{results}/warmup/{{key}}/log.jsonl", key=plan.warmup),
        fair=expand(f"{results}/fair/{{key}}/log.jsonl", key=plan.fair),
        tsne=expand(f"{results}/tsne/{{key}}", key=plan.tsne),
        packed=expand("data/packed/{key}", key=plan.prepare),
        plan="params/plan.yaml",
        code=code_files("report"),
    output:
        html=f"{results}/report.html",
        files=directory(f"{results}/report"),
    log:
        f"logs/{plan.suite}/report.log",
    benchmark:
        f"logs/{plan.suite}/report.tsv"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        stage="report",
    """One HTML file: every table, figure and claim beside what came out."""
    message:
        "Writing the report"
    shell:
        repro
