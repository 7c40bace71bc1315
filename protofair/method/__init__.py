"""The method: Equations 2 to 9 of the paper as pure functions, and the plug-in `ProtoFair` around them."""
