// Fake of a model with the API of OpenAI. It streams its text in parts, some of them hostile.

const LATCH_MS_MAX = 50_000;

/** The parts of its text. The citations are to the first results; the rest tries to become a link, an image or a script. */
const completionParts = (foreign) => [
  "A warning should reach people before the water does [1]. ",
  "**Thresholds** are chosen by hand [2].\n\n",
  `Read [more](javascript:window.canary='link') or ![look](${foreign}/answer.png?secret=1).\n\n`,
  `<img src=x onerror="window.canary='answer'"><script>window.canary='written'</script>\n\n`,
  "- one\n- <b onmouseover=\"window.canary='list'\">two</b>\n\n",
  "| Place | ", "Lead time |\n|:--", "-|--:|\n| Bonn [1] | 3 h |\n",
  `| <img src=x onerror="window.canary='cell'"> | [more](javascript:window.canary='cell') |\n\n`,
  `|${" Level of the river |".repeat(12)}\n|${"---|".repeat(12)}\n|${" 1 |".repeat(12)}\n\n`,
  "Follow-ups:\n- How long is the lead time?\n- Who \"rehearses\" <i>it</i>?\n",
];

/** Responds to a request for a completion. All parts after the first wait for `released`. */
export async function complete(request, response, foreign, released) {
  const { stream } = JSON.parse(await text(request) || "{}");
  const pieces = completionParts(foreign);
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: pieces.join("") }, finish_reason: "stop" }] }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`);
  send({ role: "assistant", content: pieces[0] });
  await Promise.race([released, new Promise((done) => setTimeout(done, LATCH_MS_MAX).unref())]);
  for (const content of pieces.slice(1)) send({ content });
  send({}, "stop");
  response.end("data: [DONE]\n\n");
}

async function text(request) {
  let all = "";
  for await (const piece of request) all += piece;
  return all;
}
