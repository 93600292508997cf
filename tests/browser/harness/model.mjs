// A model as a service: it speaks as OpenAI does, writes piece by piece, and says what means harm besides.

const LATCH_MS_MAX = 50_000;

/** What it writes. The citations are to the first results; the rest tries to become a link, a picture or a script. */
const written = (foreign) => [
  "A warning should reach people before the water does [1]. ",
  "**Thresholds** are chosen by hand [2].\n\n",
  `Read [more](javascript:window.canary='link') or ![look](${foreign}/answer.png?secret=1).\n\n`,
  `<img src=x onerror="window.canary='answer'"><script>window.canary='written'</script>\n\n`,
  "- one\n- <b onmouseover=\"window.canary='list'\">two</b>\n\n",
  "Follow-ups:\n- How long is the lead time?\n- Who \"rehearses\" <i>it</i>?\n",
];

/** Answers a request for a completion; the second half waits until `go` is done. */
export async function complete(request, response, foreign, go) {
  const { stream } = JSON.parse(await text(request) || "{}");
  const pieces = written(foreign);
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: pieces.join("") }, finish_reason: "stop" }] }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`);
  send({ role: "assistant", content: pieces[0] });
  await Promise.race([go, new Promise((late) => setTimeout(late, LATCH_MS_MAX).unref())]);
  for (const content of pieces.slice(1)) send({ content });
  send({}, "stop");
  response.end("data: [DONE]\n\n");
}

async function text(request) {
  let all = "";
  for await (const piece of request) all += piece;
  return all;
}
