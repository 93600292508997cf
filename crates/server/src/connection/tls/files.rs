//! Certificate chain and private key, read from two PEM files and checked against each other.

use domain::settings::Settings;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{Error, ServerConfig};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

const CERT_SETTING: &str = "SVC_TLS_CERT_FILE";
const KEY_SETTING: &str = "SVC_TLS_KEY_FILE";
/// Larger files are not PEM files of a certificate or a key.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Protocols that a client may choose from (ALPN), the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Why a pair of files cannot be used, and what to do about it.
#[derive(Debug, Error)]
pub enum TlsError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{CERT_SETTING}: {} contains no certificate. It must contain the certificate of the service in PEM form, \
         followed by the intermediate certificates.",
        .0.display()
    )]
    NoCertificate(PathBuf),
    #[error("{CERT_SETTING}: {} is damaged: {cause}. Copy the PEM file of your authority again.", .path.display())]
    DamagedCertificate { path: PathBuf, cause: String },
    #[error(
        "{KEY_SETTING}: {} contains no usable private key. It must contain an RSA, ECDSA or Ed25519 key in PEM form \
         (PKCS#8, PKCS#1 or SEC1) without a passphrase.",
        .0.display()
    )]
    NoKey(PathBuf),
    #[error(
        "{KEY_SETTING}: the key in {} does not belong to the first certificate in {}. Install the key that the \
         certificate was issued for, and put the certificate of the service before the intermediate ones.",
        .key.display(), .certificate.display()
    )]
    KeyMismatch { certificate: PathBuf, key: PathBuf },
    #[error("TLS cannot be set up: {0}.")]
    Setup(Error),
}

/// Why one of the files cannot be read.
#[derive(Debug, Error)]
pub enum FileError {
    #[error("{setting}: {} cannot be read: {cause}. Name a file that this user may read.", .path.display())]
    Unreadable { setting: &'static str, path: PathBuf, cause: io::Error },
    #[error("{setting}: {} is larger than {FILE_BYTES_MAX} bytes. Name a PEM file.", .path.display())]
    TooLarge { setting: &'static str, path: PathBuf },
}

/// Paths of chain and key.
#[derive(Debug)]
pub struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

/// The contents of both files, not yet parsed.
pub struct PemPair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl PemPair {
    /// Differs whenever one of the files has changed.
    pub fn digest(&self) -> [u8; 32] {
        let certificate = Sha256::digest(&self.certificate);
        Sha256::new().chain_update(certificate).chain_update(&self.key).finalize().into()
    }
}

impl CertificateFiles {
    /// None if the service does not terminate TLS.
    pub fn from_settings(settings: &Settings) -> Option<Self> {
        settings.has_tls().then(|| Self {
            certificate: PathBuf::from(&settings.tls_cert_file),
            key: PathBuf::from(&settings.tls_key_file),
        })
    }

    pub async fn read(&self) -> Result<PemPair, FileError> {
        let certificate = read_file(CERT_SETTING, &self.certificate).await?;
        let key = read_file(KEY_SETTING, &self.key).await?;
        Ok(PemPair { certificate, key })
    }

    /// A configuration with this certificate; an error if the pair cannot be used.
    pub fn server_config(&self, pair: &PemPair) -> Result<ServerConfig, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let certified = self.certified_key(pair, &provider)?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
        config.alpn_protocols = PROTOCOLS.iter().map(|name| name.to_vec()).collect();
        Ok(config)
    }

    fn certified_key(&self, pair: &PemPair, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
        let damaged = |cause: String| TlsError::DamagedCertificate { path: self.certificate.clone(), cause };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pair.certificate).collect();
        let chain = chain.map_err(|error| damaged(error.to_string()))?;
        if chain.is_empty() {
            return Err(TlsError::NoCertificate(self.certificate.clone()));
        }
        // Errors do not repeat the content: it might be a part of the key.
        let no_key = || TlsError::NoKey(self.key.clone());
        let key = PrivateKeyDer::from_pem_slice(&pair.key).map_err(|_| no_key())?;
        let key = provider.key_provider.load_private_key(key).map_err(|_| no_key())?;
        let certified = CertifiedKey::new(chain, key);
        match certified.keys_match() {
            Ok(()) => Ok(certified),
            Err(Error::InconsistentKeys(_)) => {
                Err(TlsError::KeyMismatch { certificate: self.certificate.clone(), key: self.key.clone() })
            }
            Err(error) => Err(damaged(error.to_string())),
        }
    }
}

async fn read_file(setting: &'static str, path: &Path) -> Result<Vec<u8>, FileError> {
    let unreadable = |cause| FileError::Unreadable { setting, path: path.to_owned(), cause };
    let size = tokio::fs::metadata(path).await.map_err(unreadable)?.len();
    if size > FILE_BYTES_MAX {
        return Err(FileError::TooLarge { setting, path: path.to_owned() });
    }
    tokio::fs::read(path).await.map_err(unreadable)
}
