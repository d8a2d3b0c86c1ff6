/**
 * How long to wait before the next call of the same kind, in milliseconds: until the budgets of the last answer admit
 * one (`RateLimit`, `RateLimit-Policy`). 0 if they do now, or say nothing.
 */
export function pauseMs(headers: Headers): number {
  const left = itemsOf(headers.get('RateLimit'));
  const policies = itemsOf(headers.get('RateLimit-Policy'));
  const pauses = [...left].map(([name, { r }]) => {
    const { q, w } = policies.get(name) ?? {};
    return r !== undefined && r < 1 && q !== undefined && w !== undefined && q > 0 ? (w / q) * 1_000 : 0;
  });
  return Math.max(0, ...pauses);
}

/** The numbers of each item of a list such as `"token";q=6;w=360`, by name. */
function itemsOf(list: string | null): Map<string, Partial<Record<string, number>>> {
  return new Map(
    (list ?? '').split(',').map((item) => {
      const [name = '', ...parameters] = item.trim().split(';');
      const numbers = parameters.map((parameter) => {
        const [key = '', value = ''] = parameter.split('=');
        return [key, /^\d+$/.test(value) ? Number(value) : undefined] as const;
      });
      return [name, Object.fromEntries(numbers)];
    }),
  );
}
