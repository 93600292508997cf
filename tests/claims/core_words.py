"""Words of every script, words with signs, markup, dashes and emoji in queries to providers."""

import unicodedata
import urllib.parse

from harness import Row, claim, equal
from harness.one_provider import ask

CHAR = "NOT_CHAR=-"


def sent(service, query, mappings="", processors=("AdaptiveQueryProcessor",)):
    asked = ask(service, query, query_mappings=mappings, query_processors=list(processors))
    seen = urllib.parse.parse_qs(asked.asked_for, keep_blank_values=True)["q"][0]
    equal(asked.query, seen, "info differs from what the source was asked")
    return seen


def same(found, expected, message):
    """Compares code points, so that another normalization form of the same text is a difference."""
    if found != expected:
        codes = [" ".join(f"{ord(each):04X}" for each in text) for text in (expected, found)]
        raise AssertionError(f"{message}: expected {expected} ({codes[0]}), got {found} ({codes[1]})")


SCRIPTS = {
    "Latin with accents": ("Zürich", "naïve"), "Latin decomposed": (unicodedata.normalize("NFD", "Zürich"), unicodedata.normalize("NFD", "Tiếng")),
    "Vietnamese": ("Tiếng", "Việt"), "Turkish": ("İstanbul", "ışık"), "Yoruba": ("Ẹ̀kọ́", "ọmọ"),
    "Devanagari": ("हिन्दी", "विज्ञान"), "Bengali": ("বাংলা", "বিজ্ঞান"), "Gurmukhi": ("ਪੰਜਾਬੀ", "ਵਿਗਿਆਨ"),
    "Gujarati": ("ગુજરાતી", "વિજ્ઞાન"), "Tamil": ("தமிழ்", "அறிவியல்"), "Telugu": ("తెలుగు", "విజ్ఞానం"),
    "Kannada": ("ಕನ್ನಡ", "ವಿಜ್ಞಾನ"), "Malayalam": ("മലയാളം", "ശാസ്ത്രം"), "Sinhala": ("සිංහල", "විද්‍යාව"),
    "Thai": ("น้ำ", "วิทยาศาสตร์"), "Lao": ("ນ້ຳ", "ພາສາລາວ"), "Khmer": ("ភាសាខ្មែរ", "វិទ្យាសាស្ត្រ"),
    "Burmese": ("မြန်မာ", "သိပ္ပံ"), "Tibetan": ("བོད", "སྐད"), "Persian with ZWNJ": ("می\u200cخواهم", "کتاب\u200cها"),
    "Arabic with marks": ("مُحَمَّد", "عِلْم"), "Hebrew with points": ("שָׁלוֹם", "מַדָּע"), "Syriac": ("ܣܘܪܝܝܐ", "ܠܫܢܐ"),
    "Cyrillic": ("Россия", "ёлка"), "Greek polytonic": ("Ἀθῆναι", "λόγος"), "Armenian": ("Հայերեն", "գիտություն"),
    "Georgian": ("ქართული", "მეცნიერება"), "Amharic": ("አማርኛ", "ሳይንስ"), "Chinese": ("北京", "科学"),
    "Kana": ("がぎぐ", "カガク"), "Kana decomposed": (unicodedata.normalize("NFD", "がぎぐ"), unicodedata.normalize("NFD", "ガク")),
    "Korean": ("한국어", "과학"), "Korean jamo": (unicodedata.normalize("NFD", "한국어"), unicodedata.normalize("NFD", "과학")),
    "Mongolian": ("ᠮᠣᠩᠭᠣᠯ", "ᠰᠢᠨᠵᠢᠯᠡᠬᠦ"), "Cherokee": ("ᏣᎳᎩ", "ᎦᏬᏂᎯᏍᏗ"), "N'Ko": ("ߒߞߏ", "ߟߐ߲ߞߏ"), "Dhivehi": ("ދިވެހި", "އިލްމު"),
    "Balinese": ("ᬩᬮᬶ", "ᬅᬓ᭄ᬱᬭ"), "Adlam": ("𞤆𞤵𞤤𞤢𞤪", "𞤀𞤣𞤤𞤢𞤥"), "Han beyond the BMP": ("𠮷野家", "𩸽"), "Marathi with ZWJ": ("र्‍य", "दर्‍या"),
}  # fmt: skip


@claim("decisions 7.1: combining marks and joiners belong to words, no normalization",
       rows=[Row(name, words) for name, words in SCRIPTS.items()])  # fmt: skip
