// An authorization server whose user says yes at once. It prints its issuer, and
// ends with its standard input.
//
//   node server.mjs RESOURCE JWK
//
// RESOURCE is the server that tokens are for, JWK the public key of the client
// "machine".
import http from 'node:http';
import Provider from 'oidc-provider';

const [, , resource, jwk] = process.argv;

const server = http.createServer((req, res) => handle(req, res));
let handle = (_, res) => res.writeHead(503).end();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = newProvider(issuer);
  provider.on('grant.error', (_, err) => console.error(err.error, err.error_detail ?? err.error_description));
  handle = (req, res) => route(provider, req, res);
  console.log(issuer);
});
process.stdin.on('end', () => process.exit(0)).resume();

function newProvider(issuer) {
  return new Provider(issuer, {
    clients: [
      { // asks what tokens are worth
        client_id: 'resource-server', client_secret: 'resource-server-secret',
        grant_types: [], response_types: [], redirect_uris: [],
      },
      {
        client_id: 'machine', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [JSON.parse(jwk)] },
        grant_types: ['client_credentials'], response_types: [], redirect_uris: [], scope: 'read write',
      },
    ],
    scopes: ['openid', 'offline_access', 'read', 'write'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    clientDefaults: { scope: 'openid offline_access read write' },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === 'resource-server' },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'read write', audience: resource, accessTokenTTL: 3600, accessTokenFormat: 'opaque' }),
      },
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['only for tests'] },
  });
}

// route answers interactions, and leaves the rest to the provider.
async function route(provider, req, res) {
  if (!req.url.startsWith('/interaction/')) {
    provider.callback()(req, res);
    return;
  }
  try {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === 'login') {
      await provider.interactionFinished(req, res, { login: { accountId: 'ada' } });
      return;
    }
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    grant.addResourceScope(resource, params.scope);
    await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  } catch (err) {
    console.error(err);
    res.writeHead(500).end();
  }
}
