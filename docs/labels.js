"use strict";
// Screen readers need a distinct label for each landmark; the theme repeats or omits them.
const label = () => {
  const named = { ".md-code__nav": "Copy code", ".md-nav[data-md-level]": "Navigation" };
  for (const [selector, name] of Object.entries(named)) {
    document.querySelectorAll(`nav${selector}`).forEach((nav, place) => {
      nav.removeAttribute("aria-labelledby");
      nav.setAttribute("aria-label", `${name} ${place + 1}`);
    });
  }
};
new MutationObserver(label).observe(document.body, { childList: true, subtree: true });
label();
