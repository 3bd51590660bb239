//! The drawing as an HTML page: one self-contained file that steps through one or two searches.
//!
//! The page is `viewer.html` with the viewer (`viewer.js`, `viewer.css`) and the drawings inserted.

use serde_json::Value;

use super::escape_xml;
use super::picture::TreePicture;

const PAGE: &str = include_str!("viewer.html");
const SCRIPT: &str = include_str!("viewer.js");
const STYLE: &str = include_str!("viewer.css");

/// How a page shows positions; by default as text, the description of [`crate::GameTree::describe`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PositionView<'a> {
    /// JavaScript that defines `drawPosition(element, description, parentDescription)`; it fills the HTML element.
    pub script: &'a str,
    /// Style sheet of the content of that element.
    pub style: &'a str,
}

/// Returns an HTML page that steps through one search, or through two of the same tree side by side.
#[must_use]
pub fn html(pictures: &[TreePicture], position: PositionView) -> String {
    let title = pictures.iter().map(|picture| picture.headline().0).collect::<Vec<_>>().join("; ");
    // Prevents `</script>` in a name from ending the data.
    let data = Value::Array(pictures.iter().map(TreePicture::json).collect()).to_string().replace("</", "<\\/");
    PAGE.replace("{{STYLE}}", &format!("{STYLE}{}", position.style))
        .replace("{{SCRIPT}}", &format!("{SCRIPT}{}", position.script))
        .replace("{{TITLE}}", &escape_xml(&title))
        .replace("{{DATA}}", &data)
}
