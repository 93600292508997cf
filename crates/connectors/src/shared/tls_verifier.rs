//! TLS client configuration for protocols other than HTTP.

use domain::ports::{PortError, TlsOptions};
use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::SupportedProtocolVersion;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::io::AsyncReadExt;

/// Largest CA file.
pub const CA_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// What prevents a secure connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsErrorKind {
    /// The CA file of the provider.
    CaFile,
    /// The protocol versions.
    Versions,
    /// The name of the host.
    HostName,
    /// The exchange with the server.
    Handshake,
}

/// Why there is no secure connection.
pub type TlsError = PortError<TlsErrorKind>;

/// The client configuration, or what is wrong with the CA file.
pub async fn client(
    options: &TlsOptions,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| TlsError::from_cause(TlsErrorKind::Versions, error))?;
    if !options.verify {
        let verifier = Arc::new(AnyCertificate { provider });
        return Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth());
    }
    let roots = match &options.ca_file {
        Some(file) => authorities(file).await?,
        None => webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect(),
    };
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

async fn authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let ca_file = |sentence: &str| TlsError::new(TlsErrorKind::CaFile, sentence);
    let unread = |error: io::Error| ca_file("the ca_certs file cannot be read").caused_by(error);
    let invalid = || ca_file("the ca_certs file contains an invalid certificate");
    let file = tokio::fs::File::open(path).await.map_err(unread)?;
    let mut bytes = Vec::new();
    file.take(CA_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).await.map_err(unread)?;
    if bytes.len() as u64 > CA_FILE_BYTES_MAX {
        return Err(ca_file(&format!("the ca_certs file is larger than {CA_FILE_BYTES_MAX} bytes")));
    }
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| invalid().caused_by(error))?;
        roots.add(certificate).map_err(|error| invalid().caused_by(error))?;
    }
    if roots.is_empty() { Err(ca_file("the ca_certs file contains no certificate")) } else { Ok(roots) }
}

/// Accepts any certificate, but still checks that the server has its key.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    async fn refused(bytes: Vec<u8>) -> TlsError {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, bytes).expect("a file");
        let options = TlsOptions { verify: true, ca_file: Some(path) };
        client(&options, &[&rustls::version::TLS12]).await.expect_err("refused")
    }

    #[tokio::test]
    async fn a_file_of_authorities_must_hold_some() {
        let larger = usize::try_from(CA_FILE_BYTES_MAX).expect("a small number") + 1;
        let table = [
            (b"nothing".to_vec(), "no certificate"),
            (
                b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec(),
                "invalid certificate",
            ),
            (vec![b'x'; larger], "larger"),
        ];
        for (bytes, want) in table {
            let error = refused(bytes).await;
            assert!(error.message().contains(want), "{error}");
            assert_eq!(error.kind, TlsErrorKind::CaFile);
        }
        let options = TlsOptions { verify: true, ca_file: Some("/no/such.pem".into()) };
        let missing = client(&options, &[&rustls::version::TLS12]).await.expect_err("no file");
        assert_eq!(missing.message(), "the ca_certs file cannot be read");
        let cause = missing.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::NotFound));
    }
}
