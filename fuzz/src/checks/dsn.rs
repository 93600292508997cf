//! A database URL in both forms. Formatting the parsed URL in the short form and parsing it again gives the same.

use connectors::fuzzing::dsn::{Dsn, DsnForm};

const FORMS: [DsnForm; 2] = [
    DsnForm { schemes: &["postgres", "postgresql"], port: 5432 },
    DsnForm { schemes: &["mssql", "sqlserver"], port: 1433 },
];

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    for form in FORMS {
        let Ok(dsn) = Dsn::parse(text, form) else { continue };
        assert!(!dsn.host.is_empty() && !dsn.database.is_empty());
        let _tls = dsn.tls();
        let short = format!("[{}]:{}:{}", dsn.host, dsn.port, dsn.database);
        let can_be_short = !dsn.database.contains(':') && !short.contains("://") && short.trim_end() == short;
        if can_be_short {
            let again = Dsn::parse(&short, form);
            let want = Dsn { options: Vec::new(), ..dsn };
            assert_eq!(again, Ok(want), "{short}");
        }
    }
}
