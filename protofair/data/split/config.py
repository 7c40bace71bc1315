"""What an alpha split is made of."""

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from protofair.core.strict import Strict


class SplitConfig(Strict):
    """The options of `build_split`, as a plan holds them."""

    alpha: float = Field(ge=1)
    target: str = "gender"  # a column of the label table, or one cut at a threshold: 'age>=35'
    sensitive: str = "white"
    val_per_cell: NonNegativeInt = 500
    test_per_cell: NonNegativeInt = 500
    sizes: Literal["largest", "equal"] = "largest"
    equal_to: tuple[float, ...] = (2, 3, 4)  # with sizes 'equal': the alphas whose training sets are equally large
    seed: int = 0

    @model_validator(mode="after")
    def _alpha_is_among_the_equal(self) -> Self:
        if self.sizes == "equal" and self.alpha not in self.equal_to:
            raise ValueError(f"alpha {self.alpha:g} is not among the alphas of equal size, 'equal_to'. Add it there")
        if min(self.equal_to, default=1) < 1:
            raise ValueError("'equal_to' has an alpha below 1")
        return self
