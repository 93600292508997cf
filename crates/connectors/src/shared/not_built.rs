//! Connectors that are not compiled in. Their providers can be loaded; saving or searching one reports what is missing.

/// Defines a module with the check and the constructor of a connector that is not compiled in.
macro_rules! not_built {
    ($module:ident, $connector:literal, $feature:literal) => {
        pub mod $module {
            use domain::ports::{Connector, ConnectorError, PluginContext};
            use domain::provider::SearchProvider;
            use domain::validation::FieldErrors;

            const MESSAGE: &str = concat!(
                "The connector ",
                $connector,
                " is not built into this program. Use the released program, or build it with --features ",
                $feature,
                "."
            );

            pub fn check(_: &SearchProvider) -> FieldErrors {
                FieldErrors::one("connector", MESSAGE)
            }

            pub fn build(
                _: &SearchProvider,
                _: &PluginContext,
            ) -> Result<Box<dyn Connector>, ConnectorError> {
                Err(ConnectorError::in_field("connector", MESSAGE))
            }
        }
    };
}

#[cfg(not(feature = "mongodb"))]
not_built!(mongodb, "MongoDB", "mongodb");
#[cfg(not(feature = "mssql"))]
not_built!(mssql, "MSSQL", "mssql");
#[cfg(not(feature = "mysql"))]
not_built!(mysql, "MySQL", "mysql");

#[cfg(test)]
mod tests {
    use domain::ids::UserId;
    use domain::instant::Instant;
    use domain::ports::ConnectorKind;
    use domain::provider::{ProviderSpec, SearchProvider};

    not_built!(sample, "Sample", "sample");

    #[test]
    fn a_connector_that_is_not_built_in_says_so_by_name() {
        let kind = ConnectorKind { check: sample::check, build: sample::build, ..crate::requests_get::KIND };
        let provider = SearchProvider::unsaved(ProviderSpec::default(), UserId(1), Instant::UNIX_EPOCH);
        assert_eq!(
            (kind.check)(&provider).to_string(),
            "connector: The connector Sample is not built into this program. Use the released program, or build it \
             with --features sample."
        );
    }
}
