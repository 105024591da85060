"use strict";
{
  const links = document.querySelectorAll("nav a[href^='#']");
  const choose = (hash) => {
    for (const link of links) {
      if (link.getAttribute("href") === hash) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("hashchange", () => choose(location.hash));
  choose(location.hash);
  // In a sandboxed frame, such as in a notebook, links to places of the page do nothing by themselves.
  if (location.protocol === "about:") {
    document.addEventListener("click", (event) => {
      const hash = event.target.closest("a[href^='#']")?.getAttribute("href");
      const target = hash && document.getElementById(hash.slice(1));
      if (!target) return;
      event.preventDefault();
      target.focus({ preventScroll: true });
      target.scrollIntoView();
      choose(hash);
    });
  }
}
