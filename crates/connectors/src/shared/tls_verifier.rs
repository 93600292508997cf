//! TLS client configuration for protocols other than HTTP.

use domain::ports::TlsOptions;
use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::SupportedProtocolVersion;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use tokio::io::AsyncReadExt;

/// Largest CA file.
pub const CA_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The client configuration, or what is wrong with the CA file.
pub async fn client(
    options: &TlsOptions,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| error.to_string())?;
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

async fn authorities(path: &Path) -> Result<RootCertStore, String> {
    let unread = |_| "the ca_certs file cannot be read".to_owned();
    let file = tokio::fs::File::open(path).await.map_err(unread)?;
    let mut bytes = Vec::new();
    file.take(CA_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).await.map_err(unread)?;
    if bytes.len() as u64 > CA_FILE_BYTES_MAX {
        return Err(format!("the ca_certs file is larger than {CA_FILE_BYTES_MAX} bytes"));
    }
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let added = certificate.ok().and_then(|certificate| roots.add(certificate).ok());
        added.ok_or("the ca_certs file contains an invalid certificate")?;
    }
    if roots.is_empty() { Err("the ca_certs file contains no certificate".to_owned()) } else { Ok(roots) }
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

    async fn refused(bytes: Vec<u8>) -> String {
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
            let sentence = refused(bytes).await;
            assert!(sentence.contains(want), "{sentence}");
        }
        let options = TlsOptions { verify: true, ca_file: Some("/no/such.pem".into()) };
        assert!(client(&options, &[&rustls::version::TLS12]).await.is_err());
    }
}
