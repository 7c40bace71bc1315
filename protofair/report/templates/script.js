"use strict";
// Everything here is an extra: the page is whole without it.
const said = document.getElementById("said");
const say = (text) => {
  said.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { said.textContent = ""; }, 4000);
};

// Sort a table by a column: a button in its heading; best first, then worst first, then the paper's order again.
// A control stays below the row it is the control of.
for (const table of document.querySelectorAll("table.sortable")) {
  const groups = [];
  for (const row of table.tBodies[0].rows) {
    if (row.classList.contains("control")) groups.at(-1).push(row);
    else groups.push([row]);
  }
  const headings = [...table.querySelectorAll("th.metric")];
  headings.forEach((heading, column) => {
    const best = heading.dataset.better === "higher" ? "descending" : "ascending";
    const worst = best === "ascending" ? "descending" : "ascending";
    const value = ([row]) => Number(row.querySelectorAll("td")[column].dataset.value || NaN);
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const order = { none: best, [best]: worst, [worst]: "none" }[heading.getAttribute("aria-sort")];
      for (const other of headings) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const sorted = order === "none" ? groups : groups.toSorted((a, b) => {
        const [x, y] = [value(a), value(b)];
        return Number.isNaN(x) - Number.isNaN(y) || sign * (x - y) || 0;  // rows without a number of ours come last
      });
      table.tBodies[0].append(...sorted.flat());
      say(order === "none" ? "Rows in the paper’s order" : `Rows by ${button.textContent.trim()}, ${order}`);
    });
  });
}

// A link to the details of a cell opens them and everything around them.
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName !== "DETAILS") return;
  for (let place = target; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
  target.scrollIntoView();
  target.querySelector("summary").focus();
};
addEventListener("hashchange", open);
open();

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.source).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // not allowed where the page is opened from
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    say(`${button.textContent.trim()}: done`);
  });
}
