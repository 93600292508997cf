// Texts of a hostile source. Each tries to set `window.canary`, to open a dialog, or to request /foreign.

/** Markup and scripts for any field. */
export const hostileTexts = (foreign) => [
  `<script>window.canary='script'</script>`,
  `<img src=x onerror="window.canary='img'">`,
  `<svg onload="window.canary='svg'"><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`,
  `"><iframe srcdoc="<script>parent.canary='frame'</script>"></iframe>`,
  `'><img src="${foreign}/pixel.png"><link rel=stylesheet href="${foreign}/a.css">`,
  `<style>@import url(${foreign}/b.css); body{display:none}</style>`,
  `<em onmouseover="window.canary='em'">mark</em><b>bold</b><a href="javascript:window.canary='a'">go</a>`,
  `&lt;img src=x onerror=&quot;window.canary='entity'&quot;&gt; &amp;lt;script&amp;gt;window.canary='twice'&amp;lt;/script&amp;gt;`,
  `{{ 7*7 }} \${7*7} [go](javascript:window.canary='markdown') ![p](${foreign}/md.png)`,
];

/** URLs that must never become a link that runs a script or loads a file. */
export const hostileAddresses = [
  "javascript:window.canary='url'",
  "data:text/html,<script>opener.canary='data'</script>",
  "vbscript:msgbox(1)",
  "java\tscript:window.canary='tab'",
  "https://good.example/\"onmouseover=\"window.canary='quote'",
  "//foreign.example/x",
  "file:///etc/passwd",
  "https://user:word@good.example/<script>",
];

/** Texts that a spreadsheet would evaluate as formulas. */
export const formulas = ["=HYPERLINK(\"http://evil.example\",\"x\")", "+1+1", "-2+3", "@SUM(1)", "\t=1+1", "\r=1+1"];

/** Results in which every field is hostile. Each title and body contains the query, so that they match. */
export function hostileItems(query, base) {
  const foreign = `${base}/foreign`;
  const texts = hostileTexts(foreign);
  return texts.map((text, index) => ({
    title: `${formulas[index % formulas.length]} ${query} ${text}`,
    body: `${query} ${text} ${texts[(index + 1) % texts.length]}`,
    url: hostileAddresses[index % hostileAddresses.length],
    author: `${formulas[(index + 1) % formulas.length]}${text}`,
    date: "2024-01-01T00:00:00Z",
    extra: { [text]: text, nested: { [text]: [text] }, picture: `${foreign}/payload.png`, link: hostileAddresses[index % hostileAddresses.length] },
    highlights: [`${text} <em>${query}</em>`],
  }));
}
