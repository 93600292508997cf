//! PDF files at byte level: object streams and a cross-reference table that points into them.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// The owner key and the check of the empty password for the document id below, and the keys of the two streams.
const OWNER: &str = "c92422687facee686e373f10b5c7d04738053152f7e2ee30e11c69ec442576ab";
const USER: &str = "13f3633f3c8fe41869648cfa5552ce67d52a786c2ca737f8f9c0e496403cd4ae";
const IDENTITY: &str = "30313233343536373839616263646566";
const PACKED_KEY: [u8; 10] = [0xbe, 0x9d, 0x42, 0xf5, 0xfa, 0xbe, 0xe6, 0x60, 0x0c, 0xa3];
const CONTENT_KEY: [u8; 10] = [0x2b, 0x63, 0xde, 0x72, 0x30, 0xc5, 0x44, 0x3c, 0x63, 0xee];

const PACKED: usize = 4;
const CONTENT: usize = 5;
const SEAL: usize = 6;
const TABLE: usize = 7;
/// The first packed object, which is the root of the document.
const FIRST: usize = 10;

/// What is special about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Everything is encrypted with an empty password, as by a program that only forbids changes.
    Encrypted,
    /// The length of a stream is one of the packed objects.
    Length,
}

/// One page with the text `Rivers rose`.
pub fn ordinary() -> Vec<u8> {
    let objects = [
        "<</Type/Catalog/Pages 11 0 R>> ",
        "<</Type/Pages/Kids[12 0 R]/Count 1>> ",
        "<</Type/Page/Parent 11 0 R/Contents 5 0 R/Resources<</Font<</F1 13 0 R>>>>>> ",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>> ",
    ];
    let mut places = Vec::new();
    let mut text = String::new();
    for object in objects {
        places.push(text.len());
        text.push_str(object);
    }
    file(Way::Encrypted, &places, &text)
}

/// Many objects at the same offset, where a long list is: each takes the full memory again.
pub fn bomb(way: Way, objects: usize, things: usize) -> Vec<u8> {
    file(way, &vec![0; objects], &format!("[{}]", "[]".repeat(things)))
}

fn file(way: Way, places: &[usize], objects: &str) -> Vec<u8> {
    let is_encrypted = way == Way::Encrypted;
    let seal = |key: &[u8], bytes: Vec<u8>| if is_encrypted { rc4(key, &bytes) } else { bytes };
    let rows = places.iter().enumerate().map(|(number, place)| format!("{} {place} ", FIRST + number));
    let index: String = rows.collect();
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(format!("{index}{objects}").as_bytes()).unwrap();
    let packed = seal(&PACKED_KEY, packed.finish().unwrap());
    let content = seal(&CONTENT_KEY, b"BT /F1 12 Tf 72 700 Td (Rivers rose) Tj ET".to_vec());

    let (count, first) = (places.len(), index.len());
    let mut pdf = Writer { bytes: b"%PDF-1.5\n".to_vec(), places: vec![None; FIRST] };
    if way == Way::Length {
        pdf.stream(1, &format!("/Length {FIRST} 0 R"), b"x");
    }
    let about = format!("/Type/ObjStm/N {count}/First {first}/Filter/FlateDecode/Length {}", packed.len());
    pdf.stream(PACKED, &about, &packed);
    pdf.stream(CONTENT, &format!("/Length {}", content.len()), &content);
    let mut more = String::new();
    if is_encrypted {
        pdf.object(SEAL, &format!("<</Filter/Standard/V 1/R 2/O<{OWNER}>/U<{USER}>/P -4>>"));
        more = format!("/Encrypt {SEAL} 0 R/ID[<{IDENTITY}><{IDENTITY}>]");
    }
    pdf.end(count, &more)
}

struct Writer {
    bytes: Vec<u8>,
    places: Vec<Option<usize>>,
}

impl Writer {
    fn object(&mut self, number: usize, text: &str) {
        self.places[number] = Some(self.bytes.len());
        self.bytes.extend(format!("{number} 0 obj\n{text}\nendobj\n").bytes());
    }

    fn stream(&mut self, number: usize, about: &str, bytes: &[u8]) {
        self.places[number] = Some(self.bytes.len());
        self.bytes.extend(format!("{number} 0 obj\n<<{about}>>stream\n").bytes());
        self.bytes.extend(bytes);
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    /// Writes the cross-reference table: the offset of each object, or its index in the object stream.
    fn end(mut self, packed: usize, more: &str) -> Vec<u8> {
        let start = self.bytes.len();
        self.places[TABLE] = Some(start);
        let mut table = Vec::new();
        for place in &self.places {
            let (kind, value) = place.map_or((0, 0), |place| (1, place));
            table.extend([&[kind][..], &u32::try_from(value).unwrap().to_be_bytes(), &[0, 0]].concat());
        }
        for number in 0..packed {
            let row = u16::try_from(number).unwrap().to_be_bytes();
            table.extend([&[2][..], &u32::try_from(PACKED).unwrap().to_be_bytes(), &row].concat());
        }
        let (size, length) = (FIRST + packed, table.len());
        let about = format!("/Type/XRef/Size {size}/W[1 4 2]/Root {FIRST} 0 R{more}/Length {length}");
        self.stream(TABLE, &about, &table);
        self.bytes.extend(format!("startxref\n{start}\n%%EOF").bytes());
        self.bytes
    }
}

fn rc4(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut state: Vec<u8> = (0..=255).collect();
    let mut j = 0_usize;
    for i in 0..256 {
        j = (j + usize::from(state[i]) + usize::from(key[i % key.len()])) % 256;
        state.swap(i, j);
    }
    let (mut i, mut j) = (0_usize, 0_usize);
    let mut sealed = |byte: &u8| {
        i = (i + 1) % 256;
        j = (j + usize::from(state[i])) % 256;
        state.swap(i, j);
        byte ^ state[(usize::from(state[i]) + usize::from(state[j])) % 256]
    };
    bytes.iter().map(&mut sealed).collect()
}
