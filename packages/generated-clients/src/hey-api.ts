// A program with what @hey-api/openapi-ts makes.
import { createClient } from '../generated/hey-api/client/index.ts';
import {
  approvalsGet,
  auditList,
  me,
  oauthDeviceCode,
  oauthDeviceToken,
  strikesAdd,
  strikesGet,
  strikesList,
} from '../generated/hey-api/index.ts';
import { askOwner, codeOf, run, there } from './given.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

await run(async ({ origin, token, guildId, userId, deviceCode }) => {
  const connect = (auth: string) => createClient({ baseUrl: `${origin}/api/public/v1`, auth });
  const client = connect(token);
  const path = { guildId };

  const { data: own } = await me({ client, throwOnError: true });

  const pageAt = (cursor?: string) =>
    auditList({ client, path, query: { action: 'bans.list', limit: 2, cursor }, throwOnError: true });
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data: page } = await pageAt(cursor);
    pages.push(page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }

  const missing = await strikesGet({ client, path: { guildId, strikeId: `str_${'0'.repeat(32)}` } });
  const wrong = await strikesList({ client, path, query: { limit: 1000 } });

  const strike = () =>
    strikesAdd({
      client,
      path,
      headers: { 'Idempotency-Key': 'first' },
      body: {
        user_id: userId,
        severity: 'minor',
        reason: 'Sang in the library',
        _confirmation: `ADD STRIKE TO USER ${userId} IN GUILD ${guildId} SEVERITY MINOR`,
      },
    });
  const parked = there((await strike()).error, 'error').error;
  askOwner(parked.details.reauth_url);
  const approvalId = there(parked.details.approval_id, 'approval_id');
  const { data: approval } = await approvalsGet({
    client,
    path: { guildId, approvalId },
    headers: { Prefer: 'wait=30' },
    throwOnError: true,
  });
  const given = await strike();
  const again = await strike();

  const oauth = createClient({ baseUrl: origin });
  const client_id = 'bailiff-cli';
  const asked = await oauthDeviceCode({ client: oauth, body: { client_id, scope: 'bans.read' } });
  const poll = (device_code: string) =>
    oauthDeviceToken({ client: oauth, body: { grant_type: GRANT, device_code, client_id } });
  const undecided = await poll(there(asked.data, 'code').device_code);
  const granted = there((await poll(deviceCode)).data, 'token');
  const { data: ofGranted } = await me({ client: connect(granted.access_token), throwOnError: true });

  return {
    guild: own.guild.id,
    windowUntil: own.window.open ? own.window.window.expires_at : null,
    pages,
    missing: {
      code: there(missing.error, 'error').error.code,
      status: there(missing.response, 'status').status,
    },
    wrongFields: there(wrong.error, 'error').error.details.issues?.map((issue) => issue.path) ?? [],
    parked: { code: parked.code, approvalState: parked.details.approval_state },
    decided: approval.state,
    strike: there(given.data, 'strike').strike_id,
    again: {
      strike: there(again.data, 'strike').strike_id,
      replayed: there(again.response, 'headers').headers.get('Idempotent-Replayed'),
    },
    undecided: codeOf(there(undecided.error, 'error')),
    scope: granted.scope,
    grantedFor: ofGranted.guild.id,
  };
});
