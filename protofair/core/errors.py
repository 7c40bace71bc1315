"""What a user can cause ends in one clear line and exit code 2, never in a traceback."""


class UserError(Exception):
    """Something a person can put right: says what is wrong, where, and what to do next.

    Raise it with the whole message, for example
    `UserError(f"{path}: unknown attribute 'Mael'. Did you mean 'Male'?")`.
    Several problems found at once go on one line each.
    """

    exit_code = 2
