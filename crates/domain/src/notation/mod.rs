//! The little languages of configuration, each a pure parser. They are read when a provider is saved,
//! so that a mistake is an answer to its author and not silence at query time.
