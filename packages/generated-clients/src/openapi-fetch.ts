// A program with openapi-fetch and the types that openapi-typescript makes.
import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi-typescript.ts';
import { askOwner, codeOf, run, there } from './given.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

await run(async ({ origin, token, guildId, userId, deviceCode }) => {
  const connect = (secret: string) =>
    createClient<paths>({
      baseUrl: `${origin}/api/public/v1`,
      headers: { Authorization: `Bearer ${secret}` },
    });
  const api = connect(token);
  const oauth = createClient<paths>({ baseUrl: origin });

  const me = there((await api.GET('/me')).data, 'body');

  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const query = { action: 'bans.list', limit: 2, ...(cursor ? { cursor } : {}) };
    const page = await api.GET('/guilds/{guildId}/audit', { params: { path: { guildId }, query } });
    pages.push(there(page.data, 'page').data.map(({ id }) => id));
    cursor = page.data?.next_cursor;
  } while (cursor);

  const absent = { guildId, strikeId: `str_${'0'.repeat(32)}` };
  const missing = await api.GET('/guilds/{guildId}/strikes/{strikeId}', { params: { path: absent } });

  const strike = (key: string) =>
    api.POST('/guilds/{guildId}/strikes', {
      params: { path: { guildId }, header: { 'Idempotency-Key': key } },
      body: {
        user_id: userId,
        severity: 'minor',
        reason: 'Sang in the library',
        _confirmation: `ADD STRIKE TO USER ${userId} IN GUILD ${guildId} SEVERITY MINOR`,
      },
    });
  const wrong = await api.GET('/guilds/{guildId}/strikes', {
    params: { path: { guildId }, query: { limit: 1000 } },
  });
  const parked = there((await strike('first')).error, 'error').error;
  askOwner(parked.details.reauth_url);
  const approvalId = there(parked.details.approval_id, 'approval_id');
  const approval = await api.GET('/guilds/{guildId}/approvals/{approvalId}', {
    params: { path: { guildId, approvalId }, header: { Prefer: 'wait=30' } },
  });
  const given = await strike('first');
  const again = await strike('first');

  const client_id = 'bailiff-cli';
  const asked = await oauth.POST('/api/oauth/device/code', { body: { client_id, scope: 'bans.read' } });
  const poll = (device_code: string) =>
    oauth.POST('/api/oauth/device/token', { body: { grant_type: GRANT, device_code, client_id } });
  const undecided = await poll(there(asked.data, 'code').device_code);
  const granted = there((await poll(deviceCode)).data, 'token');
  const own = await connect(granted.access_token).GET('/me');

  return {
    guild: me.guild.id,
    windowUntil: me.window.open ? me.window.window.expires_at : null,
    pages,
    missing: { code: there(missing.error, 'error').error.code, status: missing.response.status },
    wrongFields: there(wrong.error, 'error').error.details.issues?.map(({ path }) => path) ?? [],
    parked: { code: parked.code, approvalState: parked.details.approval_state },
    decided: there(approval.data, 'approval').state,
    strike: there(given.data, 'strike').strike_id,
    again: {
      strike: there(again.data, 'strike').strike_id,
      replayed: again.response.headers.get('Idempotent-Replayed'),
    },
    undecided: codeOf(there(undecided.error, 'error')),
    scope: granted.scope,
    grantedFor: there(own.data, 'body').guild.id,
  };
});
