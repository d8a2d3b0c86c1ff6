import { z } from 'zod';
import type { Account } from './account.ts';
import { type Reply, type SendOptions, sendCall } from './api.ts';
import { envelopeOf } from './errors.ts';

const Budget = z.object({ capacity: z.number(), remaining: z.number() });
const Budgets = z.object({ read: Budget, reversible_write: Budget, destructive_write: Budget });

const Window = z.discriminatedUnion('open', [
  z.object({ open: z.literal(false) }),
  z.object({ open: z.literal(true), window: z.object({ expires_at: z.string() }) }),
]);

/** The fields of `GET /me` that this process uses. A newer instance may have values that it does not know. */
const Me = z.object({
  token: z.object({ id: z.string(), name: z.string(), kind: z.string(), expires_at: z.string().nullable() }),
  issuer: z.object({ user_id: z.string(), username: z.string().nullable() }),
  /** An older instance does not say the state. */
  guild: z.object({ id: z.string(), name: z.string(), state: z.string().default('trusted') }),
  effective_capabilities: z.array(z.string()),
  window: Window,
  budgets: z.object({ token: Budgets, user: Budgets }),
});

export type Me = z.output<typeof Me>;

export type ReadMe = { readonly ok: true; readonly me: Me } | Extract<Reply, { ok: false }>;

/** The answer of `GET /me`. */
export async function askMe(account: Account, options: SendOptions): Promise<ReadMe> {
  const reply = await sendCall(account, { operation: 'me', guildId: '', input: {} }, options);
  if (!reply.ok) return reply;
  const me = Me.safeParse(reply.body);
  if (me.success) return { ok: true, me: me.data };
  const message = 'The answer of GET /me is not understood: is this package older than the instance?';
  return { ok: false, envelope: envelopeOf('INTERNAL_ERROR', message, undefined, false) };
}
