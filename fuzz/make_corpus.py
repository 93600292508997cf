#!/usr/bin/env python3
"""Writes the committed inputs that are not plain text: archives, frames and packets. The others are edited by hand."""

import io
import pathlib
import struct
import zipfile

CORPUS = pathlib.Path(__file__).parent / "corpus"
CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>Flood report</dc:title>'
    "<dc:creator>Ann Lee</dc:creator></cp:coreProperties>"
)
WORD = (
    '<?xml version="1.0"?><w:document xmlns:w="w" xmlns:mc="mc"><w:body><w:p><w:r><w:t>Rivers </w:t></w:r>'
    '<w:r><w:t xml:space="preserve">&amp; rain</w:t><w:br/><w:tab/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r>'
    "<w:t>a&#x41;</w:t></w:r></w:p></w:tc></w:tr></w:tbl><mc:AlternateContent><mc:Fallback><w:p/></mc:Fallback>"
    "</mc:AlternateContent><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:body></w:document>"
)
NOTES = '<w:footnotes xmlns:w="w"><w:footnote><w:p><w:r><w:t><![CDATA[A <note>]]></w:t></w:r></w:p></w:footnote></w:footnotes>'
WORKBOOK = '<workbook><sheets><sheet name="Levels" sheetId="1"/><sheet name="Rain" sheetId="2"/></sheets></workbook>'
SHARED = "<sst><si><t>River</t></si><si><r><t>Le</t></r><r><t>vel</t></r><rPh><t>spoken</t></rPh></si></sst>"
SHEET = (
    '<worksheet><sheetData><row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
    '<row r="2"><c t="inlineStr"><is><t>Elbe</t></is></c><c><v>3.5</v></c><c t="s"><v>99</v></c></row></sheetData></worksheet>'
)
SLIDE = '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>First</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:sld>'
ODT = (
    '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><text:h>Floods</text:h>'
    '<text:p>in<text:s text:c="3"/>spring<text:line-break/>and<text:tab/>autumn</text:p><table:table><table:table-row>'
    '<table:table-cell table:number-columns-repeated="2"><text:p>1</text:p></table:table-cell></table:table-row>'
    "</table:table></office:body></office:document-content>"
)
META = '<office:document-meta xmlns:dc="d" xmlns:office="o"><dc:title>Floods</dc:title><dc:creator>Ann</dc:creator></office:document-meta>'


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def archive(parts, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as package:
        for name, text in parts.items():
            # A fixed date, so that the file is the same each time.
            entry = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
            entry.compress_type = method
            package.writestr(entry, text)
    return file.getvalue()


def packages():
    docx = {"[Content_Types].xml": "<Types/>", "docProps/core.xml": CORE, "word/document.xml": WORD}
    write("package", "docx", archive(docx | {"word/footnotes.xml": NOTES}))
    write("package", "docx_stored", archive(docx, zipfile.ZIP_STORED))
    sheets = {"xl/worksheets/sheet1.xml": SHEET, "xl/worksheets/sheet10.xml": SHEET}
    xlsx = archive({"xl/workbook.xml": WORKBOOK, "xl/sharedStrings.xml": SHARED} | sheets)
    write("package", "xlsx", xlsx)
    write("package", "xlsx_cut", xlsx[: len(xlsx) // 2])
    write("package", "pptx", archive({"ppt/presentation.xml": "<p/>", "ppt/slides/slide1.xml": SLIDE}))
    write("package", "odt", archive({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": ODT, "meta.xml": META}))
    write("package", "empty", archive({}))
    write("office_xml", "docx", "\0".join([WORD, NOTES, CORE]))
    write("office_xml", "xlsx", "\0".join([SHEET, SHARED, WORKBOOK]))
    write("office_xml", "pptx", "\0".join([SLIDE, SLIDE, CORE]))
    write("office_xml", "odt", "\0".join([ODT, META]))
    write("office_xml", "deep", "<a>" * 40 + "x" + "</a>" * 40)


def frame(event, payload, kind="event"):
    return f":message-type={kind}\n:{kind}-type={event}\x1f{payload}"


def frames():
    text = frame("contentBlockDelta", '{"contentBlockIndex":0,"delta":{"text":"Rivers rise."}}')
    stop = frame("messageStop", '{"stopReason":"end_turn"}')
    usage = frame("metadata", '{"usage":{"inputTokens":3,"outputTokens":5,"totalTokens":8}}')
    write("aws_frames", "text", "\x1e".join([frame("messageStart", '{"role":"assistant"}'), text, stop, usage]))
    start = frame("contentBlockStart", '{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"1","name":"search"}}}')
    call = frame("contentBlockDelta", '{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\\"q\\":1}"}}}')
    write("aws_frames", "call", "\x1e".join([start, call, stop]))
    write("aws_frames", "exception", frame("throttlingException", '{"message":"Slow down"}', "exception"))
    write("aws_frames", "other_headers", b"\0\1x\2\7\1y\6\0\1\11\1z\11" + bytes(16) + b"\x1f{}")
    vector = "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936"
    write("aws_frames", "raw", b"\0" + bytes.fromhex(vector))
    write("aws_frames", "whole", b'\0{"output":{"message":{"content":[{"text":"Hello"}]}},"usage":{"inputTokens":1,"outputTokens":2}}')


def utf16(text):
    return text.encode("utf-16-le")


def column(name, type_info):
    return bytes([0, 0, 0, 0, 1, 0]) + type_info + bytes([len(name)]) + utf16(name)


def tds():
    text_type = bytes([0xE7]) + struct.pack("<H", 200) + bytes([9, 4, 0xD0, 0, 52])
    columns = [column("title", text_type), column("level", bytes([0x26, 4])), column("day", bytes([0x28]))]
    columns += [column("size", bytes([0x6C, 9, 10, 2])), column("at", bytes([0x6F, 8])), column("id", bytes([0x24, 16]))]
    row = struct.pack("<H", 8) + utf16("Elbe") + bytes([4]) + struct.pack("<i", 7) + bytes([3, 0x5B, 0x95, 0x0A])
    row += bytes([5, 1]) + struct.pack("<I", 1234) + bytes([8]) + struct.pack("<iI", 45000, 3000) + bytes([16]) + bytes(range(16))
    none = b"\xff\xff" + bytes(5)
    done = b"\xfd\x10\0\0\0" + struct.pack("<Q", 2)
    rows = b"\x81" + struct.pack("<H", len(columns)) + b"".join(columns) + b"\xd1" + row + b"\xd1" + none
    write("tds", "rows", b"\0\0" + rows + b"\x79\0\0\0\0" + done)
    message = utf16("Invalid object name 'x'.")
    error = struct.pack("<IBBH", 208, 1, 16, len(message) // 2) + message + bytes([0, 0, 1, 0, 0, 0])
    write("tds", "error", b"\0\0\xaa" + struct.pack("<H", len(error)) + error + b"\xfd\2\0\0\0" + bytes(8))
    route = b"\0" + struct.pack("<HH", 1433, 1) + utf16("h")
    change = b"\x14" + struct.pack("<H", len(route)) + route + b"\0\0"
    login = b"\xe3" + struct.pack("<H", len(change)) + change + b"\xfd" + bytes(12)
    write("tds", "route", struct.pack("<H", len(login)) + login)
    write("tds", "greeting", bytes.fromhex("00000b000601001100 01ff100000000000 02".replace(" ", "")))


packages()
frames()
tds()
