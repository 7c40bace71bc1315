"use strict";
// Everything here is an extra: the page is whole without it.
const said = document.getElementById("said");
const say = (text) => { said.textContent = text; setTimeout(() => { said.textContent = ""; }, 2500); };

// Sort a table by a column: a button in its heading, best first, then worst first, then the paper's order.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headings = [...table.querySelectorAll("th.metric")];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const better = heading.dataset.better === "higher" ? "descending" : "ascending";
      const worse = better === "ascending" ? "descending" : "ascending";
      const now = heading.getAttribute("aria-sort");
      const next = now === "none" ? better : now === better ? worse : "none";
      headings.forEach((other) => other.setAttribute("aria-sort", "none"));
      heading.setAttribute("aria-sort", next);
      const value = (row) => {
        const text = row.querySelectorAll("td")[column].dataset.value;
        return text === "" ? NaN : Number(text);
      };
      const rows = next === "none" ? original : [...original].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
        return next === "ascending" ? x - y : y - x;
      });
      body.append(...rows);
      say(next === "none" ? "Rows in the paper’s order" : `Sorted by ${button.textContent.trim()}, ${next}`);
    });
  });
}

// A link to the details of a cell opens them and everything around them.
const open = () => {
  let place = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  const target = place;
  for (; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
  if (target && target.tagName === "DETAILS") { target.scrollIntoView(); target.querySelector("summary").focus(); }
};
addEventListener("hashchange", open);
open();

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.source).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    say(`${button.textContent.trim()}: done`);
  });
}
