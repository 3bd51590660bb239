// In the book, links to documents outside of it: mdBook expects pages there, but the repository has Markdown.
for (const link of document.querySelectorAll('main a[href^="../"]')) {
  const target = link.getAttribute("href").replace(/\.html(#|$)/, ".md$1");
  link.setAttribute("href", target.replace(/^\.\.\/(?!\.\.\/)/, "../../docs/"));
}
