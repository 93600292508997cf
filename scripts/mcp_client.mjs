// The official TypeScript client of the Model Context Protocol, for the tests: it reads steps from standard input,
// runs them, and prints the responses as JSON. Usage: node mcp_client.mjs <folder with node_modules>
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)).href);
const { Client } = await load('client/index.js');
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js');
const { StdioClientTransport } = await load('client/stdio.js');

let text = '';
for await (const piece of process.stdin) text += piece;
const plan = JSON.parse(text);

const transport = plan.url
  ? new StreamableHTTPClientTransport(new URL(plan.url), { requestInit: { headers: plan.headers ?? {} } })
  : new StdioClientTransport({ command: plan.command, args: plan.args, env: plan.env, stderr: 'inherit' });
const client = new Client({ name: 'tributary-tests', version: '1' });

const told = (error) => ({ error: String(error.message ?? error), code: error.code ?? null });

const steps = {
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  prompts: async () => (await client.listPrompts()).prompts,
  info: async () => ({ server: client.getServerVersion(), instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() }),
  ping: async () => client.ping(),
  read: async ({ uri }) => (await client.readResource({ uri })).contents,
  prompt: async ({ name, arguments: given }) => (await client.getPrompt({ name, arguments: given })).messages,
  call: async ({ name, arguments: given, progress }) => {
    const heard = [];
    const options = progress ? { onprogress: (note) => heard.push(note) } : {};
    const result = await client.callTool({ name, arguments: given ?? {} }, undefined, options);
    return { ...result, progress: heard };
  },
};

const said = { connected: false, steps: [] };
try {
  await client.connect(transport);
  said.connected = true;
  for (const step of plan.steps) {
    try {
      said.steps.push({ ok: await steps[step.do](step) });
    } catch (error) {
      said.steps.push(told(error));
    }
  }
  await client.close();
} catch (error) {
  Object.assign(said, told(error));
}
process.stdout.write(JSON.stringify(said));
process.exit(0);
