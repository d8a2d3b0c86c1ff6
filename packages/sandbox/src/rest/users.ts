import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import { openDm } from '#src/actions/channels.ts';
import { leaveGuild } from '#src/actions/members.ts';
import { refusal, unauthorized } from '#src/errors.ts';
import { dmChannelPayload, memberPayload, ownUserPayload, userPayload } from '#src/payloads.ts';
import { guildPermissions } from '#src/permissions.ts';
import { compareIds } from '#src/snowflake.ts';
import { type Call, fieldsOf, queryInteger, route } from './route.ts';

function caller({ principal, world }: Call) {
  if (principal.kind === 'none') throw unauthorized();
  if (principal.kind === 'bot')
    return { user: world.bot, scopes: ['identify', 'guilds', 'guilds.members.read'] };
  return { user: principal.user, scopes: principal.scopes };
}

export const userRoutes = [
  route(
    'GET',
    '/users/@me',
    (call) => {
      const { user, scopes } = caller(call);
      if (!scopes.includes('identify')) throw unauthorized();
      const mfa_enabled = user.id === call.world.bot.id && call.world.ownerHasTwoFactor;
      return { ...ownUserPayload(user, scopes.includes('email')), mfa_enabled };
    },
    { auth: 'any' },
  ),
  route('GET', '/users/{user_id}', ({ world, params }) => userPayload(world.user(params.user_id))),
  route(
    'GET',
    '/users/@me/guilds',
    (call) => {
      const { user, scopes } = caller(call);
      if (!scopes.includes('guilds')) throw unauthorized();
      const limit = queryInteger(call.query, 'limit', { min: 1, max: 200, fallback: 200 });
      const after = call.query.get('after');
      const before = call.query.get('before');
      return [...call.world.guilds.values()]
        .toSorted((a, b) => compareIds(a.id, b.id))
        .filter((guild) => after === null || compareIds(guild.id, after) > 0)
        .filter((guild) => before === null || compareIds(guild.id, before) < 0)
        .flatMap((guild) => {
          const member = guild.members.get(user.id);
          return member ? [{ guild, member }] : [];
        })
        .slice(0, limit)
        .map(({ guild, member }) => ({
          id: guild.id,
          name: guild.name,
          icon: null,
          banner: null,
          owner: guild.ownerId === user.id,
          permissions: guildPermissions(guild, member).toString(),
          features: [],
          ...(call.query.get('with_counts') === 'true'
            ? { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size }
            : {}),
        }));
    },
    { auth: 'any' },
  ),
  route(
    'GET',
    '/users/@me/guilds/{guild_id}/member',
    (call) => {
      const { user, scopes } = caller(call);
      if (!scopes.includes('guilds.members.read')) throw unauthorized();
      const guild = call.world.guilds.get(call.params.guild_id);
      const member = guild?.members.get(user.id);
      if (!member) throw refusal(Code.UnknownGuild);
      return memberPayload(member);
    },
    { auth: 'any' },
  ),
  route('DELETE', '/users/@me/guilds/{guild_id}', ({ world, params }) => {
    leaveGuild(world, world.guild(params.guild_id), world.bot);
  }),
  route('POST', '/users/@me/channels', ({ world, body }) => {
    const recipientId = fieldsOf(body).requiredString('recipient_id');
    const recipient = world.findUser(recipientId);
    if (!recipient || recipient.id === world.bot.id) throw refusal(Code.InvalidRecipients);
    if (recipient.bot) throw refusal(Code.CannotSendMessagesToThisUser);
    if (!world.dms.has(recipient.id)) world.conversations.open();
    return dmChannelPayload(openDm(world, recipient), recipient);
  }),
];
