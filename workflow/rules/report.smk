rule report:
    """One HTML file: every table, figure and claim beside what came out."""
    input:
        metrics=expand(f"{results}/probe/{{key}}/metrics.json", key=plan.probe),
        tsne=expand(f"{results}/tsne/{{key}}", key=plan.tsne),
        code=code_hashes("report"),
    output:
        html=report(f"{results}/report.html", category="The paper, rerun"),
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
    message:
        "Writing the report"
    shell:
        repro
