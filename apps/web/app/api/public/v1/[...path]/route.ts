import { ApiError } from '@bailiff/core';
import { refusal } from '#src/http/kernel.ts';
import { sharedRuntime } from '#src/runtime.ts';

/**
 * The public API under Next's own routing, for `PUBLIC_API_THROUGH_NEXT=on`. The server in front (`src/server.ts`)
 * passes on the path and address of the call. A request that did not come through it is refused, because a client could
 * forge its address.
 */
async function handle(request: Request): Promise<Response> {
  const runtime = sharedRuntime();
  const call = runtime?.receivedCall.getStore();
  if (runtime === undefined || call === undefined) {
    const message =
      "The public API is served by Bailiff's own server. Start it with `npm start`, not `next start`.";
    return refusal(new ApiError('INTERNAL_ERROR', message));
  }
  return runtime.publicApi(asCalled(request, call.url), { address: call.address });
}

/** The request with the URL that the client sent; Next saw another path. */
function asCalled(request: Request, url: string): Request {
  const { method, headers, body } = request;
  return new Request(url, { method, headers, ...(body === null ? {} : { body, duplex: 'half' }) });
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
