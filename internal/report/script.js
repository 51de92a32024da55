"use strict";
// Only conveniences: everything can be read without this script.
(() => {
  // Tooltips that appear at once, instead of the browser's slow ones.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const textOf = (el) => {
    const title = el.querySelector && el.querySelector(":scope > title");
    if (title) {
      el.dataset.tip = title.textContent;
      title.remove();
    }
    return el.dataset && el.dataset.tip;
  };
  document.addEventListener("pointerover", (e) => {
    const text = e.target.closest("svg") && textOf(e.target);
    tip.hidden = !text;
    tip.textContent = text || "";
  });
  document.addEventListener("pointermove", (e) => {
    if (tip.hidden) return;
    tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 6)) + "px";
    tip.style.top = (e.clientY + tip.offsetHeight + 24 > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 16) + "px";
  });

  const table = document.getElementById("trials");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];

  // Sorting: numbers as numbers, texts as texts, missing values last.
  const key = (row, i) => {
    const cell = row.cells[i];
    if (cell.dataset.v) return Number(cell.dataset.v);
    return cell.textContent === "–" ? null : cell.textContent;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const sortBy = (i) => {
    const down = heads[i].getAttribute("aria-sort") === "ascending";
    for (const h of heads) h.removeAttribute("aria-sort");
    heads[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => [key(row, i), row]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return down ? compare(b, a) : compare(a, b);
    });
    body.append(...keyed.map(([, row]) => row));
  };
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(i));
    head.append(button);
  });

  // Filtering.
  const filter = document.getElementById("filter");
  const state = document.getElementById("state");
  const count = document.getElementById("count");
  const all = count.textContent;
  const apply = () => {
    const text = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (!state.value || row.dataset.state === state.value) && (!text || row.textContent.toLowerCase().includes(text));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown === rows.length ? all : shown + " of " + all;
  };
  filter.addEventListener("input", apply);
  state.addEventListener("change", apply);
  document.querySelector(".controls").hidden = false;
  apply();
})();
