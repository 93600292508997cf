//! Credentials for a remote service: from an option, a file, the environment or a prompt.

use crate::{config, terminal};
use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::secret::Secret;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Environment variables of this client; they are no settings of the service.
pub const PASSWORD_VARIABLE: &str = "TRIBUTARY_PASSWORD";
pub const TOKEN_VARIABLE: &str = "TRIBUTARY_TOKEN";

/// Maximum size of a file with a password.
const PASSWORD_BYTES_MAX: u64 = 4096;

/// What the command line says about credentials.
pub struct Given<'a> {
    pub user: &'a str,
    pub token: Option<&'a Secret>,
    pub password_file: Option<&'a Path>,
}

/// The value of the header `Authorization`. What the command line names precedes the environment, which precedes the
/// prompt.
pub fn authorization(given: &Given<'_>) -> anyhow::Result<Secret> {
    if let Some(token) = given.token {
        return Ok(of_token(token));
    }
    if let Some(file) = given.password_file {
        return Ok(of_password(given.user, &read_password(file)?));
    }
    if let Some(token) = config::client_secret(TOKEN_VARIABLE) {
        return Ok(of_token(&token));
    }
    let password = match config::client_secret(PASSWORD_VARIABLE) {
        Some(password) => password,
        None => terminal::password(&format!("Password of {}: ", given.user)).with_context(|| {
            format!("no password; use --password-file, {PASSWORD_VARIABLE} or {TOKEN_VARIABLE}")
        })?,
    };
    Ok(of_password(given.user, &password))
}

fn of_token(token: &Secret) -> Secret {
    Secret::new(format!("Token {}", token.expose()))
}

fn of_password(user: &str, password: &Secret) -> Secret {
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose()))))
}

/// The content of the file without the line break at its end.
fn read_password(file: &Path) -> anyhow::Result<Secret> {
    let shown = file.display();
    let mut text = String::new();
    File::open(file)
        .and_then(|opened| opened.take(PASSWORD_BYTES_MAX + 1).read_to_string(&mut text))
        .with_context(|| format!("{shown} cannot be read"))?;
    anyhow::ensure!(
        text.len() as u64 <= PASSWORD_BYTES_MAX,
        "{shown} is longer than a password may be, {PASSWORD_BYTES_MAX} bytes"
    );
    let password = Secret::new(text.trim_end_matches(['\r', '\n']));
    anyhow::ensure!(!password.is_empty(), "{shown} is empty");
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_file_has_one_password() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        let read = |text: String| {
            std::fs::write(&file, text).unwrap();
            read_password(&file).map(|password| password.expose().to_owned())
        };
        assert_eq!(read("river stone \r\n".to_owned()).unwrap(), "river stone ");
        assert_eq!(read("x".repeat(4096)).unwrap().len(), 4096);
        for (text, why) in
            [("x".repeat(4097), "longer"), ("\n".to_owned(), "empty"), (String::new(), "empty")]
        {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(
            read_password(&folder.path().join("none")).unwrap_err().to_string().contains("cannot be read")
        );
    }

    #[test]
    fn options_precede_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "p\n").unwrap();
        let token = Secret::new("t");
        let given = |token, password_file| Given { user: "u", token, password_file };
        assert_eq!(authorization(&given(Some(&token), None)).unwrap().expose(), "Token t");
        assert_eq!(authorization(&given(None, Some(&file))).unwrap().expose(), "Basic dTpw");
    }
}
