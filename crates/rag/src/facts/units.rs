//! Units of measurement, so that `90 minutes` is an hour and a half.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a quantity measures. Quantities of one dimension can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dimension {
    Percent,
    /// In seconds.
    Time,
    /// In months.
    Calendar,
    /// In metres.
    Length,
    /// In kilograms.
    Mass,
    /// In litres.
    Volume,
    Temperature,
    /// In bytes.
    Data,
    Euro,
    Pound,
    Dollar,
    Franc,
    Krone,
    /// In hundredths of any currency.
    Cent,
    /// A place in an order.
    Ordinal,
    /// Minutes since midnight.
    Clock,
}

impl Dimension {
    pub fn is_money(self) -> bool {
        matches!(self, Self::Euro | Self::Pound | Self::Dollar | Self::Franc | Self::Krone | Self::Cent)
    }

    pub fn is_duration(self) -> bool {
        matches!(self, Self::Time | Self::Calendar)
    }
}

/// A unit and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    pub dimension: Dimension,
    pub factor: f64,
}

impl Unit {
    pub const PERCENT: Self = Self { dimension: Dimension::Percent, factor: 1.0 };
    pub const ORDINAL: Self = Self { dimension: Dimension::Ordinal, factor: 1.0 };
    pub const CLOCK: Self = Self { dimension: Dimension::Clock, factor: 1.0 };

    /// By its name or abbreviation, in lower case.
    pub fn named(word: &str) -> Option<Self> {
        NAMES.get(word).copied()
    }

    pub fn of_sign(sign: char) -> Option<Self> {
        let dimension = match sign {
            '%' => Dimension::Percent,
            '€' => Dimension::Euro,
            '£' => Dimension::Pound,
            '$' => Dimension::Dollar,
            '°' => Dimension::Temperature,
            _ => return None,
        };
        Some(Self { dimension, factor: 1.0 })
    }
}

static NAMES: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| {
    let named = UNITS.iter().flat_map(|(dimension, factor, names)| {
        let unit = Unit { dimension: *dimension, factor: *factor };
        names.split_whitespace().map(move |name| (name, unit))
    });
    named.collect()
});

/// The names of each unit, separated by spaces, in the languages of the pages and in Spanish.
const UNITS: &[(Dimension, f64, &str)] = &[
    (Dimension::Percent, 1.0, "percent prozent percentage"),
    (Dimension::Time, 1.0, "second seconds sec sekunde sekunden seconde secondes segundo segundos"),
    (Dimension::Time, 60.0, "minute minutes min mins minuten minuto minutos"),
    (Dimension::Time, 3_600.0, "hour hours h hr hrs stunde stunden std heure heures hora horas"),
    (Dimension::Time, 86_400.0, "day days tag tage tagen jour jours día días"),
    (Dimension::Time, 604_800.0, "week weeks woche wochen semaine semaines semana semanas"),
    (Dimension::Time, 1_209_600.0, "fortnight fortnights"),
    (Dimension::Calendar, 1.0, "month months monat monate monaten mois mes meses"),
    (Dimension::Calendar, 12.0, "year years jahr jahre jahren an ans année années año años"),
    (
        Dimension::Calendar,
        120.0,
        "decade decades jahrzehnt jahrzehnte jahrzehnten décennie décennies década décadas",
    ),
    (Dimension::Calendar, 1_200.0, "century centuries"),
    (
        Dimension::Length,
        0.001,
        "mm millimetre millimetres millimeter millimeters millimetern millimètres milímetros",
    ),
    (
        Dimension::Length,
        0.01,
        "cm centimetre centimetres centimeter centimeters zentimeter zentimetern centimètres \
        centímetros",
    ),
    (Dimension::Length, 1.0, "m metre metres meter meters metern mètre mètres metro metros"),
    (
        Dimension::Length,
        1_000.0,
        "km kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres \
        kilómetro kilómetros",
    ),
    (Dimension::Length, 1_609.0, "mile miles meile meilen"),
    (Dimension::Length, 0.3048, "foot feet ft fuß"),
    (Dimension::Mass, 0.001, "g gram grams gramm gramme grammes gramo gramos"),
    (
        Dimension::Mass,
        1.0,
        "kg kilogram kilograms kilo kilos kilogramm kilogramme kilogrammes kilogramo kilogramos",
    ),
    (Dimension::Mass, 1_000.0, "tonne tonnes ton tons tonnen tonelada toneladas"),
    (Dimension::Volume, 0.001, "ml millilitre millilitres milliliter millilitern"),
    (Dimension::Volume, 1.0, "l litre litres liter liters litern litro litros"),
    (Dimension::Temperature, 1.0, "degree degrees grad degré degrés grado grados celsius"),
    (Dimension::Data, 1e3, "kb kilobyte kilobytes"),
    (Dimension::Data, 1e6, "mb megabyte megabytes"),
    (Dimension::Data, 1e9, "gb gigabyte gigabytes"),
    (Dimension::Data, 1e12, "tb terabyte terabytes"),
    (Dimension::Euro, 1.0, "euro euros eur"),
    (Dimension::Pound, 1.0, "pound pounds gbp pfund"),
    (Dimension::Dollar, 1.0, "dollar dollars usd"),
    (Dimension::Franc, 1.0, "franc francs franken chf"),
    (Dimension::Cent, 1.0, "cent cents pence centime centimes rappen céntimo céntimos"),
    (Dimension::Krone, 1.0, "krone kroner kronen kronor krona crown crowns"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_names() {
        for (name, expected) in [
            ("minutes", Some((Dimension::Time, 60.0))),
            ("wochen", Some((Dimension::Time, 604_800.0))),
            ("kg", Some((Dimension::Mass, 1.0))),
            ("people", None),
            ("", None),
        ] {
            assert_eq!(Unit::named(name).map(|unit| (unit.dimension, unit.factor)), expected, "{name}");
        }
        assert!(Unit::of_sign('€').is_some_and(|unit| unit.dimension.is_money()));
        assert_eq!(Unit::of_sign('#'), None);
    }
}
