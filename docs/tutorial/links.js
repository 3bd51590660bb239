// In the book, links to documents outside of it: mdBook expects pages there, but the repository has Markdown.
for (const link of document.querySelectorAll('main a[href^="../"]')) {
  const target = link.getAttribute("href").replace(/\.html(#|$)/, ".md$1");
  link.setAttribute("href", target.replace(/^\.\.\/(?!\.\.\/)/, "../../docs/"));
}

// As a part of the site: the repository is not there, and the page is in the folder above.
if (/^https?:$/.test(location.protocol) && location.pathname.includes("/tutorial/")) {
  for (const link of document.querySelectorAll('main a[href^="../"]')) link.removeAttribute("href");
  for (const link of document.querySelectorAll('main a[href^="http://localhost:8000/"]')) {
    link.setAttribute("href", link.getAttribute("href").replace("http://localhost:8000/", "../"));
  }
}
