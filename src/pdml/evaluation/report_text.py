"""What a report says in words: where the data come from, what the split leaks, which epoch."""

from __future__ import annotations

from collections.abc import Mapping

from pdml.evaluation.metrics import LeakageRecord, Metrics

LEAKING = ("random", "per-class", "published")
"""Splits that draw validation pixels at random among the training pixels."""

MOSTLY_SEEN = 0.5  # from this share on, a score says little about ground that is new


def percent(share: float | None, *, digits: int = 2) -> str:
    """A fraction as a percentage, or a dash where there is none."""
    return f"{100 * share:.{digits}f} %" if share is not None else "\N{EN DASH}"


def decimal(value: float | None, *, digits: int = 4) -> str:
    """A number, or a dash where there is none."""
    return f"{value:.{digits}f}" if value is not None else "\N{EN DASH}"


def grouped(number: int | None) -> str:
    """A whole number with its thousands apart, or nothing where there is none."""
    return f"{number:,}".replace(",", "\N{NO-BREAK SPACE}") if number is not None else ""


def counted(number: int, noun: str) -> str:
    """A number of things: "1 run", "3 runs"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def duration(seconds: float) -> str:
    """A time that a person can read."""
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def title(metrics: Metrics) -> str:
    """The heading of the report."""
    scene = metrics.get("scene") or metrics.get("dataset") or "a scene"
    method = metrics.get("method")
    return f"{scene}: {method}" if method else scene


def score_context(metrics: Metrics) -> str:
    """What belongs to every score: the pixels, the split, the seed and the version."""
    n_test = sum(score["support"] for score in metrics.get("per_class", {}).values())
    strategy = metrics.get("split", {}).get("strategy")
    version = metrics.get("versions", {}).get("pdml")
    known = {
        "on {} test pixels": grouped(n_test) if n_test else None,
        "{} split": strategy,
        "seed {}": metrics.get("seed"),
        "pdml {}": version,
    }
    return ", ".join(text.format(value) for text, value in known.items() if value is not None)


def warnings(metrics: Metrics, recipe: Mapping[str, object]) -> list[str]:
    """What a reader must know before reading any score."""
    found = []
    if metrics.get("twin"):
        found.append(
            f"This scene is a twin, not the real {metrics.get('dataset') or 'scene'}: its labels "
            "lie where the real ones do, its spectra were made up. Its scores cannot be compared "
            "with published ones."
        )
    elif metrics.get("synthetic"):
        found.append(
            "This scene is synthetic: it was computed, not measured. "
            "Its scores say nothing about a real sensor."
        )
    if recipe.get("fit_on") == "scene":
        found.append(
            "Bands were standardised over the whole scene, test pixels included "
            "(their values, not their labels)."
        )
    if recipe.get("features", "bands") not in ("bands", "bands_and_components"):
        found.append(
            f"The network sees features of the whole scene (features = '{recipe['features']}'): "
            "what it sees of a training pixel may hang on test pixels well outside its patch (on "
            "their values, not their labels)."
        )
    if recipe.get("unlabelled") == "scene" and recipe.get("lambda_consistency"):
        found.append(
            "Training looked at the spectra of test pixels, without their labels "
            "(unlabelled = 'scene'): the score is about this scene and no other one."
        )
    if (sentence := surroundings_sentence(metrics)) is not None:
        found.append(sentence)
    return found


def surroundings_sentence(metrics: Metrics) -> str | None:
    """How far pixels listened, and what they are worth without it."""
    record = metrics.get("uncertainty", {})
    alone = record.get("alone")
    if alone is None:
        return None
    return (
        f"Pixels listened to their surroundings for {counted(record['rounds'], 'round')}, so what "
        "is said of a test pixel hangs on others up to as many rows and columns away, and these "
        "may lie beside training pixels. By their own patches alone the test pixels have OA "
        f"{percent(alone['oa'])}, AA {percent(alone['aa'])}."
    )


def leakage_sentence(leakage: LeakageRecord) -> str:
    """Says in plain words what the nearness of training and test pixels does to the score."""
    side = leakage["patch_size"]
    own, overlap = leakage["own_patch_share"], leakage["overlap_share"]
    if overlap == 0:
        return (
            f"No {side} x {side} patch of a test pixel shares a pixel with a training patch: "
            "the score is about ground that the network has not seen, within this scene."
        )
    seen = (
        f"{percent(own, digits=1)} of the test pixels have a training pixel inside their own "
        f"{side} x {side} patch"
    )
    if own >= MOSTLY_SEEN:
        return f"{seen}: the score says little about a new field."
    return (
        f"{seen}, and the patches of {percent(overlap, digits=1)} overlap a training patch: "
        "for these the score is about ground that the network has partly seen."
    )


def leakage_in_brief(leakage: LeakageRecord) -> str:
    """The share of test pixels that have seen a training pixel, for a line beside others."""
    return f"leakage {percent(leakage['own_patch_share'], digits=1)}"


def epoch_sentence(metrics: Metrics, recipe: Mapping[str, object]) -> str | None:
    """Says which epoch's weights were scored, and what chose it."""
    epochs, best = metrics.get("epochs"), metrics.get("best_epoch")
    validation = metrics.get("validation_oa")
    if not epochs:
        return None
    if not best or recipe.get("select") == "last":
        return f"The weights after the last of {epochs} epochs were kept."
    accuracy = f" (validation OA {percent(validation)})" if validation is not None else ""
    return (
        f"Epoch {best} of {epochs} was kept, the best on the validation pixels{accuracy}. "
        "The test pixels had no say in it."
    )


