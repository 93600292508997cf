//! A PDF of one page with two fonts, `F1` of single bytes and `F2` of pairs, which share a ToUnicode table.

pub fn write(content: &[u8], to_unicode: &[u8]) -> Vec<u8> {
    let dictionary = |text: &str| text.as_bytes().to_vec();
    let stream = |bytes: &[u8]| {
        let head = format!("<</Length {}>>\nstream\n", bytes.len());
        [head.as_bytes(), bytes, b"\nendstream"].concat()
    };
    let objects = [
        dictionary("<</Type/Catalog/Pages 2 0 R>>"),
        dictionary("<</Type/Pages/Kids[3 0 R]/Count 1>>"),
        dictionary(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources\
             <</Font<</F1 5 0 R/F2 6 0 R>>/XObject<</X1 9 0 R>>>>>>",
        ),
        stream(content),
        dictionary(
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 8 0 R\
             /FirstChar 32/Widths[250 300 400]>>",
        ),
        dictionary(
            "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 8 0 R>>",
        ),
        dictionary("<</Type/Font/Subtype/CIDFontType2/BaseFont/A/DW 500/W[1[300 400] 10 20 250]>>"),
        stream(to_unicode),
        dictionary(
            "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 18>>\nstream\n/F1 9 Tf (form) Tj\nendstream",
        ),
    ];
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{} 0 obj\n", number + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let at = file.len();
    let trailer = format!("trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n", objects.len() + 1);
    file.extend(table.bytes().chain(trailer.bytes()));
    file
}