def words_of_every_script_reach_the_source(service, first, second):
    same(sent(service, f"{first} {second}"), f"{first} {second}", "two words")
    same(sent(service, first, processors=["GenericQueryProcessor"]), first, "one word, cleaned")


@claim("decisions 7.1: phrases and exclusions in every script", rows=[Row(name, words) for name, words in SCRIPTS.items()])
def phrases_and_exclusions_hold_in_every_script(service, first, second):
    same(sent(service, f'"{first} {second}" -{second}', CHAR), f'"{first} {second}" -{second}', "phrase and exclusion")
    same(sent(service, f'({first} NOT {second}) OR "{second}"', CHAR), f'({first} -{second}) OR "{second}"', "group")


@claim("decisions 7.1: signs of words", rows=[Row(each, (each,)) for each in [
    "C++", "C#", ".NET", "AT&T", "user@example.com", "3.5%", "C++ C# .NET", "anna.b+news@mail.example.org", "F#", "99.9%",
    "O'Brien", "don’t panic", "co-operation", "$100 bill", "Q&A", "R&D budget", "L'Oréal",
]])  # fmt: skip
def words_with_signs_stay_whole(service, query):
    for processor in ["AdaptiveQueryProcessor", "GenericQueryProcessor"]:
        equal(sent(service, query, processors=[processor]), query, processor)
    equal(sent(service, f'"{query}" metal'), f'"{query}" metal', "as a phrase")


@claim("core 2.2, with decisions 7.1 and the differences of quirks", rows=[
    Row("comma without a space", ("g,h", "g h")), Row("slash and underscore", ("a/b c_d", "a b c d")),
    Row("markup and entity", ("<b>bold</b> AT&amp;T", "bold AT&T")), Row("lone dashes", ("a - b -- c", "a b c")),
    Row("tag in a question", ("what does <script> do", "what does script do")),
    Row("complete script element", ("copper <script>alert(1)</script> wire", "copper wire")),
    Row("complete style element", ("copper <style>p{}</style> wire", "copper wire")),
    Row("nested elements", ("<p>copper <b>wire</b></p>", "copper wire")),
    Row("spaces", ("  copper \t  wire \n ", "copper wire")), Row("exclamation and semicolon", ("copper!wire;tin|lead", "copper wire tin lead")),
    Row("brackets", ("copper [wire] {tin} <lead", "copper wire tin lead")), Row("question mark stays", ("what is copper?", "what is copper?")),
])  # fmt: skip
def other_punctuation_separates_words(service, query, expected):
    equal(sent(service, query, processors=["GenericQueryProcessor"]), expected, "Generic")
    equal(sent(service, query), expected, "Adaptive")


@claim("decisions 7.1: typographic quotation marks", rows=[
    Row("English", ("“copper wire” price", '"copper wire" price')), Row("German", ("„copper wire“ price", '"copper wire" price')),
    Row("excluded", ("price -“copper wire”", 'price -"copper wire"')), Row("not inside", ("“to be or not to be”", '"to be or not to be"')),
])  # fmt: skip
def typographic_quotation_marks_mark_phrases(service, query, expected):
    equal(sent(service, query, CHAR), expected)


@claim("decisions 7.1: dashes between words become a blank", rows=[
    Row("em dash", ("supply—demand", "supply demand")), Row("en dash", ("supply–demand", "supply demand")),
    Row("en dash with spaces", ("supply – demand", "supply demand")), Row("em dash with spaces", ("supply — demand", "supply demand")),
    Row("horizontal bar", ("supply―demand", "supply demand")), Row("years", ("1914–1918", "1914 1918")),
])  # fmt: skip
def dashes_become_a_blank(service, query, expected):
    equal(sent(service, query, CHAR), expected)


@claim("decisions 7.1: a query of emoji alone is asked as it is; quirks: with its operators", rows=[
    Row("one", ("🎸", "🎸")), Row("two", ("🎸 🎻", "🎸 🎻")), Row("with a joiner", ("👩\u200d🔬", "👩\u200d🔬")),
    Row("flag", ("🇨🇭", "🇨🇭")), Row("skin tone", ("👍🏽", "👍🏽")), Row("variation selector", ("❤️", "❤️")),
    Row("alternatives", ("🎸 OR 🎻", "🎸 OR 🎻")), Row("exclusion", ("🎸 -🎻", "🎸 -🎻")),
])  # fmt: skip
def emoji_alone_are_asked(service, query, expected):
    same(sent(service, query, CHAR), expected, "emoji")
