//! Backends of the corpus for vectors and texts, as named in the settings.

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident [$count:literal] { $($(#[$note:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$note])* $variant),+ }

        impl $name {
            pub const ALL: [Self; $count] = [$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str().eq_ignore_ascii_case(name.trim()))
            }
        }
    };
}

choice! {
    /// `SVC_QDRANT_MODE`.
    QdrantMode [4] {
        /// In this process.
        Memory = "memory",
        /// An external Qdrant server.
        External = "external",
        /// A Qdrant server in a local container; accessed in the same way.
        Docker = "docker",
        Disabled = "disabled",
    }
}

choice! {
    /// `SVC_VECTOR_BACKEND`.
    VectorBackend [2] {
        /// As set by `SVC_QDRANT_MODE`.
        Qdrant = "qdrant",
        PgVector = "pgvector",
    }
}

choice! {
    /// `SVC_STORAGE_BACKEND`.
    StorageBackend [2] {
        Folder = "fs",
        S3 = "s3",
    }
}
