//! Self-signed certificates, generated on demand.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use std::path::{Path, PathBuf};

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_ID: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const GENERALIZED_TIME: u8 = 0x18;
const UTC_TIME: u8 = 0x17;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
/// Where the SEC1 form begins inside the PKCS#8 form of a P-256 key.
const SEC1_OFFSET: usize = 29;

/// A certificate for `localhost` and 127.0.0.1, valid from 2020 to 2120, with its P-256 key.
pub struct TestCertificate {
    pub certificate_der: Vec<u8>,
    key_pkcs8: Vec<u8>,
}

impl TestCertificate {
    /// The name makes certificates distinguishable; each has its own key.
    pub fn new(name: &str) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap();
        let body = unsigned(name, key.public_key().as_ref());
        let signature = key.sign(&random, &body).unwrap();
        let certificate_der =
            field(SEQUENCE, &[body, signature_algorithm(), bit_string(signature.as_ref())].concat());
        Self { certificate_der, key_pkcs8: pkcs8.as_ref().to_vec() }
    }

    pub fn certificate_pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate_der)
    }

    pub fn key_pem(&self) -> String {
        pem("PRIVATE KEY", &self.key_pkcs8)
    }

    pub fn key_sec1_pem(&self) -> String {
        pem("EC PRIVATE KEY", &self.key_pkcs8[SEC1_OFFSET..])
    }

    /// Writes `cert.pem` and `key.pem`, replacing older ones, and returns their paths.
    pub fn write(&self, folder: &Path) -> (PathBuf, PathBuf) {
        let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
        std::fs::write(&certificate, self.certificate_pem()).unwrap();
        std::fs::write(&key, self.key_pem()).unwrap();
        (certificate, key)
    }
}

/// `TBSCertificate` of RFC 5280.
fn unsigned(common_name: &str, public_key: &[u8]) -> Vec<u8> {
    let version = field(0xa0, &field(INTEGER, &[2]));
    let serial = field(INTEGER, &[1]);
    let common_name = [object_id(&[0x55, 4, 3]), field(UTF8_STRING, common_name.as_bytes())].concat();
    let name = field(SEQUENCE, &field(SET, &field(SEQUENCE, &common_name)));
    let validity = [field(UTC_TIME, b"200101000000Z"), field(GENERALIZED_TIME, b"21200101000000Z")].concat();
    let elliptic_curve = object_id(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]);
    let p256 = object_id(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]);
    let key_kind = field(SEQUENCE, &[elliptic_curve, p256].concat());
    let key = field(SEQUENCE, &[key_kind, bit_string(public_key)].concat());
    let names = field(SEQUENCE, &[field(0x82, b"localhost"), field(0x87, &[127, 0, 0, 1])].concat());
    let names = [object_id(&[0x55, 0x1d, 0x11]), field(OCTET_STRING, &names)].concat();
    let extensions = field(0xa3, &field(SEQUENCE, &field(SEQUENCE, &names)));
    let validity = field(SEQUENCE, &validity);
    let parts = [version, serial, signature_algorithm(), name.clone(), validity, name, key, extensions];
    field(SEQUENCE, &parts.concat())
}

/// ECDSA with SHA-256.
fn signature_algorithm() -> Vec<u8> {
    field(SEQUENCE, &object_id(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]))
}

fn object_id(bytes: &[u8]) -> Vec<u8> {
    field(OBJECT_ID, bytes)
}

fn bit_string(bytes: &[u8]) -> Vec<u8> {
    field(BIT_STRING, &[&[0], bytes].concat())
}

/// Tag, length and content in DER.
fn field(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).expect("certificates are short").to_be_bytes();
    let head = match (length, content.len()) {
        ([0, low], 0..0x80) => vec![tag, low],
        ([0, low], _) => vec![tag, 0x81, low],
        ([high, low], _) => vec![tag, 0x82, high, low],
    };
    [&head, content].concat()
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: String =
        text.as_bytes().chunks(64).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect();
    format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n")
}
