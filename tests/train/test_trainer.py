import copy
from pathlib import Path

import pytest
import torch

from protofair.train.augment import two_views
from protofair.train.batches import TrainingSet
from protofair.train.randomness import generator
from protofair.train.trainer import Trainer

CPU = torch.device("cpu")
OBJECTIVES = {
    "supcon": {"target": "Smiling"},
    "simclr": {},
    "barlow-twins": {"width": 32},
    "byol": {"hidden": 32, "out": 16},
    "moco": {"queue_size": 32},
    "fscl": {"target": "Smiling", "sensitive": "Male"},
    "fscl-star": {"sensitive": "Male"},
    "ce": {"target": "Smiling"},
}
ADVERSARY = {"sensitive": "Male", "weight": 2.0}


def steps(trainer: Trainer, epoch: int) -> list[dict[str, torch.Tensor]]:
    trainer.begin_epoch(epoch, lambda: None)
    batches = trainer.batches(epoch=epoch, first_step=0)
    return [trainer.step(batch, epoch=epoch, step=step) for step, batch in enumerate(batches)]


def weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in trainer.networks.state_dict().items()}


@pytest.fixture
def images(packed):
    return TrainingSet(packed, ["Smiling", "Male"])


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_trains_with_the_term(project, images, name):
    objective = {"name": name, **OBJECTIVES[name]}
    trainer = Trainer(project.warmup_config(objective=objective), images, CPU, project.fair_config())
    before = weights(trainer)
    numbers = steps(trainer, 2)
    after = weights(trainer)
    assert len(numbers) == 3
    assert all(torch.stack(list(map(torch.Tensor.float, step.values()))).isfinite().all() for step in numbers)
    assert numbers[0]["loss"] == numbers[0]["base"] + 0.3 * numbers[0]["fair"]
    assert numbers[0]["fair"] == numbers[0]["within"] + numbers[0]["cross"]
    still = {key for key in before if torch.equal(before[key], after[key])}
    assert {key for key in before if key.startswith("cluster_head.")} <= still, "nothing moves the cluster head"
    assert not {key for key in still if key.startswith("encoder.") and key.endswith("weight")}
    assert not {key for key in still if key.startswith("objective.") and key.endswith("weight")}


@pytest.mark.parametrize(
    ("precision", "computed"), [("auto", torch.float32), ("float32", torch.float32), ("bfloat16", torch.bfloat16)]
)
def test_networks_are_computed_in_the_precision_asked_for_and_losses_in_full(project, images, precision, computed):
    trainer = Trainer(project.warmup_config(precision=precision), images, CPU, project.fair_config())
    outputs = []
    trainer.networks.register_forward_hook(lambda module, inputs, output: outputs.append(output))
    numbers = steps(trainer, 2)
    assert {output.features.dtype for output in outputs} == {computed}
    assert {output.loss.dtype for output in outputs} == {output.z.dtype for output in outputs} == {torch.float32}
    assert {parameter.dtype for parameter in trainer.networks.parameters()} == {torch.float32}
    exact = steps(Trainer(project.warmup_config(precision="float32"), images, CPU, project.fair_config()), 2)
    torch.testing.assert_close(numbers[0]["base"], exact[0]["base"], rtol=0.01, atol=0)
    assert (numbers[0]["base"] == exact[0]["base"]) == (computed == torch.float32)


def test_the_encoder_works_in_channels_last(project, images):
    """Its kernels, what it is given and what it computes: a layer that left the format would lose its speed."""
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config())
    seen = []

    def watch(module, inputs, output):
        seen.extend(tensor.is_contiguous(memory_format=torch.channels_last) for tensor in (*inputs, output))

    convolutions = [part for part in trainer.networks.encoder.modules() if isinstance(part, torch.nn.Conv2d)]
    for convolution in convolutions:
        assert convolution.weight.is_contiguous(memory_format=torch.channels_last)
        convolution.register_forward_hook(watch)
    steps(trainer, 2)
    assert len(seen) >= 2 * len(convolutions)
    assert all(seen)


