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
// Output as wide as a terminal gets letters that leave its lines whole on a phone.
for (const code of document.querySelectorAll("pre > code")) {
  const lines = [...code.querySelectorAll(".go")].map((line) => line.textContent.trimEnd().length);
  code.classList.toggle("terminal", lines.some((length) => length > 66 && length <= 80));
}
// A figure that is scrolled can be reached by the keyboard.
const reach = () => {
  for (const figure of document.querySelectorAll("p:has(> img)")) {
    figure.tabIndex = figure.scrollWidth > figure.clientWidth ? 0 : -1;
  }
};
for (const event of ["load", "resize"]) addEventListener(event, reach);
new MutationObserver(label).observe(document.body, { childList: true, subtree: true });
label();
