#!/usr/bin/env python3
"""Makes crates/rag/data/chat-font.ttf.zst, the font of chats that are saved as PDF, from DejaVu Sans.

    npm pack dejavu-fonts-ttf@2.37.3 && tar xzf dejavu-fonts-ttf-2.37.3.tgz
    pip install fonttools==4.68.0
    scripts/chat_font.py package/ttf/DejaVuSans.ttf

The font has the characters of BLOCKS and SYMBOLS, without hinting and without tables for layout, in 1000 units per em
as PDF counts. The same input and versions give the same file.
"""

import hashlib
import io
import pathlib
import subprocess
import sys

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem

TARGET = pathlib.Path(__file__).parent.parent / "crates/rag/data/chat-font.ttf.zst"
SOURCE_SHA256 = "7da195a74c55bef988d0d48f9508bd5d849425c1770dba5d7bfc6ce9ed848954"
UNITS_PER_EM = 1000
# Most bytes that the program may grow by.
PACKED_MAX = 200_000
# The license of the source allows changes only under another name.
NAMES = {1: "Tributary Chat", 2: "Regular", 4: "Tributary Chat", 6: "TributaryChat"}
COPYRIGHT = 0
TABLES = ["head", "hhea", "maxp", "hmtx", "loca", "glyf", "cmap", "name"]

# What the source lacks of a block is left out. Invisible characters are never drawn.
BLOCKS = [
    (0x0020, 0x024F),  # Latin
    (0x0250, 0x036F),  # phonetic alphabet, modifiers, combining marks
    (0x0370, 0x052F),  # Greek, Cyrillic
    (0x0531, 0x058F),  # Armenian
    (0x0591, 0x05F4),  # Hebrew
    (0x0606, 0x06FF),  # Arabic, Persian, Urdu
    (0x0E81, 0x0EDD),  # Lao
    (0x10A0, 0x10FF),  # Georgian
    (0x1DC4, 0x1DFF),  # combining marks
    (0x1E00, 0x1FFF),  # Latin of Vietnamese and others, accented Greek
    (0x2010, 0x2027),  # punctuation
    (0x2030, 0x205E),
    (0x2070, 0x20FF),  # superscripts, subscripts, currencies, combining marks for symbols
    (0x2100, 0x218F),  # characters that stand for words, numbers
    (0x2190, 0x23FF),  # arrows, mathematics, technical signs
    (0x2460, 0x249B),  # numbers in circles
    (0x2500, 0x25FF),  # lines, blocks, shapes
    (0x27C0, 0x27FF),  # more mathematics and arrows
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x2C60, 0x2C7F),  # more Latin and Cyrillic
    (0x2E18, 0x2E2E),
    (0xA640, 0xA69F),
    (0xFB00, 0xFB06),  # ligatures
    (0xFB13, 0xFB4F),  # Hebrew and Armenian, composed
    (0xFB50, 0xFDFF),  # forms of Arabic
    (0xFE70, 0xFEFC),
    (0xFFFD, 0xFFFD),
]
SYMBOLS = (
    "☀☁☂☃★☆☎☐☑☒☓☛☞☠☢☣☮☯☹☺☻♀♂♠♡♢♣♤♥♦♧♩♪♫♬♭♮♯⚐⚑⚖⚙⚛⚠⚡⚪⚫✁✂✆✈✉✌✍✎✏✐✑✒✓✔✕✖✗✘✚✝✡✦✧✪✰✱✳✶✻❄❝❞❤❥"
    "❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔➘➙➚➛➜➝➞➟➠➡➢➣➤"
)
# Symbols that models often write and the source lacks, and the shapes that stand for them.
ALIKE = {"✅": "✔", "❌": "✘", "❎": "✘", "➕": "+", "➖": "−", "➗": "÷", "❓": "?", "❗": "!"}


def characters(font: TTFont) -> set[int]:
    known = font.getBestCmap().keys()
    wanted = {code for first, last in BLOCKS for code in range(first, last + 1)} | set(map(ord, SYMBOLS))
    return wanted & known


def subset_of(font: TTFont) -> bytes:
    options = subset.Options(hinting=False, layout_features=[], notdef_outline=True, legacy_cmap=False)
    options.drop_tables = [name for name in font.keys() if name not in TABLES]
    options.name_IDs = [COPYRIGHT]
    copyright_notice = font["name"].getDebugName(COPYRIGHT)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=characters(font))
    chosen.subset(font)
    scale_upem(font, UNITS_PER_EM)
    for table in font["cmap"].tables:
        table.cmap |= {ord(symbol): table.cmap[ord(shape)] for symbol, shape in ALIKE.items()}
    font["name"].names = []
    for number, text in {COPYRIGHT: copyright_notice, **NAMES}.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1]).read_bytes()
    if hashlib.sha256(source).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{sys.argv[1]} is not DejaVuSans.ttf of version 2.37")
    font = subset_of(TTFont(io.BytesIO(source), recalcTimestamp=False))
    packed = subprocess.run(["zstd", "--ultra", "-22", "--stdout"], input=font, capture_output=True, check=True).stdout
    if len(packed) > PACKED_MAX:
        sys.exit(f"{len(packed)} bytes are too many; at most {PACKED_MAX}")
    TARGET.write_bytes(packed)
    print(f"{len(font)} bytes, {len(packed)} packed, SHA-256 {hashlib.sha256(font).hexdigest()}")


main()
