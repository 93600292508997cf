//! Tests of the encrypted stream: round trips, and detection of changed, missing, moved or added bytes.

use super::*;
use proptest::prelude::*;
use std::io::Cursor;
use std::sync::LazyLock;

const PASSPHRASE: &str = "a passphrase for tests";

fn passphrase() -> Secret {
    Secret::new(PASSPHRASE)
}

fn encrypted(text: &[u8]) -> Vec<u8> {
    let mut writer = EncryptingWriter::new(Vec::new(), &passphrase()).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// Decrypts with an already derived key, so that the key is derived only once for many variants.
fn decrypted(bytes: &[u8], key: &Arc<StreamKey>) -> std::io::Result<Vec<u8>> {
    let mut reader = DecryptingReader::new(Cursor::new(bytes), Arc::clone(key))?;
    reader.check_end()?;
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    Ok(text)
}

fn key(bytes: &[u8]) -> Arc<StreamKey> {
    Arc::new(StreamKey::open(&mut Cursor::new(bytes), &passphrase()).unwrap())
}

fn sample() -> Vec<u8> {
    (0..SEGMENT_BYTES * 3 + 1000).map(|number| (number % 251) as u8).collect()
}

/// A file of four segments, the last one short, and its key.
static FILE: LazyLock<(Vec<u8>, Arc<StreamKey>)> = LazyLock::new(|| {
    let bytes = encrypted(&sample());
    let key = key(&bytes);
    (bytes, key)
});

fn segment(number: usize) -> &'static [u8] {
    let start = HEADER_BYTES + number * SEALED_BYTES;
    &FILE.0[start..(start + SEALED_BYTES).min(FILE.0.len())]
}

#[test]
fn reads_back_at_any_position() {
    for size in [0, 1, SEGMENT_BYTES - 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, SEGMENT_BYTES * 2] {
        let text: Vec<u8> = sample()[..size].to_vec();
        let bytes = encrypted(&text);
        assert_eq!(decrypted(&bytes, &key(&bytes)).unwrap(), text, "{size}");
    }
    let mut reader = DecryptingReader::new(Cursor::new(&FILE.0), Arc::clone(&FILE.1)).unwrap();
    for place in [SEGMENT_BYTES * 2 - 3, 0, SEGMENT_BYTES * 3 + 990] {
        let mut some = [0_u8; 10];
        reader.seek(SeekFrom::Start(place as u64)).unwrap();
        reader.read_exact(&mut some).unwrap();
        assert_eq!(some, sample()[place..place + 10]);
    }
    assert_eq!(reader.seek(SeekFrom::End(0)).unwrap(), sample().len() as u64);
    assert_eq!(reader.read(&mut [0_u8; 4]).unwrap(), 0);
}

#[test]
fn nothing_of_the_text_is_readable_and_no_two_files_are_equal() {
    let text = b"canary".repeat(1000);
    let (one, other) = (encrypted(&text), encrypted(&text));
    assert!(!one.windows(6).any(|window| window == b"canary"));
    assert_ne!(one[HEADER_BYTES..], other[HEADER_BYTES..]);
}

#[test]
fn a_wrong_passphrase_and_an_expensive_header_are_rejected() {
    let open = |bytes: &[u8], passphrase: &str| {
        StreamKey::open(&mut Cursor::new(bytes), &Secret::new(passphrase)).err()
    };
    assert!(matches!(open(&FILE.0, "another passphrase"), Some(OpenError::Passphrase)));
    assert!(matches!(open(&FILE.0[..HEADER_BYTES - 1], PASSPHRASE), Some(OpenError::CutOff)));
    let mut greedy = FILE.0.clone();
    greedy[HEAD.len()..HEAD.len() + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(open(&greedy, PASSPHRASE), Some(OpenError::Header)));
    for place in [HEAD.len() + PARAMETER_BYTES, BOUND_BYTES - 1, BOUND_BYTES] {
        let mut changed = FILE.0.clone();
        changed[place] ^= 1;
        assert!(open(&changed, PASSPHRASE).is_some(), "byte {place} of the header");
    }
}

#[test]
fn segments_that_are_moved_repeated_or_left_out_are_found() {
    let orders: [&[usize]; 7] =
        [&[1, 0, 2, 3], &[0, 1, 1, 2, 3], &[0, 2, 3], &[0, 1, 2], &[0], &[0, 1, 2, 3, 3], &[3]];
    for order in orders {
        let mut bytes = FILE.0[..HEADER_BYTES].to_vec();
        order.iter().for_each(|number| bytes.extend_from_slice(segment(*number)));
        assert!(decrypted(&bytes, &FILE.1).is_err(), "{order:?}");
    }
}

#[test]
fn a_segment_of_another_file_is_found() {
    let other = encrypted(&sample());
    let mut bytes = FILE.0.clone();
    bytes[HEADER_BYTES..HEADER_BYTES + SEALED_BYTES]
        .copy_from_slice(&other[HEADER_BYTES..HEADER_BYTES + SEALED_BYTES]);
    assert!(decrypted(&bytes, &FILE.1).is_err());
}

proptest! {
    // Each case reads the whole file.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_flipped_bit_is_found(place in 0..FILE.0.len() - HEADER_BYTES, bit in 0..8_u8) {
        let mut bytes = FILE.0.clone();
        bytes[HEADER_BYTES + place] ^= 1 << bit;
        prop_assert!(decrypted(&bytes, &FILE.1).is_err());
    }

    #[test]
    fn every_cut_is_found(length in 0..FILE.0.len()) {
        prop_assert!(decrypted(&FILE.0[..length], &FILE.1).is_err());
    }

    #[test]
    fn every_added_tail_is_found(tail in proptest::collection::vec(any::<u8>(), 1..200)) {
        let bytes = [FILE.0.as_slice(), &tail].concat();
        prop_assert!(decrypted(&bytes, &FILE.1).is_err());
    }
}
