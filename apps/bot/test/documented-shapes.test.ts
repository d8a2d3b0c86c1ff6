// The objects that Discord's documentation shows as examples, field by field, with values of our own. Discord's
// description of its API, which the other tests compare with, is another document.
import { verifies } from '@bailiff/core/testing';
import { ChannelType, Locale } from 'discord.js';
import { expect, test } from 'vitest';
import { problemOfAnswer } from '#src/answer-shapes.ts';
import { auditEntryOf, manualActionOf } from '#src/audit-entries.ts';
import { usualRefusal } from '#src/discord-errors.ts';
import { createLog } from '#src/log.ts';
import { channelOf, descriptionOf, memberOf, memberPage } from '#src/mirror-reads.ts';
import { apiAnswering, failureOf } from './answering.ts';

const ID = '300000000000000001';
const OTHER = '300000000000000002';
const MOMENT = '2016-04-12T08:15:30.123000+00:00';

/** "User Object": Example User. */
const USER = {
  id: ID,
  username: 'lantern',
  discriminator: '0042',
  avatar: 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3',
  verified: true,
  email: 'lantern@example.com',
  flags: 64,
  banner: 'a1b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3',
  accent_color: 16_711_680,
  premium_type: 1,
  public_flags: 64,
  avatar_decoration_data: { sku_id: OTHER, asset: 'a2b1c2d3' },
};
/** "Ban Object", "Message Object" and others show a user with these fields alone. */
const { id, username, discriminator, avatar, public_flags } = USER;
const BRIEF_USER = { username, discriminator, id, avatar, public_flags };

/** "Guild Member Object": Example Guild Member. */
const MEMBER = {
  user: USER,
  nick: 'Keeper',
  avatar: null,
  banner: null,
  roles: [OTHER],
  joined_at: MOMENT,
  deaf: false,
  mute: false,
};

/** "Role Object": Example Role. */
const ROLE = {
  id: OTHER,
  name: 'KEEPERS',
  color: 3_447_003,
  colors: { primary_color: 3_447_003, secondary_color: null, tertiary_color: null },
  hoist: true,
  icon: 'a3b1c2d3',
  unicode_emoji: null,
  position: 1,
  permissions: '66321471',
  managed: false,
  mentionable: false,
  flags: 0,
};

/** "Guild Object": Example Guild. */
const GUILD = {
  id: ID,
  name: 'Lighthouse Keepers',
  icon: 'a4b1c2d3',
  description: 'Where the lights are.',
  splash: null,
  discovery_splash: null,
  features: ['INVITE_SPLASH', 'NEWS', 'COMMUNITY', 'DISCOVERABLE'],
  emojis: [],
  banner: 'a5b1c2d3',
  owner_id: ID,
  application_id: null,
  region: null,
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: null,
  widget_enabled: true,
  widget_channel_id: null,
  verification_level: 3,
  roles: [ROLE],
  default_message_notifications: 1,
  mfa_level: 1,
  explicit_content_filter: 2,
  max_presences: 40_000,
  max_members: 250_000,
  vanity_url_code: 'lights',
  premium_tier: 3,
  premium_subscription_count: 33,
  system_channel_flags: 0,
  preferred_locale: Locale.EnglishUS,
  rules_channel_id: OTHER,
  public_updates_channel_id: OTHER,
  safety_alerts_channel_id: OTHER,
};

/** "Channel Object": Example Guild Text Channel. */
const CHANNEL = {
  id: OTHER,
  guild_id: ID,
  name: 'general',
  type: 0,
  position: 6,
  permission_overwrites: [],
  rate_limit_per_user: 2,
  nsfw: true,
  topic: 'About lights',
  last_message_id: OTHER,
  parent_id: OTHER,
  default_auto_archive_duration: 60,
};

/** "Message Object": Example Message. */
const MESSAGE = {
  reactions: [
    {
      count: 1,
      count_details: { burst: 0, normal: 1 },
      me: false,
      me_burst: false,
      emoji: { id: null, name: '🔥' },
      burst_colors: [],
    },
  ],
  attachments: [],
  tts: false,
  embeds: [],
  timestamp: MOMENT,
  mention_everyone: false,
  id: OTHER,
  pinned: false,
  edited_timestamp: null,
  author: BRIEF_USER,
  mention_roles: [],
  content: 'The light is on',
  channel_id: OTHER,
  mentions: [],
  type: 0,
};