def test_the_cluster_head_is_the_same_after_a_whole_run(warm_project):
    project = warm_project
    first = project.checkpoint(Path("results/tiny/warmup/w"), 1)
    last = project.checkpoint(project.fair(), 3)
    assert first["cluster_head"].keys() == {"0.weight", "0.bias", "2.weight", "2.bias"}
    for name, value in first["cluster_head"].items():
        assert torch.equal(value, last["cluster_head"][name])


def test_weight_0_is_the_base_training_itself_with_the_same_statistics(warm_project):
    """The control from epoch 1 over two epochs of `tail` is the warm-up's own epochs 2 and 3, bit by bit."""
    project, warmup = warm_project, Path("results/tiny/warmup/w")
    control, fair = project.fair("control", weight=0.0), project.fair("fair")
    expected = project.checkpoint(warmup, 3)
    got, other = project.checkpoint(control, 3), project.checkpoint(fair, 3)
    for part in ("encoder", "objective"):
        for name, value in expected[part].items():
            assert torch.equal(value, got[part][name]), name
    assert any(not torch.equal(value, other["encoder"][name]) for name, value in expected["encoder"].items())
    records, fair_records = project.log(control), project.log(fair)
    assert [record["base"] for record in records] == [record["base"] for record in project.log(warmup)][1:]
    assert all(record["loss"] == record["base"] for record in records)
    assert [list(record) for record in records] == [list(record) for record in fair_records]
    assert records[0]["kmeans"] == fair_records[0]["kmeans"]


def test_kmeans_runs_in_the_first_fair_epoch_and_every_r_after_it(warm_project):
    project = warm_project
    records = project.log(project.fair(epochs=5, reinit_every=2))
    assert [record["epoch"] for record in records if "kmeans" in record] == [2, 4, 6]


def test_the_options_of_the_fair_phase_reach_the_term(project, images):
    chosen = {"num_prototypes": 3, "update": "before", "temperature": 0.5, "momentum": 0.25}
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config(**chosen))
    term = trainer.regulariser.term
    found = {name: getattr(term, name) for name in ("update", "temperature", "momentum")}
    assert {"num_prototypes": len(term.prototypes), **found} == chosen


def test_k_means_starts_elsewhere_with_another_seed(project, images):
    found = []
    for seed in (0, 0, 1):
        trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config(seed=seed))
        trainer.begin_epoch(trainer.epochs[0], lambda: None)
        found.append(trainer.regulariser.term.prototypes)
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


@pytest.mark.parametrize(("mode", "filled"), [("empty", 0), ("keep", 32)])
def test_a_new_start_of_the_prototypes_empties_the_queue_or_keeps_it(project, images, mode, filled):
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config(queue_on_reinit=mode))
    steps(trainer, 2)
    assert trainer.regulariser.term.queue.fill == 32
    trainer.begin_epoch(3, lambda: None)
    assert not trainer.regulariser.table.any(), "every epoch counts its own clusters"
    assert trainer.regulariser.term.queue.fill == filled


@pytest.mark.parametrize(("views", "samples"), [("both", 16), ("first", 8)])
def test_the_term_sees_both_views_or_the_first(project, images, views, samples):
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config(views=views))
    steps(trainer, 2)
    assert len(trainer.regulariser.term.queue) == 2 * samples
    assert trainer.regulariser.table.sum() == 3 * samples
    shares = trainer.metrics()["group_shares"]
    assert len(shares) == 3