def doubt_sentences(metrics: Metrics) -> list[str]:
    """Where temperature and combined score come from, and what the variance goes along with."""
    record = metrics.get("uncertainty")
    if not record:
        return []
    found = []
    n_validation, n_wrong = record["n_validation"], record["n_wrong_validation"]
    if record["temperature"] is None:
        found.append(
            "No temperature was fitted: there were no validation pixels. Probabilities are as the "
            "network says them, and the combined doubt follows the top probability."
        )
    else:
        found.append(
            f"Probabilities were divided in the logarithm by a temperature of "
            f"{record['temperature']:.2f}, fitted on {counted(n_validation, 'validation pixel')} "
            f"with {counted(n_wrong, 'mistake')}."
        )
        combination = record["combination"]
        if combination is not None and not combination["fitted"]:
            found.append(
                "These are too few mistakes to weigh measures by: the combined doubt counts all "
                "alike, and only its order means something."
            )
    if metrics.get("split", {}).get("strategy") in LEAKING:
        found.append(
            "Validation pixels were drawn beside training pixels, so on new ground the map is "
            "less calibrated than it seems here."
        )
    if (called := record.get("called_unknown")) is not None:
        found.append(
            "With --reject at its usual rate, which allows for 5 % of pixels like the validation "
            f"pixels, {percent(called, digits=1)} of these test pixels would be shown as unknown, "
            "all of them wrongly: they are of known classes."
        )
    lap, border = record["variance_with_lap"], record["variance_with_border"]
    if lap is not None:
        found.append(f"Rank correlation of the variance with the lap of a patch: {lap:+.2f}.")
    if border is not None:
        found.append(
            f"Rank correlation of the variance with the distance to a border: {border:+.2f} "
            "(below 0 if it rises towards borders)."
        )
    return found


def oracle_sentence(metrics: Metrics) -> str | None:
    """The best accuracy on test pixels of any epoch, marked as what it is."""
    oracle = metrics.get("best_on_test")
    if not oracle:
        return None
    return (
        f"Oracle: OA {percent(oracle['oa'])} at epoch {oracle['epoch']}, the best on the test "
        "pixels of all epochs. The test pixels chose this epoch, so this is not an estimate of "
        "accuracy; it stands here only beside publications that report such a figure."
    )