const answering = (body: unknown, status = 200) =>
  apiAnswering((response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
  );
const signal = () => AbortSignal.timeout(30_000);

test.each([
  [`/guilds/${ID}`, GUILD],
  [`/guilds/${ID}/members/${ID}`, MEMBER],
  [`/guilds/${ID}/bans/${ID}`, { reason: 'mentions', user: BRIEF_USER }],
  [`/guilds/${ID}/channels`, [CHANNEL]],
  [`/channels/${OTHER}`, CHANNEL],
  [`/channels/${OTHER}/messages`, [MESSAGE]],
  [`/users/${ID}`, USER],
  [
    '/gateway/bot',
    {
      url: 'wss://gateway.example/',
      shards: 9,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 },
    },
  ],
] as const)('the documented answer to GET %s is understood', async (route, body) => {
  verifies('bot.documented-shapes');
  const api = await answering(body);
  expect(await api.get(route, { signal: signal() })).toEqual(body);
});

const OVERWRITE = { id: ID, type: 0, allow: '1024', deny: '0' };
const SESSIONS = { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 };

/** What is read of each answer. A `?` is behind what may be absent. */
test.each([
  [
    'GET /gateway/bot',
    { url: 'wss://gateway.example/', shards: 9, session_start_limit: SESSIONS },
    ['url', 'shards', ...Object.keys(SESSIONS).map((name) => `session_start_limit.${name}`)],
  ],
  ['GET /applications/@me', { id: ID }, ['id']],
  [`GET /applications/${ID}/commands`, [{ id: ID, name: 'ban' }], ['0.name']],
  [`GET /applications/${ID}/entitlements`, [{ id: ID }], ['0.id']],
  [`GET /applications/${ID}/entitlements/${OTHER}`, { id: ID }, ['id']],
  [
    `GET /channels/${OTHER}`,
    { ...CHANNEL, permission_overwrites: [OVERWRITE] },
    [
      ...['id', 'type', 'permission_overwrites?', 'rate_limit_per_user?'],
      ...['id', 'allow', 'deny'].map((name) => `permission_overwrites.0.${name}`),
    ],
  ],
  [
    `GET /channels/${OTHER}/messages`,
    [{ ...MESSAGE, attachments: [{ filename: 'a.png' }] }],
    ['id', 'type', 'author.id', 'author.username', 'content', 'timestamp', 'attachments.0.filename'].map(
      (name) => `0.${name}`,
    ),
  ],
  [`POST /channels/${OTHER}/messages`, MESSAGE, ['id', 'channel_id']],
  [
    `GET /guilds/${ID}`,
    GUILD,
    [
      ...['id', 'name', 'owner_id'],
      ...['id', 'name', 'position', 'permissions'].map((name) => `roles.0.${name}`),
    ],
  ],
  [`GET /guilds/${ID}/audit-logs`, { audit_log_entries: [] }, ['audit_log_entries']],
  [`GET /guilds/${ID}/bans/${OTHER}`, { user: BRIEF_USER }, ['user.id', 'user.username']],
  [`GET /guilds/${ID}/channels`, [CHANNEL], ['0.id', '0.type']],
  [`POST /guilds/${ID}/channels`, CHANNEL, ['id']],
  [`GET /guilds/${ID}/roles`, [ROLE], ['0.id', '0.name', '0.position', '0.permissions']],
  [`GET /guilds/${ID}/members`, [MEMBER], ['0.user.id', '0.user.username', '0.roles', '0.roles.0']],
  [`GET /guilds/${ID}/members/search`, [MEMBER], ['0.user.id', '0.user.username', '0.roles', '0.roles.0']],
  [`GET /guilds/${ID}/members/${OTHER}`, MEMBER, ['user.id', 'user.username', 'roles', 'roles.0']],
  [`GET /users/${ID}`, USER, ['id', 'username']],
  ['GET /users/@me/guilds', [{ id: ID }], ['0.id']],
  ['POST /users/@me/channels', { id: ID }, ['id']],
])(
  'an answer to %s without one of the things that are read of it is refused, and named',
  (request, answer, read) => {
    verifies('bot.bad-answers');
    const [method = '', route = ''] = request.split(' ');
    expect(problemOfAnswer(method, route, answer)).toBeNull();
    for (const each of read) {
      const place = each.replace('?', '');
      const isId = /(^|[._])id$|roles\.0$/.test(place);
      const wrong = [
        { of: 'another kind' },
        ...(isId ? ['no id'] : []),
        ...(each === place ? [undefined] : []),
      ];
      for (const value of wrong) {
        const changed: unknown = structuredClone(answer);
        const path = place.split('.');
        const holder = path
          .slice(0, -1)
          .reduce((inner, key) => (inner as Record<string, unknown>)[key], changed);
        Object.assign(holder as object, { [path.at(-1) ?? '']: value });
        expect(String(problemOfAnswer(method, route, changed)), `${place}: ${value}`).toContain(`${place}: `);
      }
    }
  },
);

