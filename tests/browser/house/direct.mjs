// The page against which the search page is timed: it asks one source directly and paints what it says, with nothing
// between. The sources serve it, so that it may ask them.

export const DIRECT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>direct</title>
<form><input type="search" name="q" aria-label="Search" autofocus></form><main></main>
<script>
  const source = new URLSearchParams(location.search).get("source");
  document.forms[0].addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await fetch(source + "&q=" + encodeURIComponent(event.target.q.value));
    const { items } = await answer.json();
    for (const item of items) {
      const article = document.createElement("article");
      article.className = "result";
      for (const name of ["title", "body", "author", "date"]) {
        const line = document.createElement("p");
        line.textContent = item[name];
        article.append(line);
      }
      document.querySelector("main").append(article);
    }
  });
</script></html>`;

/** Notes when Enter is pressed and when the first result is on the screen: two frames after it is in the page. */
export const NOTE_PAINT = `
  const now = () => performance.timeOrigin + performance.now();
  addEventListener("keydown", (event) => { if (event.key === "Enter") sessionStorage.pressed = now(); }, true);
  const observer = new MutationObserver(() => {
    if (!sessionStorage.pressed || !document.querySelector("article.result")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = now() - Number(sessionStorage.pressed); }));
  });
  observer.observe(document, { childList: true, subtree: true });
`;
