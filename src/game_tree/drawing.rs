//! What the SVG drawings of `compare` and `tree` have in common.

/// Style sheet of both drawings: font, background and text colors, light and dark.
pub(super) const BASE_STYLE: &str = "\
.bg{fill:#ffffff}.ink{fill:#1c2330}.soft{fill:#5a6472}\
text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\
@media (prefers-color-scheme:dark){.bg{fill:#14181f}.ink{fill:#e8ecf2}.soft{fill:#a9b4c2}}";

/// Escapes text for XML and HTML, also within an attribute.
pub(super) fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