@pytest.mark.parametrize(("views", "samples"), [("both", 16), ("first", 8)])
def test_features_and_groups_of_a_sample_stay_together(project, images, monkeypatch, views, samples):
    """Row i and row i + B are views of image i, for z, for the clustered features and for the groups."""
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config(views=views))
    trainer.begin_epoch(2, lambda: None)
    seen, outputs = {}, []
    trainer.networks.register_forward_hook(lambda module, inputs, output: outputs.append(output))
    original = trainer.regulariser.term.forward
    monkeypatch.setattr(
        trainer.regulariser.term, "forward", lambda z, **given: original(seen.setdefault("z", z), **seen_in(given))
    )

    def seen_in(given):
        seen.update(given)
        return given

    batch = next(trainer.batches(epoch=2, first_step=0))
    head = copy.deepcopy(trainer.networks.cluster_head)
    trainer.step(batch, epoch=2, step=0)
    assert torch.equal(seen["sensitive"], torch.cat([batch.labels["Male"]] * 2)[:samples])
    assert torch.equal(seen["z"], outputs[0].z[:samples])
    torch.testing.assert_close(seen["cluster_features"], head(outputs[0].features)[:samples].detach())


def test_every_sample_is_counted_in_its_own_cell(project, images):
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config())
    steps(trainer, 2)
    by_cell = trainer.regulariser.table.sum(dim=0)
    for s in range(2):
        for t in range(2):
            expected = ((images.labels["Male"] == s) & (images.labels["Smiling"] == t)).sum()
            assert by_cell[s, t] == 2 * expected  # 24 images are three full batches: none is left out


def test_the_rate_of_every_step_is_the_schedules(project, images):
    config = project.warmup_config(optimiser={"lr": 0.05, "batch_size": 8, "ramp_epochs": 1})
    trainer = Trainer(config, images, CPU)
    rates = []
    for step, batch in enumerate(trainer.batches(epoch=1, first_step=0)):
        trainer.step(batch, epoch=1, step=step)
        rates.append(trainer.optimiser.param_groups[0]["lr"])
    full = trainer.schedule.rate(1)
    assert rates == pytest.approx([full / 3, full * 2 / 3, full])


def test_momentum_networks_hear_the_progress_of_the_whole_schedule(project, images, monkeypatch):
    objective = {"name": "byol", "hidden": 32, "out": 16}
    heard = []
    for fair, epoch in ((None, 3), (project.fair_config(), 3)):
        trainer = Trainer(project.warmup_config(objective=objective), images, CPU, fair)
        monkeypatch.setattr(trainer.networks.objective, "after_step", lambda encoder, progress: heard.append(progress))
        steps(trainer, epoch)
    assert heard == pytest.approx([7 / 9, 8 / 9, 1.0] * 2)


def test_optimiser_is_the_papers_and_does_not_hold_what_does_not_learn(project, images):
    options = {"batch_size": 8, "momentum": 0.5, "weight_decay": 0.01}
    chosen = Trainer(project.warmup_config(optimiser=options), images, CPU)
    assert [(group["momentum"], group["weight_decay"]) for group in chosen.optimiser.param_groups] == [(0.5, 0.01)]
    trainer = Trainer(project.warmup_config(objective={"name": "moco", "queue_size": 8}), images, CPU)
    (group,) = trainer.optimiser.param_groups
    assert (group["momentum"], group["weight_decay"], group["nesterov"]) == (0.9, 1e-4, False)
    held = {id(parameter) for parameter in group["params"]}
    frozen = [*trainer.networks.cluster_head.parameters(), *trainer.networks.objective.key_encoder.parameters()]
    assert not held & {id(parameter) for parameter in frozen}
    assert held >= {id(parameter) for parameter in trainer.networks.encoder.parameters()}


def test_the_seed_decides_the_weights(project, images):
    first, again, other = (Trainer(project.warmup_config(seed=seed), images, CPU) for seed in (0, 0, 1))
    a, b, c = weights(first), weights(again), weights(other)
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not torch.equal(a["encoder.trunk.0.weight"], c["encoder.trunk.0.weight"])
    assert not torch.equal(a["cluster_head.0.weight"], c["cluster_head.0.weight"])


def test_grey_images_train(make_project, tmp_path):
    project = make_project(tmp_path / "grey", channels=1)
    images = TrainingSet(project.packed, ["Smiling", "Male"])
    trainer = Trainer(project.warmup_config(), images, CPU, project.fair_config())
    assert all(step["loss"].isfinite() for step in steps(trainer, 2))


