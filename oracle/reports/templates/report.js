"use strict";
(() => {
  const table = document.getElementById("findings-table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const filters = [...document.querySelectorAll("[data-filter]")];
  const shown = document.getElementById("shown");
  document.getElementById("filters").hidden = false;

  // Numbers compare as numbers, all else as text; what is not recorded comes last.
  const key = (row, column) => row.cells[column].dataset.key ?? row.cells[column].textContent.trim();
  const compare = (one, other) => {
    if (one === "" || other === "") return (one === "") - (other === "");
    const difference = Number(one) - Number(other);
    return Number.isNaN(difference) ? one.localeCompare(other) : difference;
  };

  const sort = (header, column) => {
    const up = header.getAttribute("aria-sort") !== "ascending";
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", up ? "ascending" : "descending");
    const sorted = [...rows].sort((a, b) => {
      const [x, y] = [key(a, column), key(b, column)];
      return x === "" || y === "" ? compare(x, y) : (up ? 1 : -1) * compare(x, y);
    });
    body.append(...sorted);
  };
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    header.querySelector("button")?.addEventListener("click", () => sort(header, column));
  });

  const apply = () => {
    let count = 0;
    for (const row of rows) {
      const keep = filters.every((filter) => {
        const wanted = filter.value.trim().toLowerCase();
        if (!wanted) return true;
        const name = filter.dataset.filter;
        return name === "text"
          ? row.textContent.toLowerCase().includes(wanted)
          : row.dataset[name].toLowerCase() === wanted;
      });
      row.hidden = !keep;
      document.getElementById(row.dataset.details).hidden = !keep;
      count += keep;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };
  for (const filter of filters) {
    filter.addEventListener("input", apply);
    filter.addEventListener("change", apply);
  }

  const open = (id) => {
    const details = document.getElementById(id);
    if (!(details instanceof HTMLDetailsElement)) return;
    details.open = true;
    details.scrollIntoView();
  };
  for (const row of rows) {
    row.querySelector("a").addEventListener("click", () => open(row.dataset.details));
  }
  if (location.hash) open(decodeURIComponent(location.hash.slice(1)));
  apply();
})();