test('permissions that are no number are refused', () => {
  const refused = (route: string, answer: object) =>
    expect(problemOfAnswer('GET', route, answer)).not.toBeNull();
  for (const bits of ['allow', 'deny']) {
    const overwrite = { ...OVERWRITE, [bits]: 'all' };
    refused(`/channels/${OTHER}`, { ...CHANNEL, permission_overwrites: [overwrite] });
  }
  refused(`/guilds/${ID}/roles`, [{ ...ROLE, permissions: 'all' }]);
});

test('the mirror takes what it needs of the documented objects', async () => {
  verifies('bot.documented-shapes');
  expect(descriptionOf(GUILD, 0)).toMatchObject({
    described: {
      id: ID,
      name: 'Lighthouse Keepers',
      ownerId: ID,
      preferredLocale: 'en-US',
      requiresTwoFactor: true,
    },
    roles: [{ id: OTHER, name: 'KEEPERS', position: 1, permissions: '66321471', managed: false }],
  });
  expect(memberOf({ ...MEMBER, user: { ...USER, global_name: null } })).toMatchObject({
    userId: ID,
    displayName: 'Keeper',
    roleIds: [OTHER],
    bot: false,
  });
  expect(channelOf({ ...CHANNEL, type: ChannelType.GuildText }, ID)).toMatchObject({
    kind: 'text',
    name: 'general',
  });
  // The documented member does not say whether it is timed out.
  const timedOutUntil = '2099-01-01T00:00:00+00:00';
  const members = [
    {},
    { communication_disabled_until: timedOutUntil },
    { communication_disabled_until: null },
  ];
  const api = await answering(members.map((timeout) => ({ ...MEMBER, ...timeout })));
  const page = await memberPage(api, ID, '0', signal());
  expect(page).toMatchObject({
    members: [{ userId: ID }, { userId: ID, timedOutUntil }, { userId: ID, timedOutUntil: null }],
    next: null,
  });
  expect(page.members[0]).not.toHaveProperty('timedOutUntil');
});

test('a documented change of a member in the audit log is a timeout', () => {
  verifies('bot.documented-shapes');
  const entry = {
    action_type: 24,
    changes: [{ key: 'communication_disabled_until', new_value: '2099-01-01T00:00:00+00:00' }],
    id: OTHER,
    options: null,
    reason: null,
    target_id: ID,
    user_id: OTHER,
  };
  const read = auditEntryOf(createLog('silent', []), ID, entry);
  expect(read && manualActionOf(ID, read, '300000000000000009')).toMatchObject({
    operation: 'mutes.add',
    userId: ID,
  });
});

/** "Error Messages" and "Exceeding a Rate Limit". */
test.each([
  [
    'an array',
    400,
    {
      code: 50_035,
      errors: {
        activities: {
          0: {
            platform: {
              _errors: [{ code: 'BASE_TYPE_CHOICES', message: "Value must be one of ('desktop')." }],
            },
          },
        },
      },
      message: 'Invalid Form Body',
    },
    { details: { permanent: true } },
  ],
  [
    'a field',
    400,
    {
      code: 50_035,
      errors: { access_token: { _errors: [{ code: 'BASE_TYPE_REQUIRED', message: 'Required' }] } },
      message: 'Invalid Form Body',
    },
    { details: { permanent: true } },
  ],
  [
    'the request',
    400,
    {
      code: 50_035,
      message: 'Invalid Form Body',
      errors: { _errors: [{ code: 'APPLICATION_COMMAND_TOO_LARGE', message: 'At most 4000 bytes' }] },
    },
    { details: { permanent: true } },
  ],
  [
    'a limit',
    429,
    { message: 'You are being rate limited.', retry_after: 64.57, global: false },
    { code: 'UPSTREAM_UNAVAILABLE' },
  ],
])('the documented error about %s is understood', async (_what, status, body, told) => {
  verifies('bot.documented-shapes');
  const api = await apiAnswering((response) =>
    response
      .writeHead(status, {
        'Content-Type': 'application/json',
        ...(status === 429 ? { 'Retry-After': '65' } : {}),
      })
      .end(JSON.stringify(body)),
  );
  const failure = await failureOf(api.send('PUT', `/guilds/${ID}/bans/${ID}`, { signal: signal() }));
  expect(failure).toMatchObject({ status, kind: status === 429 ? 'not_sent' : 'refused' });
  expect(usualRefusal(failure)).toMatchObject(told);
});
