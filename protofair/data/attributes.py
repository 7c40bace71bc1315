"""The attributes a packed set has, by data set: the names a target or a sensitive attribute can have."""

# fmt: off
CELEBA = (  # in the official order
    "5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald", "Bangs", "Big_Lips", "Big_Nose",
    "Black_Hair", "Blond_Hair", "Blurry", "Brown_Hair", "Bushy_Eyebrows", "Chubby", "Double_Chin", "Eyeglasses",
    "Goatee", "Gray_Hair", "Heavy_Makeup", "High_Cheekbones", "Male", "Mouth_Slightly_Open", "Mustache",
    "Narrow_Eyes", "No_Beard", "Oval_Face", "Pale_Skin", "Pointy_Nose", "Receding_Hairline", "Rosy_Cheeks",
    "Sideburns", "Smiling", "Straight_Hair", "Wavy_Hair", "Wearing_Earrings", "Wearing_Hat", "Wearing_Lipstick",
    "Wearing_Necklace", "Wearing_Necktie", "Young",
)
FINDINGS = (  # of NIH ChestX-ray14
    "Atelectasis", "Cardiomegaly", "Effusion", "Infiltration", "Mass", "Nodule", "Pneumonia", "Pneumothorax",
    "Consolidation", "Edema", "Emphysema", "Fibrosis", "Pleural_Thickening", "Hernia",
)
# fmt: on
# `age_60` is 1 from 60 years on: an age in years has too many values to be a target or a sensitive attribute.
ATTRIBUTES = {
    "celeba": CELEBA,
    "utkface": ("age", "gender", "race", "white", "age_35"),
    "nih": (*FINDINGS, "sex", "age", "view", "patient", "age_60"),
}
