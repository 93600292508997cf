//! Encrypted files are reported as such; those that anyone may open are read.

use super::{REPORT, REPORT_WORDS, Workshop};
use domain::ports::ExtractError;

/// A LibreOffice macro that saves an encrypted document.
const SEAL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">
Sub Seal(source, target, filter)
  Dim opened(0) As New com.sun.star.beans.PropertyValue
  opened(0).Name = "Hidden"
  opened(0).Value = True
  document = StarDesktop.loadComponentFromURL(ConvertToURL(source), "_blank", 0, opened())
  Dim key(1) As New com.sun.star.beans.NamedValue
  key(0).Name = "CryptoType"
  key(0).Value = "StrongEncryptionDataSpace"
  key(1).Name = "OOXPassword"
  key(1).Value = "secret"
  Dim saved(1) As New com.sun.star.beans.PropertyValue
  saved(0).Name = "FilterName"
  saved(0).Value = filter
  If InStr(filter, "2007") &gt; 0 Then
    saved(1).Name = "EncryptionData"
    saved(1).Value = key()
  Else
    saved(1).Name = "Password"
    saved(1).Value = "secret"
  End If
  document.storeToURL(ConvertToURL(target), saved())
  document.close(True)
End Sub
</script:module>
"#;

const LIBRARY: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE library:library PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "library.dtd">
<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false">
 <library:element library:name="Module1"/>
</library:library>
"#;

const LIBRARIES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE library:libraries PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "libraries.dtd">
<library:libraries xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink">
 <library:library library:name="Standard" xlink:href="$(USER)/basic/Standard/script.xlb/" xlink:type="simple" library:link="false"/>
</library:libraries>
"#;

fn report(shop: &Workshop) -> bool {
    shop.write("report.md", REPORT);
    shop.run("pandoc", &["--standalone", "report.md", "-o", "report.odt"])
}

#[test]
fn what_libreoffice_seals() {
    let shop = Workshop::new();
    // The first conversion creates the profile.
    if !report(&shop) || !shop.convert("report.odt", "docx:MS Word 2007 XML", &[]) {
        return;
    }
    for (name, text) in
        [("Standard/Module1.xba", SEAL), ("Standard/script.xlb", LIBRARY), ("script.xlc", LIBRARIES)]
    {
        std::fs::create_dir_all(shop.path("profile/user/basic/Standard")).expect("a folder");
        shop.write(&format!("profile/user/basic/{name}"), text);
    }
    for (name, filter) in [("sealed.docx", "MS Word 2007 XML"), ("sealed.odt", "writer8")] {
        let (source, target) = (shop.path("report.odt"), shop.path(name));
        let call =
            format!("macro:///Standard.Module1.Seal({},{},{filter})", source.display(), target.display());
        assert!(shop.run("soffice", &[&shop.profile(), "--headless", &call]));
        assert_eq!(shop.read(name), Err(ExtractError::Protected), "{name}");
    }
    let options = r#"{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"secret"}}"#;
    assert!(shop.convert("report.odt", &format!("pdf:writer_pdf_Export:{options}"), &[]));
    assert_eq!(shop.read("out/report.pdf"), Err(ExtractError::Protected));
}

#[test]
fn what_qpdf_seals() {
    let shop = Workshop::new();
    if !report(&shop) || !shop.convert("report.odt", "pdf:writer_pdf_Export", &[]) {
        return;
    }
    for (bits, more) in [("40", &[][..]), ("128", &["--use-aes=n"]), ("128", &["--use-aes=y"]), ("256", &[])]
    {
        for (user, is_open) in [("", true), ("secret", false)] {
            let arguments = [
                &["--allow-weak-crypto", "--encrypt", user, "owner", bits][..],
                more,
                &["--", "out/report.pdf", "sealed.pdf"],
            ];
            if !shop.run("qpdf", &arguments.concat()) {
                return;
            }
            if is_open {
                // Only changes need the owner password.
                drop(shop.assert_words("sealed.pdf", REPORT_WORDS));
            } else {
                assert_eq!(shop.read("sealed.pdf"), Err(ExtractError::Protected), "{bits} {more:?}");
            }
        }
    }
}
