"""Files behind results: what of PDF, office files, mail, Markdown and text reaches the model, and pages of citations."""

import io
import zipfile

from harness import Reply, Row, Source, claim, equal, expect
from harness.answers import add_model, add_source, ask, summary
from harness.model import Model

source, model = Source(), Model()
SNIPPET = "This snippet about the {} harbor is what the source itself returned, and nothing else."


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Files")


def finish():
    source.__exit__()
    model.__exit__()


def pdf(*pages):
    """A PDF with these lines on its pages, in a font that every reader has."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        text = "BT /F1 12 Tf 50 700 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
        number = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{number + 1} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode() + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


def package(**parts):
    """An office file of these parts; two underscores stand for a slash, one before the ending for a point."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name.replace("__", "/").replace("_rels/", "_rels/"), '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return out.getvalue()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def docx(word):
    return package(**{"word/document.xml": f"<w:document {W}><w:body><w:p><w:r><w:t>The {word} harbor was deepened twice and its pier is made "
                      "of oak from the upper valley.</w:t></w:r></w:p></w:body></w:document>"})  # fmt: skip


def xlsx(word):
    """Two sheets whose order is not that of their files, and a date as a number with a style."""
    cell = f'<c t="inlineStr"><is><t>The {word} harbor was deepened twice and its pier is made of oak</t></is></c>'
    relations = f'<Relationship Id="rId1" Type="{KIND}worksheet" Target="worksheets/sheet2.xml"/>' \
                f'<Relationship Id="rId2" Type="{KIND}worksheet" Target="worksheets/sheet1.xml"/>' \
                f'<Relationship Id="rId3" Type="{KIND}styles" Target="styles.xml"/>'  # fmt: skip
    return package(**{
        "xl/workbook.xml": f'<workbook {S} {R}><sheets><sheet name="Depths" sheetId="2" r:id="rId1"/>'
                           '<sheet name="Other" sheetId="1" r:id="rId2"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": RELATIONS.format(relations),
        "xl/styles.xml": f'<styleSheet {S}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": f'<worksheet {S}><sheetData><row r="1"><c><v>1</v></c></row></sheetData></worksheet>',
        "xl/worksheets/sheet2.xml": f'<worksheet {S}><sheetData><row r="1">{cell}<c s="1"><v>45352</v></c></row></sheetData></worksheet>',
    })  # fmt: skip


def mail(word):
    return (
        f"From: Ann <ann@example.org>\r\nTo: bob@example.net\r\nSubject: The {word} harbor\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n'
        f"Content-Transfer-Encoding: quoted-printable\r\n\r\nThe {word} harbor was deepened twice and its pier is made of oak, dit le caf=C3=A9.\r\n"
        "--b\r\nContent-Type: text/html\r\n\r\n<p>The same.</p>\r\n--b--\r\n"
    ).encode()


def plain(word):
    return f"The {word} harbor was deepened twice and its pier is made of oak from the upper valley.".encode()


OFFICE = "application/vnd.openxmlformats-officedocument."
FILES = [
    ("PDF", "application/pdf", lambda word: pdf([f"The {word} harbor was deepened twice", "and its pier is made of oak."]), "made of oak"),
    ("DOCX", OFFICE + "wordprocessingml.document", docx, "made of oak"), ("XLSX", OFFICE + "spreadsheetml.sheet", xlsx, "made of oak"),
    ("XLSX, sheet and date", OFFICE + "spreadsheetml.sheet", xlsx, "Depths"), ("XLSX, date", OFFICE + "spreadsheetml.sheet", xlsx, "2024-03-01"),
    ("EML", "message/rfc822", mail, "dit le café"), ("text", "text/plain", plain, "made of oak"),
    ("Markdown", "text/markdown", lambda word: b"# Harbors\n\n" + plain(word), "made of oak"),
]  # fmt: skip


def summarized(service, word, kind, data, text="ok [1]."):
    source.route(f"/{word}/file", Reply(data, headers={"Content-Type": kind}))
    found = [{"title": f"{word} harbor", "url": f"{source.base}/{word}/file", "body": SNIPPET.format(word)}]
    provider = add_source(service, source, word, found, page_fetch_config_json={"cache": "false"})
    model.on(word, text)
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    row = summary(ask(service.admin, search))
    return row["additional_content"]["sources"][0], model.calls(word)[0].prompt


@claim("ai-cache 1.5, step 4: built-in extraction of files", [
    Row(name, (at, kind, data, expected)) for at, (name, kind, data, expected) in enumerate(FILES)
])  # fmt: skip
def a_file_is_read_for_a_summary(service, at, kind, data, expected):
    word = "filek" + "abcdefgh"[at]
    used, prompt = summarized(service, word, kind, data(word))
    equal(used["mode"], "page")
    expect(expected in prompt, f"{expected} is not in the prompt", prompt[-2000:])


@claim("ai-cache 1.8: deep links; a citation of a PDF opens its page")
def a_citation_of_a_pdf_names_its_page(service):
    pages = [[f"Page {n} is about the weather in the town", "and about nothing else at all."] for n in range(1, 4)]
    pages[1] = ["The pdfpage harbor was deepened twice", "and its pier is made of oak."]
    used, _ = summarized(
        service, "pdfpage", "application/pdf", pdf(*pages), "The pdfpage harbor was deepened twice and its pier is made of oak [1]."
    )
    equal(used["page"], 2)
    expect(used["url"].endswith("/pdfpage/file#page=2"), "the address", used["url"])


HOSTILE = [
    ("a PDF without its end", "application/pdf", lambda: pdf(["x"])[:200]), ("no PDF at all", "application/pdf", lambda: b"%PDF-1.7\n" + b"\xff" * 5000),
    ("a broken package", OFFICE + "wordprocessingml.document", lambda: docx("x")[:120]),
    ("a text that says it is a workbook", OFFICE + "spreadsheetml.sheet", lambda: b"a,b,c"),
    ("a package that unpacks to much", OFFICE + "wordprocessingml.document",
     lambda: package(**{"word/document.xml": f"<w:document {W}><w:body><w:p><w:r><w:t>" + "a " * 40_000_000 + "</w:t></w:r></w:p></w:body></w:document>"})),
    ("very many nested elements", OFFICE + "wordprocessingml.document", lambda: package(**{"word/document.xml": "<a>" * 200_000})),
]  # fmt: skip


@claim("decisions 6: hostile files; ai-cache 1.5: a failure falls back to the snippet", [
    Row(name, (at, kind, data)) for at, (name, kind, data) in enumerate(HOSTILE)
])  # fmt: skip
def a_hostile_file_falls_back_to_the_snippet(service, at, kind, data):
    word = "hostfi" + "abcdef"[at]
    used, prompt = summarized(service, word, kind, data())
    equal(used["mode"], "snippet")
    expect(SNIPPET.format(word) in prompt, "the snippet", prompt[-500:])
    service.admin.get("/svc/health/ready/").expect(200)
