//! A mail with its parts and attachments.

pub fn check(bytes: &[u8]) {
    super::extracted::check("mail.eml", bytes);
}
