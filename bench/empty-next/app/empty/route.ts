/** What a request costs before anybody has done anything. */
export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json({});
}
