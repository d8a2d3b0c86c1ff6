// A program with what oazapfts makes. Its answers are told apart by their status.
import * as api from '../generated/oazapfts.ts';
import { askOwner, codeOf, run, there } from './given.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The body of an answer with this status. */
function only<Answer extends { status: number; data?: unknown }, Status extends Answer['status']>(
  answer: Answer,
  status: Status,
): Extract<Answer, { status: Status }>['data'] {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
  return answer.data;
}

await run(async ({ origin, token, guildId, userId, deviceCode }) => {
  const connect = (secret: string) => ({
    baseUrl: `${origin}/api/public/v1`,
    headers: { Authorization: `Bearer ${secret}` },
  });
  Object.assign(api.defaults, connect(token));

  const me = only(await api.me(), 200);

  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const given = { guildId, action: 'bans.list', limit: 2, ...(cursor ? { cursor } : {}) };
    const page = only(await api.auditList(given), 200);
    pages.push(page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);

  const missing = await api.strikesGet({ guildId, strikeId: `str_${'0'.repeat(32)}` });
  const wrong = only(await api.strikesList({ guildId, limit: 1000 }), 400);

  const strike = () =>
    api.strikesAdd({
      guildId,
      idempotencyKey: 'first',
      body: {
        user_id: userId,
        severity: 'minor',
        reason: 'Sang in the library',
        _confirmation: `ADD STRIKE TO USER ${userId} IN GUILD ${guildId} SEVERITY MINOR`,
      },
    });
  const parked = only(await strike(), 403).error;
  askOwner(parked.details.reauth_url);
  const approvalId = there(parked.details.approval_id, 'approval_id');
  const approval = only(await api.approvalsGet({ guildId, approvalId, prefer: 'wait=30' }), 200);
  const given = only(await strike(), 201);
  const again = await strike();

  const client_id = 'bailiff-cli';
  const oauth = { baseUrl: origin, headers: {} };
  const asked = only(await api.oauthDeviceCode({ body: { client_id, scope: 'bans.read' } }, oauth), 200);
  const poll = (device_code: string) =>
    api.oauthDeviceToken({ body: { grant_type: GRANT, device_code, client_id } }, oauth);
  const undecided = only(await poll(asked.device_code), 400);
  const granted = only(await poll(deviceCode), 200);
  const own = only(await api.me(connect(granted.access_token)), 200);

  return {
    guild: me.guild.id,
    windowUntil: me.window.open ? me.window.window.expires_at : null,
    pages,
    missing: { code: only(missing, 404).error.code, status: missing.status },
    wrongFields: wrong.error.details.issues?.map(({ path }) => path) ?? [],
    parked: { code: parked.code, approvalState: parked.details.approval_state },
    decided: approval.state,
    strike: given.strike_id,
    again: {
      strike: only(again, 201).strike_id,
      replayed: again.headers.get('Idempotent-Replayed'),
    },
    undecided: codeOf(undecided),
    scope: granted.scope,
    grantedFor: own.guild.id,
  };
});
