/** An empty route handler: the cost of a request in Next alone. */
export const dynamic = 'force-dynamic';

export function GET(): Response {
  return Response.json({});
}
