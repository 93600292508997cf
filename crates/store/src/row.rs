//! Database rows as structs.

/// Declares a struct that is read from a row: each field is the column of its name.
/// After `with` comes a field that is a row itself, read from the same columns.
///
/// The derive of sqlx would compile the drivers of all databases a second time, for the compiler itself.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(with ($nested:ident: $row:ty))? {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $value:ty,)*
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $value,)*
            $($nested: $row,)?
        }

        impl<'r, R: sqlx::Row> sqlx::FromRow<'r, R> for $name
        where
            &'static str: sqlx::ColumnIndex<R>,
            $($value: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,)*
            $($row: sqlx::FromRow<'r, R>,)?
        {
            fn from_row(row: &'r R) -> sqlx::Result<Self> {
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?,)*
                    $($nested: <$row as sqlx::FromRow<'r, R>>::from_row(row)?,)?
                })
            }
        }
    };
}

pub(crate) use row;
