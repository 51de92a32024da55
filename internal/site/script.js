// Search, light and dark, copying code. The pages can be read without it.
"use strict";
{
  const root = document.currentScript.dataset.root.replace(/index\.html$/, "");
  const input = document.getElementById("search"), list = document.getElementById("found");
  let chosen = 0;

  // Every word must be in the heading, the title or the text. Headings count most.
  const score = (entry, words) => {
    let sum = 0;
    for (const word of words) {
      const heading = entry.h.toLowerCase(), page = entry.p.toLowerCase(), at = entry.t.toLowerCase().indexOf(word);
      if (heading.startsWith(word)) sum += 12;
      else if (heading.includes(word)) sum += 8;
      else if (page.includes(word)) sum += 4;
      else if (at >= 0) sum += 1 + 1 / (1 + at / 200);
      else return 0;
    }
    return sum;
  };

  const marked = (text, words) => {
    const part = document.createElement("small");
    const first = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0), text.length);
    const begin = Math.max(0, Math.min(first - 50, text.length - 150));
    const shown = (begin > 0 ? "…" : "") + text.slice(begin, begin + 150) + (begin + 150 < text.length ? "…" : "");
    const pattern = new RegExp("(" + words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|") + ")", "i");
    for (const piece of shown.split(new RegExp(pattern, "gi"))) {
      part.append(pattern.test(piece) ? Object.assign(document.createElement("mark"), { textContent: piece }) : piece);
    }
    return part;
  };

  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = words.length === 0;
    chosen = 0;
    const found = words.length ? window.entries.map((entry) => [score(entry, words), entry]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 12) : [];
    for (const [, entry] of found) {
      const link = Object.assign(document.createElement("a"), { href: root + entry.a });
      link.append(Object.assign(document.createElement("b"), { textContent: entry.h }), entry.h === entry.p ? "" : " · " + entry.p, marked(entry.t, words));
      link.addEventListener("click", () => { list.hidden = true; input.blur(); });
      list.append(Object.assign(document.createElement("li")));
      list.lastChild.append(link);
    }
    if (words.length && !found.length) list.append(Object.assign(document.createElement("li"), { className: "none", textContent: "Nothing is found." }));
    choose(0);
  };

  const choose = (by) => {
    const links = [...list.querySelectorAll("a")];
    if (!links.length) return;
    chosen = (chosen + by + links.length) % links.length;
    links.forEach((link, i) => link.classList.toggle("chosen", i === chosen));
    links[chosen].scrollIntoView({ block: "nearest" });
  };

  input.addEventListener("input", search);
  input.addEventListener("focus", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { choose(event.key === "ArrowDown" ? 1 : -1); event.preventDefault(); }
    else if (event.key === "Enter") list.querySelector("a.chosen")?.click();
    else if (event.key === "Escape") { list.hidden = true; input.blur(); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { input.focus(); event.preventDefault(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) list.hidden = true; });

  const asked = new URLSearchParams(location.search).get("q"); // a search can be linked to
  if (asked) { input.value = asked; search(); }

  document.getElementById("theme").addEventListener("click", () => {
    const set = document.documentElement.dataset;
    const dark = set.theme ? set.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    set.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", set.theme); } catch { /* it lasts as long as the page, then */ }
  });

  for (const block of document.querySelectorAll("pre:not(.text)")) {
    const button = Object.assign(document.createElement("button"), { textContent: "Copy", type: "button" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    if (navigator.clipboard) block.append(button);
  }

  const parts = [...document.querySelectorAll(".parts a")];
  const seen = () => {
    const above = parts.filter((link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))?.getBoundingClientRect().top < 120);
    parts.forEach((link) => link.classList.toggle("seen", link === above.at(-1)));
  };
  addEventListener("scroll", seen, { passive: true });
  seen();
}
