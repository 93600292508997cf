//! TLS for fakes that do not speak HTTP.

use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The server side, with a certificate and its key in PEM.
pub fn acceptor(certificate: &[u8], key: &[u8]) -> TlsAcceptor {
    let chain = vec![CertificateDer::from_pem_slice(certificate).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(key).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}