@pytest.mark.parametrize("weight", [None, 0.0, 0.3])
@pytest.mark.parametrize("objective", [{"name": "simclr"}, {"name": "ce", "target": "Smiling"}])
def test_an_adversary_adds_its_loss_to_any_objective_and_is_trained_kept_and_continued(
    project, images, objective, weight
):
    """In a warm-up, for which the weight is None, and in a fair phase."""
    config = project.warmup_config(objective=objective, adversary=ADVERSARY)
    trainer = Trainer(config, images, CPU, None if weight is None else project.fair_config(weight=weight))
    before = copy.deepcopy(trainer.networks.adversary.state_dict())
    numbers = steps(trainer, trainer.epochs[0])[-1]
    fair = weight * numbers["fair"] if weight else 0
    torch.testing.assert_close(numbers["loss"], numbers["base"] + numbers["adversary"] + fair)
    kept = trainer.kept(config="{}", epoch=1)
    assert all(not torch.equal(kept["adversary"][name], before[name]) for name in before)
    fair = Trainer(config, images, CPU, project.fair_config())
    fair.continue_from(kept)
    assert all(torch.equal(value, fair.networks.adversary.state_dict()[n]) for n, value in kept["adversary"].items())


def test_the_adversary_turns_the_encoders_gradient_around(project, images):
    """With the objective's own gradient taken away, the encoder gets -weight times that of the adversary's loss."""
    networks = Trainer(project.warmup_config(objective={"name": "simclr"}, adversary=ADVERSARY), images, CPU).networks
    views = torch.randn(2, 8, 3, 8, 8, generator=torch.Generator().manual_seed(0)).unbind()
    labels = {"Male": torch.tensor([0, 1] * 4)}
    output = networks(views, labels)
    parameters = list(networks.encoder.parameters())
    opposed = torch.autograd.grad(networks.adversarial_loss(output, labels), parameters, retain_graph=True)
    logits = networks.adversary.head(output.features)
    plain = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, labels["Male"].repeat(2)), parameters)
    for got, gradient in zip(opposed, plain, strict=True):
        torch.testing.assert_close(got, -2.0 * gradient)


def test_a_classifier_of_its_own_stands_in_the_checkpoint(project, images):
    trainer = Trainer(project.warmup_config(objective={"name": "ce", "target": "Smiling"}), images, CPU)
    assert torch.equal(
        trainer.kept(config="{}", epoch=1)["classifier"]["weight"], trainer.networks.objective.classifier.weight
    )
    assert "classifier" not in Trainer(project.warmup_config(), images, CPU).kept(config="{}", epoch=1)


def test_a_fair_phase_has_a_seed_of_its_own_for_order_views_and_clusters(project, images, monkeypatch):
    trainer = Trainer(project.warmup_config(seed=1), images, CPU, project.fair_config(seed=5))
    for epoch in (2, 3):
        ours = trainer.batches(epoch=epoch, first_step=0)
        expected = images.epoch(batch_size=8, seed=5, epoch=epoch, first_step=0, device=CPU)
        assert all(torch.equal(a.images, b.images) for a, b in zip(ours, expected, strict=True))
    drawn, started = [], []
    monkeypatch.setattr(
        "protofair.train.trainer.two_views", lambda images, **given: drawn.append(given) or two_views(images, **given)
    )
    original = trainer.regulariser.term.initialise
    monkeypatch.setattr(
        trainer.regulariser.term,
        "initialise",
        lambda features, generator: started.append(generator.initial_seed()) or original(features, generator=generator),
    )
    for epoch in (2, 3):
        steps(trainer, epoch)
    places = [(given["seed"], given["epoch"], given["step"]) for given in drawn]
    assert places == [(5, epoch, step) for epoch in (2, 3) for step in range(3)]
    assert started == [generator("kmeans", 5, epoch).initial_seed() for epoch in (2, 3)]
    assert len(set(started)) == 2
