//! `result_mappings`: maps values of the source to fields of a result.

use crate::error::SyntaxError;
use crate::json_path::JsonPath;
use crate::query_mappings::PIECES_MAX;
use crate::query_template::{Part, parts};
use crate::split::{find_top, split_top};
use crate::suggest;
use std::str::FromStr;

/// Keys of a response besides the blocks.
pub const BLOCKS_RESERVED: [&str; 3] = ["messages", "info", "results"];
const COMMANDS: [&str; 5] = ["NO_PAYLOAD", "FILE_SYSTEM", "LC_URL", "DATASET", "BLOCK=<name>"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultMappings {
    /// In order.
    pub mappings: Vec<ResultMapping>,
    /// Unmapped source fields are not copied to the payload.
    pub no_payload: bool,
    /// The source is a file system: the body has more weight.
    pub file_system: bool,
    /// The url is converted to lower case.
    pub lc_url: bool,
    /// A columnar response becomes one structured result.
    pub dataset: bool,
    /// The results are put into this block instead of the list.
    pub block: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultMapping {
    /// `key=path`, `key=a|b`: the first non-empty source fills the key.
    Field { key: String, sources: Vec<Source> },
    /// `key='text {path}'`.
    Template { key: String, parts: Vec<TemplatePart> },
    /// A bare path, copied to the payload under its own text.
    Payload(Source),
}

impl ResultMapping {
    /// Whether it gives the result a value of this name.
    pub fn fills(&self, name: &str) -> bool {
        match self {
            Self::Field { key, .. } | Self::Template { key, .. } => key == name,
            Self::Payload(_) => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    Text(String),
    Value(Source),
}

/// A source value, optionally transformed by a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: JsonPath,
    pub function: Option<Function>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `sw_urlencode(path)`
    UrlEncode,
    /// `sw_btcconvert(path)`: Satoshi to Bitcoin.
    BtcConvert,
}

impl ResultMappings {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut all = Self::default();
        let mut rest = text.trim_start();
        let mut pieces = 0;
        while !rest.is_empty() {
            let (piece, after) = split_piece(rest)?;
            if !piece.is_empty() {
                pieces += 1;
                all.take(piece)?;
            }
            rest = after.trim_start();
        }
        if pieces > PIECES_MAX {
            return Err(format!("At most {PIECES_MAX} mappings are allowed.").into());
        }
        Ok(all)
    }

    fn take(&mut self, piece: &str) -> Result<(), SyntaxError> {
        match piece {
            "NO_PAYLOAD" => self.no_payload = true,
            "FILE_SYSTEM" => self.file_system = true,
            "LC_URL" => self.lc_url = true,
            "DATASET" => self.dataset = true,
            _ => return self.take_mapping(piece),
        }
        Ok(())
    }

    fn take_mapping(&mut self, piece: &str) -> Result<(), SyntaxError> {
        let Some(at) = find_top(piece, &['=']) else {
            if is_command_like(piece) {
                let unknown = suggest::unknown("command in result_mappings", piece, COMMANDS);
                return Err(
                    format!("{unknown} To copy a source field of that name, write ['{piece}'].").into()
                );
            }
            self.mappings.push(ResultMapping::Payload(Source::parse(piece)?));
            return Ok(());
        };
        let (key, source) = (piece[..at].trim(), piece[at + 1..].trim());
        if key.is_empty() || source.is_empty() {
            return Err(format!("'{piece}' needs a key before '=' and a source after it.").into());
        }
        if key == "BLOCK" {
            if BLOCKS_RESERVED.contains(&source) {
                return Err(format!(
                    "No block can be named '{source}': every response has a key of that name."
                )
                .into());
            }
            self.block = Some(source.to_owned());
        } else if let Some(inside) = source.strip_prefix('\'') {
            let inside = inside.strip_suffix('\'').unwrap_or(inside);
            let parts = template_parts(inside)?;
            self.mappings.push(ResultMapping::Template { key: key.to_owned(), parts });
        } else {
            let sources = split_top(source, '|').into_iter().map(Source::parse).collect::<Result<_, _>>()?;
            self.mappings.push(ResultMapping::Field { key: key.to_owned(), sources });
        }
        Ok(())
    }
}

impl FromStr for ResultMappings {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

impl Source {
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim();
        for (name, function) in
            [("sw_urlencode(", Function::UrlEncode), ("sw_btcconvert(", Function::BtcConvert)]
        {
            if let Some(inside) = text.strip_prefix(name) {
                let inside = inside.strip_suffix(')').ok_or_else(|| format!("'{text}' lacks its ')'."))?;
                return Ok(Self { path: JsonPath::parse(inside)?, function: Some(function) });
            }
        }
        if let Some((name, _)) = text.split_once('(')
            && name.starts_with("sw_")
        {
            return Err(suggest::unknown("function", name, ["sw_urlencode", "sw_btcconvert"]).into());
        }
        Ok(Self { path: JsonPath::parse(text)?, function: None })
    }
}

/// One piece, and the rest after its comma. A template may contain commas and quotes: it ends at the first quote before
/// a comma or at the end.
fn split_piece(text: &str) -> Result<(&str, &str), SyntaxError> {
    let first = find_top(text, &['=', ',']);
    if let Some(at) = first
        && text[at..].starts_with('=')
        && text[at + 1..].trim_start().starts_with('\'')
    {
        let source = text.len() - text[at + 1..].trim_start().len();
        for (quote, _) in text[source + 1..].match_indices('\'') {
            let end = source + 1 + quote + 1;
            let after = text[end..].trim_start();
            if after.is_empty() || after.starts_with(',') {
                return Ok((&text[..end], after.strip_prefix(',').unwrap_or(after)));
            }
        }
        let shown: String = text.chars().take(100).collect();
        return Err(format!("The quote in '{shown}' is not closed.").into());
    }
    let end = find_top(text, &[',']).unwrap_or(text.len());
    Ok((text[..end].trim(), text.get(end + 1..).unwrap_or_default()))
}

fn template_parts(text: &str) -> Result<Vec<TemplatePart>, SyntaxError> {
    let mut found = Vec::new();
    for part in parts(text) {
        found.push(match part {
            Part::Text(literal) | Part::LoneBrace(literal) => TemplatePart::Text(literal.to_owned()),
            Part::Placeholder(path) => TemplatePart::Value(Source::parse(path)?),
        });
    }
    Ok(found)
}

/// All in upper case, which by convention only commands are.
fn is_command_like(piece: &str) -> bool {
    piece.chars().all(|c| c.is_ascii_uppercase() || c == '_') && piece.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The mappings in a short form that a table can hold.
    fn shown(text: &str) -> Vec<String> {
        let source = |source: &Source| match source.function {
            Some(function) => format!("{function:?}({})", source.path.as_str()),
            None => source.path.as_str().to_owned(),
        };
        let mappings = ResultMappings::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).mappings;
        let lines = mappings.iter().map(|mapping| match mapping {
            ResultMapping::Field { key, sources } => {
                format!("{key} <- {}", sources.iter().map(source).collect::<Vec<_>>().join(" or "))
            }
            ResultMapping::Template { key, parts } => {
                let parts = parts.iter().map(|part| match part {
                    TemplatePart::Text(text) => text.clone(),
                    TemplatePart::Value(value) => format!("<{}>", source(value)),
                });
                format!("{key} <- '{}'", parts.collect::<String>())
            }
            ResultMapping::Payload(path) => format!("payload {}", source(path)),
        });
        lines.collect()
    }

    #[test]
    fn reads_every_form() {
        let cases: &[(&str, &[&str])] = &[
            ("title=name,body= a.b ,id", &["title <- name", "body <- a.b", "payload id"]),
            ("body=content|description", &["body <- content or description"]),
            ("url='https://x/{key}?a=1,b'", &["url <- 'https://x/<key>?a=1,b'"]),
            ("title='It's {a}, not {b}',body=c", &["title <- 'It's <a>, not <b>'", "body <- c"]),
            ("body='{x['a']}: {y}\nz ${n}' , id", &["body <- '<x['a']>: <y>\nz $<n>'", "payload id"]),
            ("url='u/{sw_urlencode(hitId)}'", &["url <- 'u/<UrlEncode(hitId)>'"]),
            ("v=sw_btcconvert(inputs[*].v)", &["v <- BtcConvert(inputs[*].v)"]),
            ("pagemap.metatags[*].['og:type']", &["payload pagemap.metatags[*].['og:type']"]),
            ("['arxiv:comment'][*].['#text']", &["payload ['arxiv:comment'][*].['#text']"]),
            ("['a=b,c']", &["payload ['a=b,c']"]),
            ("Docket Number=$.opinions[0].type", &["Docket Number <- $.opinions[0].type"]),
            ("ISBN=isbn", &["ISBN <- isbn"]),
            ("title='open { brace'", &["title <- 'open { brace'"]),
            ("", &[]),
            (" , ,", &[]),
        ];
        for (text, want) in cases {
            assert_eq!(shown(text), *want, "{text}");
        }
    }

    #[test]
    fn reads_commands() {
        let all = ResultMappings::parse("NO_PAYLOAD, FILE_SYSTEM,LC_URL,DATASET,BLOCK=ai_summary,title=t")
            .expect("all");
        assert!(all.no_payload && all.file_system && all.lc_url && all.dataset);
        assert_eq!(all.block.as_deref(), Some("ai_summary"));
        assert_eq!(all.mappings.len(), 1);
        // A command counts only as a piece of its own.
        assert!(!ResultMappings::parse("url='NO_PAYLOAD'").expect("a template").no_payload);
    }

    #[test]
    fn names_the_mistake() {
        let table = [
            ("NO_PAYLAOD", "Did you mean 'NO_PAYLOAD'?"),
            ("ISBN", "write ['ISBN']"),
            ("title=a b", "'a b' is not a path"),
            ("title='open", "is not closed"),
            ("title=", "'title=' needs a key"),
            ("=x", "'=x' needs a key"),
            ("BLOCK=", "needs a key"),
            ("BLOCK=info", "No block can be named 'info'"),
            ("BLOCK= results", "No block can be named 'results'"),
            ("BLOCK=messages", "No block can be named 'messages'"),
            ("a=sw_urlencode(x", "lacks its ')'"),
            ("a=sw_upper(x)", "Unknown function 'sw_upper'"),
            ("title='{a b}'", "'a b' is not a path"),
            ("title='{}'", "not a path"),
        ];
        for (text, want) in table {
            let error = ResultMappings::parse(text).expect_err(text);
            assert!(error.message().contains(want), "{text}: {error}");
        }
        assert!(ResultMappings::parse(&"a,".repeat(PIECES_MAX)).is_ok());
        assert!(ResultMappings::parse(&"a,".repeat(PIECES_MAX + 1)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[a-cA-C='{}|,\\[\\]()é \\\\]{0,60}|.{0,60}") {
            let _ = ResultMappings::parse(&text);
        }
    }
}
