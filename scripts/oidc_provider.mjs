// An OpenID Connect provider for tests, on 127.0.0.1. It accepts any user name with any password.
// PUT /test/groups?user=ann&groups=a,b sets the groups of a user.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [port, modules] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/`));
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')).href);

const groups = new Map();
const claims = (id) => ({
  sub: id, preferred_username: id, email: `${id}@people.example`, groups: groups.get(id),
});
const client = (client_id, path) => ({
  client_id, client_secret: 'secret-of-the-client', redirect_uris: [`http://tributary.test${path}`],
  grant_types: ['authorization_code', 'refresh_token'],
});
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [client('tributary', '/svc/callback/people-callback'), client('sources', '/svc/callback/sources-callback')],
  claims: { openid: ['sub'], email: ['email'], profile: ['preferred_username'], groups: ['groups'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => claims(id) }),
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: { AccessToken: 8, IdToken: 600, Grant: 600, Session: 600, Interaction: 600, RefreshToken: 600 },
  cookies: { keys: ['tests only'] },
  features: {
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'openid', audience: 'tributary-api', accessTokenFormat: 'jwt' }),
    },
    revocation: { enabled: true },
  },
});
const answer = provider.callback();
createServer((request, response) => {
  const url = new URL(request.url, `http://127.0.0.1:${port}`);
  if (url.pathname !== '/test/groups') return answer(request, response);
  groups.set(url.searchParams.get('user'), (url.searchParams.get('groups') ?? '').split(',').filter(Boolean));
  return response.writeHead(204).end();
}).listen(Number(port), '127.0.0.1');
