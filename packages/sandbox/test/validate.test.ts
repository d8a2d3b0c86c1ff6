import { describe, expect, it } from 'vitest';
import { openApiValidator } from '#src/validate.ts';

const found: string[] = [];
const validate = await openApiValidator((violation) => found.push(violation));

function violationsOf(
  method: string,
  route: string,
  sent: unknown,
  status: number,
  answered: unknown,
  query = '',
) {
  found.length = 0;
  validate({
    method,
    route,
    query: new URLSearchParams(query),
    contentType: 'application/json',
    requestBody: sent,
    status,
    responseBody: answered,
  });
  return [...found];
}

describe('the check against Discord’s OpenAPI document', () => {
  it('finds wrong requests, wrong answers, unknown routes, statuses and query parameters', () => {
    const ban = '/guilds/{guild_id}/bans/{user_id}';
    expect(violationsOf('PUT', ban, { delete_message_seconds: 60 }, 204, undefined)).toEqual([]);
    expect(violationsOf('PUT', ban, { delete_message_seconds: '60 s' }, 204, undefined)).toHaveLength(1);
    expect(violationsOf('GET', ban, undefined, 200, { reason: null })).toHaveLength(1);
    expect(violationsOf('GET', ban, undefined, 302, undefined)).toHaveLength(1);
    expect(violationsOf('GET', '/guilds/{guild_id}/ghosts', undefined, 200, [])).toHaveLength(1);
    expect(
      violationsOf('GET', '/guilds/{guild_id}/bans', undefined, 200, [], 'limit=5&colour=red'),
    ).toHaveLength(1);
    expect(violationsOf('GET', '/guilds/{guild_id}/bans', undefined, 200, [], 'limit=many')).toHaveLength(1);
    const entitlements = '/applications/{application_id}/entitlements';
    const query = 'sku_ids=900000000000000001&exclude_ended=true';
    expect(violationsOf('GET', entitlements, undefined, 200, [], query)).toEqual([]);
    expect(violationsOf('GET', entitlements, undefined, 200, [], 'exclude_ended=perhaps')).toHaveLength(1);
  });

  it('reads a query parameter as the type that its schema refers to', () => {
    const reactions = '/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}';
    const asked = (query: string) => violationsOf('GET', reactions, undefined, 200, [], query);
    expect(asked('type=1')).toEqual([]);
    expect(asked('type=9')).toHaveLength(1);
    expect(asked('type=burst')).toHaveLength(1);
    expect(asked('type=')).toHaveLength(1);
    expect(asked('after=900000000000000001')).toEqual([]);
    expect(asked('after=last')).toHaveLength(1);
  });

  it('keeps quiet about a malformed request that was refused as such', () => {
    const refused = { code: 50035, message: 'Invalid Form Body', errors: { messages: { _errors: [] } } };
    const route = '/channels/{channel_id}/messages/bulk-delete';
    expect(violationsOf('POST', route, { messages: [] }, 400, refused)).toEqual([]);
    expect(violationsOf('POST', route, { messages: [] }, 204, undefined)).toHaveLength(1);
  });
});
