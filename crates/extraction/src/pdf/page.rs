//! A page: content, resources and forms.

use super::content::ContentInterpreter;
use super::font::Fonts;
use super::load::STREAM_BYTES_MAX;
use super::matrix::Matrix;
use super::operators::Operators;
use crate::text_builder::{Abort, ExtractResult, TextBuilder};
use domain::ports::ExtractError;
use lopdf::content::Operation;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// Deepest nesting of forms; deeper ones are skipped.
const FORM_DEPTH_MAX: usize = 8;
/// Most forms on one page, including nested ones.
const FORMS_PER_PAGE_MAX: usize = 2_000;
/// Most bytes of content on one page.
const PAGE_BYTES_MAX: usize = 2 * STREAM_BYTES_MAX;
/// How far up the page tree resources are searched.
const PARENTS_MAX: usize = 50;

pub fn read<'d>(
    document: &'d Document,
    id: ObjectId,
    fonts: &mut Fonts<'d>,
    builder: &mut TextBuilder,
) -> ExtractResult {
    let Ok(page) = document.get_dictionary(id) else { return Ok(()) };
    let content = match document.get_page_content_with_limit(id, PAGE_BYTES_MAX) {
        Ok(content) => content,
        Err(lopdf::Error::Decompress(_)) => {
            return Err(Abort::Failed(ExtractError::TooLarge(PAGE_BYTES_MAX as u64)));
        }
        // An unreadable page is skipped.
        Err(_) => return Ok(()),
    };
    let Some(resources) = inherited(document, page) else { return Ok(()) };
    let mut sheet = Sheet { document, fonts, interpreter: ContentInterpreter::default(), forms: 0 };
    sheet.show(&content, resources, 0, builder)
}

/// The resources of a page, or of its nearest ancestor that has some.
fn inherited<'d>(document: &'d Document, page: &'d Dictionary) -> Option<&'d Dictionary> {
    let mut node = page;
    for _ in 0..PARENTS_MAX {
        if let Ok(resources) = node.get_deref(b"Resources", document).and_then(Object::as_dict) {
            return Some(resources);
        }
        node = node.get_deref(b"Parent", document).and_then(Object::as_dict).ok()?;
    }
    None
}

struct Sheet<'s, 'd> {
    document: &'d Document,
    fonts: &'s mut Fonts<'d>,
    interpreter: ContentInterpreter<'d>,
    forms: usize,
}

impl<'d> Sheet<'_, 'd> {
    fn show(
        &mut self,
        content: &[u8],
        resources: &'d Dictionary,
        depth: usize,
        builder: &mut TextBuilder,
    ) -> ExtractResult {
        builder.check_deadline()?;
        let mut operators = Operators::of(content);
        while let Some(operation) = operators.next(builder)? {
            match operation.operator.as_str() {
                "Tf" => {
                    let name = operation.operands.first().and_then(|name| name.as_name().ok());
                    let font = name.and_then(|name| self.fonts.get(self.document, resources, name));
                    let size = operation.operands.get(1).and_then(|size| size.as_float().ok());
                    self.interpreter.use_font(font, size.unwrap_or(1.0));
                }
                "Do" => self.show_form(&operation, resources, depth, builder)?,
                _ => self.interpreter.follow(&operation, builder)?,
            }
        }
        Ok(())
    }

    fn show_form(
        &mut self,
        operation: &Operation,
        resources: &'d Dictionary,
        depth: usize,
        builder: &mut TextBuilder,
    ) -> ExtractResult {
        let Some(form) = self.form(operation, resources) else { return Ok(()) };
        self.forms += 1;
        if depth >= FORM_DEPTH_MAX.min(builder.limits.depth) || self.forms > FORMS_PER_PAGE_MAX {
            return Ok(());
        }
        let Ok(content) = form.get_plain_content_with_limit(STREAM_BYTES_MAX) else { return Ok(()) };
        let own = form.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict);
        let before = self.interpreter.enter(matrix(&form.dict));
        self.show(&content, own.unwrap_or(resources), depth + 1, builder)?;
        self.interpreter.leave(before);
        Ok(())
    }

    fn form(&self, operation: &Operation, resources: &'d Dictionary) -> Option<&'d Stream> {
        let name = operation.operands.first()?.as_name().ok()?;
        let forms = resources.get_deref(b"XObject", self.document).and_then(Object::as_dict).ok()?;
        let form = forms.get_deref(name, self.document).and_then(Object::as_stream).ok()?;
        let kind = form.dict.get(b"Subtype").and_then(Object::as_name).ok()?;
        (kind == b"Form").then_some(form)
    }
}

fn matrix(dict: &Dictionary) -> Matrix {
    let numbers = dict.get(b"Matrix").and_then(Object::as_array).ok();
    let numbers = numbers.filter(|list| list.len() == 6);
    let Some(numbers) = numbers else { return Matrix::UNIT };
    let mut matrix = Matrix::UNIT;
    for (place, number) in matrix.0.iter_mut().zip(numbers) {
        *place = number.as_float().unwrap_or(0.0);
    }
    matrix
}
