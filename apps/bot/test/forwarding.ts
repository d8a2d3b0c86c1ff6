import type { IncomingMessage } from 'node:http';

/** The answer of another server to a request, and its text. Its host and its connection are that server's own. */
export async function forward(request: IncomingMessage, upstream: string) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = 'GET', url = '/' } = request;
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const answer = await fetch(`${upstream}${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  return { method, url, answer, text: await answer.text() };
}
