// A small server made with @modelcontextprotocol/server:
//
//     node server.mjs modern|modern-sse|dual|legacy stdio|http
//
// modern refuses legacy openings, and modern-sse also answers with event
// streams (HTTP only). dual serves both eras, and allows its DiscoverResult to
// be kept for an hour. legacy is the same server with only the older entry
// wired, so it meets a modern request as a server does that was deployed before
// the modern era.
import { createServer } from 'node:http';
import process from 'node:process';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, legacyStatelessFallback, McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [mode, transport] = process.argv.slice(2);

const hints = { dual: { 'server/discover': { ttlMs: 3_600_000, cacheScope: 'private' } } };

// The name tells whether the right mode was started; the result tells which
// era served the call.
function factory({ era }) {
  const server = new McpServer({ name: `npm-${mode}`, version: '1.2.3' }, { cacheHints: hints[mode] });
  server.registerTool(
    'greet',
    { description: 'Greets somebody.', inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => ({ content: [{ type: 'text', text: `Hello, ${name}, from the ${era} era` }] }),
  );
  return server;
}

const serve = {
  stdio: {
    modern: () => serveStdio(factory, { legacy: 'reject' }),
    dual: () => serveStdio(factory),
    legacy: () => factory({ era: 'legacy' }).connect(new StdioServerTransport()),
  },
  http: {
    modern: () => listen(createMcpHandler(factory, { legacy: 'reject' })),
    'modern-sse': () => listen(createMcpHandler(factory, { legacy: 'reject', responseMode: 'sse' })),
    dual: () => listen(createMcpHandler(factory)),
    legacy: () => listen({ fetch: legacyStatelessFallback(factory) }),
  },
};

function listen(handler) {
  createServer(toNodeHandler(handler)).listen(); // where: see loopback.mjs
}

const start = serve[transport]?.[mode];
if (!start) {
  console.error('usage: node server.mjs modern|modern-sse|dual|legacy stdio|http');
  process.exit(2);
}
await start();
