//! Elements that may be the main content or boilerplate, which depends on how much text of the page they contain.
//!
//! An element whose name says that it is boilerplate is content nevertheless if it contains most of the text: it may be
//! the wrapper `content-with-sidebar`. If one of several articles contains most of the text, the others are teasers or
//! comments.

/// Most containers of a page; further ones say nothing about their text.
pub const CONTAINERS_MAX: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Boilerplate by its name.
    NamedAround,
    Article,
}

/// The place of a container in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Container(usize);

struct Entry {
    kind: Kind,
    outer: Option<Container>,
    /// Length of the text that is certainly content, in it and in the containers in it.
    good_chars: usize,
}

/// All containers of a page, outer ones before inner ones.
#[derive(Default)]
pub struct Containers(Vec<Entry>);

impl Containers {
    /// None if there are too many.
    pub fn open(&mut self, kind: Kind, outer: Option<Container>) -> Option<Container> {
        if self.0.len() >= CONTAINERS_MAX {
            return None;
        }
        self.0.push(Entry { kind, outer, good_chars: 0 });
        Some(Container(self.0.len() - 1))
    }

    /// Adds text that is certainly content.
    pub fn add(&mut self, container: Option<Container>, chars: usize) {
        if let Some(entry) = container.and_then(|Container(place)| self.0.get_mut(place)) {
            entry.good_chars += chars;
        }
    }

    /// `total` is the length of the text of the page that is certainly content.
    pub fn judge(mut self, total: usize) -> Judged {
        for place in (0..self.0.len()).rev() {
            let Entry { outer, good_chars, .. } = self.0[place];
            self.add(outer, good_chars);
        }
        let has_most = |entry: &Entry| entry.good_chars.saturating_mul(2) > total;
        // The innermost one.
        let main = self.0.iter().rposition(|entry| entry.kind == Kind::Article && has_most(entry));
        // With less than nearly all of the text, what is outside of it may belong to it, such as answers to a question.
        let is_nearly_all =
            |place: usize| self.0[place].good_chars.saturating_mul(5) >= total.saturating_mul(4);
        let outside =
            Place { is_around: false, is_main: main.filter(|place| is_nearly_all(*place)).map(|_| false) };
        let mut places: Vec<Place> = Vec::with_capacity(self.0.len());
        for (number, entry) in self.0.iter().enumerate() {
            let outer = entry.outer.and_then(|Container(outer)| places.get(outer).copied());
            let mut place = outer.unwrap_or(outside);
            match entry.kind {
                Kind::NamedAround => place.is_around |= !has_most(entry),
                Kind::Article if main == Some(number) => place.is_main = outside.is_main.map(|_| true),
                // Also within the main article: an embedded post, or a comment.
                Kind::Article => place.is_around |= main.is_some() && !has_most(entry),
            }
            places.push(place);
        }
        Judged { places, outside }
    }
}

/// What the containers say about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub is_around: bool,
    /// Whether it is in the main article; None if that is not the whole content.
    pub is_main: Option<bool>,
}

pub struct Judged {
    places: Vec<Place>,
    /// Text outside of all containers.
    outside: Place,
}

impl Judged {
    pub fn place(&self, container: Option<Container>) -> Place {
        container.and_then(|Container(place)| self.places.get(place).copied()).unwrap_or(self.outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_article_with_most_of_the_text_is_the_main_one() {
        let mut containers = Containers::default();
        let wrapper = containers.open(Kind::NamedAround, None);
        let story = containers.open(Kind::Article, wrapper);
        let share = containers.open(Kind::NamedAround, story);
        let comment = containers.open(Kind::Article, story);
        let teaser = containers.open(Kind::Article, None);
        for (container, chars) in [(story, 700), (comment, 100), (teaser, 100), (None, 50)] {
            containers.add(container, chars);
        }
        let judged = containers.judge(950);
        for (container, is_around, is_main) in [
            (wrapper, false, false),
            (story, false, true),
            (share, true, true),
            (comment, true, true),
            (teaser, true, false),
            (None, false, false),
        ] {
            assert_eq!(judged.place(container), Place { is_around, is_main: Some(is_main) }, "{container:?}");
        }
    }

    #[test]
    fn text_beside_the_main_article_may_belong_to_it() {
        let mut containers = Containers::default();
        let question = containers.open(Kind::Article, None);
        let teaser = containers.open(Kind::Article, None);
        for (container, chars) in [(question, 600), (teaser, 100), (None, 300)] {
            containers.add(container, chars);
        }
        let judged = containers.judge(1_000);
        for (container, is_around) in [(question, false), (teaser, true), (None, false)] {
            assert_eq!(judged.place(container), Place { is_around, is_main: None }, "{container:?}");
        }
    }

    #[test]
    fn articles_of_a_list_are_equal() {
        let mut containers = Containers::default();
        let articles: Vec<_> = (0..3).map(|_| containers.open(Kind::Article, None)).collect();
        articles.iter().for_each(|article| containers.add(*article, 100));
        let judged = containers.judge(300);
        for article in articles {
            assert_eq!(judged.place(article), Place { is_around: false, is_main: None });
        }
    }

    #[test]
    fn containers_are_bounded() {
        let mut containers = Containers::default();
        for _ in 0..CONTAINERS_MAX {
            assert!(containers.open(Kind::Article, None).is_some());
        }
        assert_eq!(containers.open(Kind::Article, None), None);
    }
}
