// Show only the items whose text holds the words and whose verdict is the chosen one.
const words = document.querySelector("#filter-words");
const verdict = document.querySelector("#filter-verdict");
const count = document.querySelector("#filter-count");

function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const any = wanted.length === 0 && verdict.value === "";
  let shown = 0;
  for (const table of document.querySelectorAll("details[data-table]")) {
    const title = table.querySelector("summary").textContent.toLowerCase();
    let here = 0;
    for (const item of table.querySelectorAll("[data-verdicts]")) {
      const row = item.closest("tr").querySelector("th, td").textContent;
      const text = [title, row, item.textContent, item.title].join(" ").toLowerCase();
      const verdicts = item.dataset.verdicts.split(" ");
      const fits = wanted.every((word) => text.includes(word))
        && (verdict.value === "" || verdicts.includes(verdict.value));
      item.classList.toggle("filtered", !fits);
      here += fits ? Number(item.dataset.items || 1) : 0;
    }
    table.hidden = here === 0;
    if (!any && here > 0) table.open = true;
    shown += here;
  }
  count.textContent = any ? "" : `${shown} items`;
}

words.addEventListener("input", filter);
verdict.addEventListener("change", filter);
