//! The drawing as an HTML page: one self-contained file that steps through one or two searches.
//!
//! The page is `viewer.html` with the viewer (`viewer.js`, `viewer.css`) and the drawings inserted.

use serde_json::Value;

use super::picture::TreePicture;
use crate::game_tree::drawing::escape_xml;

const PAGE: &str = include_str!("viewer.html");
const SCRIPT: &str = include_str!("viewer.js");
const STYLE: &str = include_str!("viewer.css");

/// Returns the HTML page of one or two searches of the same tree.
pub(super) fn html(pictures: &[TreePicture]) -> String {
    let title = pictures.iter().map(|picture| picture.headline().0).collect::<Vec<_>>().join("; ");
    // Prevents `</script>` in a name from ending the data.
    let data = Value::Array(pictures.iter().map(TreePicture::json).collect()).to_string().replace("</", "<\\/");
    PAGE.replace("{{STYLE}}", STYLE)
        .replace("{{SCRIPT}}", SCRIPT)
        .replace("{{TITLE}}", &escape_xml(&title))
        .replace("{{DATA}}", &data)
}
