import { ADDRESS_HEADER } from '#src/http/headers.ts';
import { runtime } from '#src/runtime.ts';

/**
 * The public API under Next's own routing. `src/server.ts` takes these requests before Next does; this is for a set-up
 * that puts another server in front, which then must set the address header itself.
 */
async function handle(request: Request): Promise<Response> {
  return runtime().publicApi(request, { address: request.headers.get(ADDRESS_HEADER) ?? '' });
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
