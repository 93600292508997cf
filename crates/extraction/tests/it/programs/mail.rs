//! Mails as written by Python's `email`, with usual attachments.

use super::{REPORT, REPORT_WORDS, Workshop};

const WRITE: &str = r#"
import sys
from email.message import EmailMessage
from email.policy import SMTP

def mail(subject):
    message = EmailMessage(policy=SMTP)
    message["From"] = "Ann Lée <ann@example.net>"
    message["To"] = "Bob <bob@example.net>, cy@example.net"
    message["Subject"] = subject
    return message

plain = mail("Überschwemmung")
plain.set_content("Das Café steht unter Wasser.\n\nMore tomorrow.\n", charset="iso-8859-1", cte="quoted-printable")
open("plain.eml", "wb").write(bytes(plain))

both = mail("Both")
both.set_content("The plain words")
both.add_alternative("<p>The <b>bold</b> words</p>", subtype="html")
open("both.eml", "wb").write(bytes(both))

full = mail("Attached")
full.set_content("See what is attached.")
full.add_attachment("Notes in a text", subtype="plain", filename="notes.txt")
full.add_attachment("a,b\nGauge,7\n".encode(), maintype="text", subtype="csv", filename="table.csv")
full.add_attachment(both)
full.add_attachment(b"\x00\x01\x02", maintype="application", subtype="octet-stream", filename="data.bin")
full.add_attachment(b"%PDF-1.4 broken", maintype="application", subtype="pdf", filename="broken.pdf")
if len(sys.argv) > 1:
    word = "vnd.openxmlformats-officedocument.wordprocessingml.document"
    full.add_attachment(open(sys.argv[1], "rb").read(), maintype="application", subtype=word, filename="Bericht für Ann.docx")
open("full.eml", "wb").write(bytes(full))
"#;

#[test]
fn mails_of_python() {
    let shop = Workshop::new();
    shop.write("write.py", WRITE);
    shop.write("report.md", REPORT);
    let has_report = shop.run("pandoc", &["--standalone", "report.md", "-o", "report.docx"]);
    let arguments: &[&str] = if has_report { &["write.py", "report.docx"] } else { &["write.py"] };
    if !shop.run("python3", arguments) {
        return;
    }
    let found = shop.assert_words(
        "plain.eml",
        &[
            "Ann Lée",
            "Bob, cy@example.net",
            "Überschwemmung",
            "Das Café steht unter Wasser.",
            "More tomorrow.",
        ],
    );
    assert_eq!((found.title.as_str(), found.author.as_str()), ("Überschwemmung", "Ann Lée"));
    let both = shop.assert_words("both.eml", &["Both", "The plain words"]);
    assert!(!both.text.contains("bold"), "the same is said twice: {}", both.text);
    shop.assert_words(
        "full.eml",
        &["Attached", "See what is attached.", "notes.txt", "Notes in a text", "table.csv", "Gauge,7"],
    );
    let full = shop.assert_words("full.eml", &["The plain words", "data.bin", "broken.pdf"]);
    assert!(!full.text.contains("%PDF"), "{}", full.text);
    if has_report {
        shop.assert_words("full.eml", &[&["Bericht für Ann.docx"], REPORT_WORDS].concat());
    }
}
