// One HTTP request as any client sends it.

/** One request and what came back. */
export interface Exchange {
  method: string;
  url: string;
  status: number;
  headers: Headers;
  /** The JSON body; undefined where the body is something else. */
  body: unknown;
  /** The body as it was sent. */
  text: string;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
}

/** Only ends what hangs: a busy machine may be slow. */
const REQUEST_TIMEOUT_MS = 120_000;

/** One request as it is: no cookies, no redirects. */
export async function send(
  url: string | URL,
  { method = 'GET', headers = {}, json, form }: RequestOptions = {},
): Promise<Exchange> {
  const response = await fetch(url, {
    method,
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  return {
    method,
    url: String(url),
    status: response.status,
    headers: response.headers,
    body: parseJson(text),
    text,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
