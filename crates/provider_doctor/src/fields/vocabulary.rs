//! Names of the fields of a result with their weights, and words that count against a field. Names are lowercase, in
//! the singular and without separators, as [`super::identifier_words`] produces them.

pub const TITLES: &[(&str, f64)] = &[
    ("title", 1.0),
    ("headline", 0.97),
    ("heading", 0.95),
    ("fullname", 0.84),
    ("displayname", 0.82),
    ("name", 0.8),
    ("subject", 0.72),
    ("label", 0.7),
    ("caption", 0.65),
    ("question", 0.6),
    ("summary", 0.55),
    ("topic", 0.4),
    ("term", 0.35),
    ("identifier", 0.3),
    ("text", 0.25),
    ("id", 0.2),
];
pub const NOT_TITLES: &str = "type key code url uri lang language count format alt sort sub container journal author user \
    owner publisher provider status place country first last library section channel project team \
    site category domain company";

pub const BODIES: &[(&str, f64)] = &[
    ("description", 1.0),
    ("abstract", 1.0),
    ("snippet", 0.99),
    ("excerpt", 0.97),
    ("synopsis", 0.93),
    ("standfirst", 0.92),
    ("blurb", 0.88),
    ("body", 0.97),
    ("extract", 0.95),
    ("bodytext", 0.95),
    ("selftext", 0.95),
    ("trailtext", 0.95),
    ("content", 0.93),
    ("summary", 0.93),
    ("desc", 0.92),
    ("shortdescription", 0.92),
    ("teaser", 0.9),
    ("leadparagraph", 0.9),
    ("overview", 0.85),
    ("note", 0.85),
    ("text", 0.85),
    ("intro", 0.8),
    ("message", 0.75),
    ("comment", 0.75),
    ("fragment", 0.75),
    ("definition", 0.7),
    ("lead", 0.7),
    ("tldr", 0.6),
    ("detail", 0.6),
    ("sentence", 0.55),
    ("highlight", 0.5),
    ("annotation", 0.6),
    ("plot", 0.6),
    ("biography", 0.55),
    ("instruction", 0.55),
    ("about", 0.5),
    ("usage", 0.5),
    ("remark", 0.5),
    ("purpose", 0.45),
    ("subtitle", 0.4),
    ("caption", 0.35),
    ("keyword", TOPIC_WEIGHT),
    ("subject", TOPIC_WEIGHT),
    ("topic", TOPIC_WEIGHT),
    ("tag", TOPIC_WEIGHT),
];
/// Topics of a result are better than no body at all.
pub const TOPIC_WEIGHT: f64 = 0.3;
pub const TOPICS: &str = "keyword topic subject tag genre concept";
pub const TOPIC_PARTS: &str = "name displayname term subject value label";
pub const NOT_BODIES: &str = "title name type id url uri lang language source license copyright right path count code status \
    alt flair author number";

pub const URLS: &[(&str, f64)] = &[
    ("htmlurl", 1.0),
    ("permalink", 1.0),
    ("permalinkurl", 1.0),
    ("weburl", 1.0),
    ("url", 0.97),
    ("link", 0.95),
    ("selfhtml", 0.95),
    ("canonicalurl", 0.95),
    ("href", 0.9),
    ("landingpage", 0.85),
    ("landingpageurl", 0.85),
    ("webpage", 0.8),
    ("uri", 0.78),
    ("shorturl", 0.75),
    ("guid", 0.65),
    ("id", 0.6),
    ("homepage", 0.55),
    ("website", 0.55),
    ("canonical", 0.9),
    ("doi", 0.66),
    ("handle", 0.55),
    ("page", 0.5),
];
pub const NOT_URLS: &str = "image img thumb thumbnail icon avatar logo favicon poster photo preview media video api self \
    download pdf next prev previous license right author user owner mobile git ssh clone repository \
    comment event label readme issue orcid context object amp related \
    employer company organization profile apply archive tarball edit trailer raw embed stream feed \
    endpoint rest asset picture audio";
/// Words in the name of a URL that leads to a page for people.
pub const PAGES: &str =
    "page web html full view display canonical landing public detail article browse read human";
/// Words in the label of a link that leads people to the result, and in one that does not.
pub const LINKS_FOR_PEOPLE: &str =
    "alternate canonical html page web webpage landing landingpage display view about fulltext";
pub const LINKS_FOR_PROGRAMS: &str =
    "pdf json xml atom rss csv zip geojson xlsx jpeg png audio edit search collection";

pub const DATES: &[(&str, f64)] = &[
    ("published", 1.0),
    ("publisheddate", 1.0),
    ("publicationdate", 1.0),
    ("publishedat", 1.0),
    ("pubdate", 1.0),
    ("publication", 0.97),
    ("pub", 0.97),
    ("issued", 0.95),
    ("posted", 0.93),
    ("created", 0.92),
    ("date", 0.9),
    ("creation", 0.9),
    ("submitted", 0.88),
    ("filed", 0.86),
    ("released", 0.86),
    ("release", 0.86),
    ("updated", 0.7),
    ("modified", 0.7),
    ("timestamp", 0.68),
    ("edited", 0.65),
    ("time", 0.6),
    ("year", 0.6),
    ("age", 0.6),
    ("seen", 0.6),
    ("pushed", 0.6),
    ("activity", 0.55),
    ("ts", 0.55),
    ("effective", 0.5),
    ("start", 0.4),
    ("begin", 0.4),
];
pub const NOT_DATES: &str = "due end close closed deleted expire expiry retrieved ingest indexed last birth death count id \
    verified";

pub const AUTHORS: &[(&str, f64)] = &[
    ("author", 1.0),
    ("byline", 0.97),
    ("authorstring", 0.97),
    ("authorname", 0.97),
    ("creator", 0.95),
    ("createdby", 0.93),
    ("writer", 0.9),
    ("artist", 0.88),
    ("photographer", 0.85),
    ("by", 0.8),
    ("reporter", 0.75),
    ("username", 0.75),
    ("contributor", 0.72),
    ("submitter", 0.7),
    ("user", 0.68),
    ("owner", 0.65),
    ("editor", 0.55),
    ("sponsor", 0.55),
    ("publisher", 0.5),
    ("judge", 0.5),
    ("manufacturer", 0.45),
    ("source", 0.4),
    ("profile", 0.35),
    ("domain", 0.3),
];
pub const NOT_AUTHORS: &str = "id type url uri orcid email image avatar count position affiliation institution country language key role \
    link flair modified updated source";
/// Names of a person's name inside the member of the person.
pub const PERSON_PARTS: &[(&str, f64)] = &[
    ("name", 1.0),
    ("displayname", 1.0),
    ("fullname", 1.0),
    ("publicname", 0.9),
    ("realname", 0.95),
    ("text", 0.95),
    ("value", 0.95),
    ("displayvalue", 0.95),
    ("username", 0.85),
    ("login", 0.85),
    ("family", 0.85),
    ("literal", 0.7),
];

/// Members that describe something other than the result.
pub const ASIDE: &str = "by to from author user owner creator contributor editor reporter assignee member maintainer publisher \
    source journal container license right image thumbnail media multimedia photo icon category tag \
    label project board channel team language location profile organization institution affiliation \
    namespace group milestone keyword topic subject taxon repository parent related sibling file \
    config breadcrumb provider dataprovider status priority issuetype sponsor identifier attachment \
    facet recipient sender applicant employer customer client vendor seller organizer director maker";
/// Members that repeat other values, with highlights.
pub const COPIES: &str = "highlight highlightresult hithighlight snippetresult formatted";
