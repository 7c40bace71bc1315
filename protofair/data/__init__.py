"""From official files to packed arrays: `acquire` gets them, `prepare` packs them, `split` divides UTKFace, `toy` draws stand-ins."""
