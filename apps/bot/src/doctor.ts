import { BOT_PERMISSIONS, DISCORD_PERMISSIONS, type DiscordPermission, permissionTitle } from '@bailiff/core';
import {
  type APIApplication,
  type APIApplicationCommand,
  type APIGuildMember,
  type APIRole,
  type APIUser,
  ApplicationFlags,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord.js';
import pino from 'pino';
import { areOurs } from './chat/register.ts';
import { createDiscordApi, type DiscordApi, DiscordFailure } from './discord-api.ts';
import { hasMessageContent } from './message-content.ts';

/** One thing that was looked at. A note needs nobody to do anything. */
export interface Finding {
  readonly subject: string;
  readonly level: 'ok' | 'note' | 'wrong';
  /** What is so and, if it is wrong, what to do. */
  readonly text: string;
}

export interface DiscordSettings {
  readonly token: string;
  readonly clientId: string;
  /** Without the version: `https://discord.com/api`. */
  readonly apiUrl: string;
  /** Where Discord sends people who have signed in. */
  readonly redirectUri: string;
  /** The guilds to check. Empty: all, as far as there are not too many. */
  readonly guildIds: readonly string[];
  /** The time here, in milliseconds. */
  readonly now?: () => number;
}

const TIMEOUT_MS = 60_000;
/** Two requests for each guild. */
const MOST_GUILDS = 100;
const PAGE = 200;
/** Discord says the time in whole seconds. */
const MOST_CLOCK_ERROR_MS = 5_000;
const MOST_ROLES_NAMED = 5;
const WITH_MEMBERS = ApplicationFlags.GatewayGuildMembers | ApplicationFlags.GatewayGuildMembersLimited;

const ok = (subject: string, text: string): Finding => ({ subject, level: 'ok', text });
const note = (subject: string, text: string): Finding => ({ subject, level: 'note', text });
const wrong = (subject: string, text: string): Finding => ({ subject, level: 'wrong', text });

/**
 * What Discord knows of the application and its guilds, compared with what Bailiff needs. It changes nothing, and takes
 * no session of the gateway. If Discord cannot be asked for something, that is a finding too.
 */
export async function checkDiscord(settings: DiscordSettings): Promise<Finding[]> {
  const api = createDiscordApi({ ...settings, log: pino({ level: 'silent' }) });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const asked = { api, signal };
  const clock = await checkClock(settings, signal);
  let bot: APIUser;
  let application: APIApplication;
  try {
    bot = await api.get<APIUser>(Routes.user('@me'), { signal });
    application = await api.get<APIApplication>(Routes.currentApplication(), { signal });
  } catch (error) {
    return [...clock, tokenFailure(error)];
  }
  return [
    ...clock,
    ok('Token', `Discord knows it as ${bot.username}.`),
    ...checkApplication(application, settings),
    ...(await saying('Commands', () => checkCommands(asked, application.id))),
    ...(await saying('Guilds', () => checkGuilds(asked, bot.id, settings.guildIds))),
  ];
}

interface Asked {
  readonly api: DiscordApi;
  readonly signal: AbortSignal;
}

/** The findings, or the one that Discord could not be asked. */
async function saying(subject: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    return [wrong(subject, `Discord did not tell (${error.message}). Try again in a minute.`)];
  }
}

function tokenFailure(error: unknown): Finding {
  if (!(error instanceof DiscordFailure)) throw error;
  if (error.status !== 401)
    return wrong('Discord', `It cannot be asked (${error.message}). Check the network and DISCORD_API_URL.`);
  return wrong(
    'Token',
    'Discord does not accept DISCORD_TOKEN. Copy the token from the Bot page of the application, or reset it there.',
  );
}

async function checkClock(
  { apiUrl, now = Date.now }: DiscordSettings,
  signal: AbortSignal,
): Promise<Finding[]> {
  const sentAt = now();
  const date = await fetch(`${apiUrl}/v10/gateway`, { signal }).then(
    async (answer) => {
      await answer.body?.cancel();
      return Date.parse(answer.headers.get('Date') ?? '');
    },
    () => Number.NaN,
  );
  if (Number.isNaN(date)) return []; // what follows says that Discord cannot be asked
  // The answer was written at some time between the two.
  const errorMs = Math.max(sentAt - date - 1000, date - now(), 0);
  if (errorMs <= MOST_CLOCK_ERROR_MS) return [ok('Clock', 'It agrees with that of Discord.')];
  const seconds = Math.round(errorMs / 1000);
  return [
    wrong(
      'Clock',
      `It differs from Discord's by ${seconds} s, so tokens and mutes end at wrong times. Switch on time ` +
        'synchronization (NTP) on this machine.',
    ),
  ];
}

function checkApplication(application: APIApplication, settings: DiscordSettings): Finding[] {
  const portal = `https://discord.com/developers/applications/${application.id}`;
  const { flags = 0, redirect_uris: redirects = [] } = application;
  return [
    application.id === settings.clientId
      ? ok('Application', application.name)
      : wrong(
          'Application',
          `DISCORD_TOKEN is that of the application ${application.id}, and DISCORD_CLIENT_ID is ${settings.clientId}. ` +
            'Copy both from the same application.',
        ),
    (flags & WITH_MEMBERS) !== 0
      ? ok('Server Members Intent', 'It is switched on.')
      : wrong('Server Members Intent', `Switch it on at ${portal}/bot. The bot cannot connect without it.`),
    hasMessageContent(application)
      ? ok('Message Content Intent', 'It is switched on.')
      : note(
          'Message Content Intent',
          `It is switched off, so purges cannot select by text or archive it. Switch it on at ${portal}/bot if you want that.`,
        ),
    application.bot_require_code_grant === true
      ? wrong(
          'Invitation',
          `Switch "Requires OAuth2 Code Grant" off at ${portal}/bot: with it nobody can add the bot.`,
        )
      : ok('Invitation', 'People can add the bot to their guilds.'),
    redirects.includes(settings.redirectUri)
      ? ok('Redirect', settings.redirectUri)
      : wrong(
          'Redirect',
          `Nobody can sign in: add ${settings.redirectUri} under Redirects at ${portal}/oauth2, or correct PUBLIC_URL ` +
            'or DASHBOARD_URL.',
        ),
  ];
}

async function checkCommands({ api, signal }: Asked, applicationId: string): Promise<Finding[]> {
  const registered = await api.get<APIApplicationCommand[]>(Routes.applicationCommands(applicationId), {
    signal,
    query: { with_localizations: 'true' },
  });
  return areOurs(registered)
    ? [ok('Commands', `${registered.length} are registered.`)]
    : [
        wrong(
          'Commands',
          'Those of this release are not registered. Start the bot: it registers them by itself.',
        ),
      ];
}

async function checkGuilds(asked: Asked, botId: string, only: readonly string[]): Promise<Finding[]> {
  const guilds = await guildsOfBot(asked);
  if (guilds.length === 0)
    return [note('Guilds', 'The bot is in none yet. Choose "Add Bailiff to a guild" in the dashboard.')];
  const absent = only.filter((id) => guilds.every((guild) => guild.id !== id));
  const wanted = only.length === 0 ? guilds : guilds.filter(({ id }) => only.includes(id));
  const findings = absent.map((id) => wrong(`Guild ${id}`, 'The bot is not in it. Add it in the dashboard.'));
  for (const guild of wanted.slice(0, MOST_GUILDS)) {
    findings.push(checkPermissions(guild), await checkRole(asked, botId, guild));
  }
  const others = wanted.length - MOST_GUILDS;
  if (others > 0) findings.push(note('Guilds', `${others} more were not checked. Name those that you mean.`));
  return findings;
}

async function guildsOfBot({ api, signal }: Asked): Promise<RESTAPIPartialCurrentUserGuild[]> {
  const found: RESTAPIPartialCurrentUserGuild[] = [];
  for (;;) {
    const query = { limit: String(PAGE), after: found.at(-1)?.id ?? '0' };
    const page = await api.get<RESTAPIPartialCurrentUserGuild[]>(Routes.userGuilds(), { signal, query });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}

const named = ({ id, name }: { id: string; name: string }) => `Guild ${JSON.stringify(name)} (${id})`;

function checkPermissions(guild: RESTAPIPartialCurrentUserGuild): Finding {
  const has = BigInt(guild.permissions);
  const missing = (Object.keys(DISCORD_PERMISSIONS) as DiscordPermission[]).filter((name) => {
    const bit = DISCORD_PERMISSIONS[name];
    return (BOT_PERMISSIONS & bit) !== 0n && (has & (bit | DISCORD_PERMISSIONS.Administrator)) === 0n;
  });
  if (missing.length === 0) return ok(named(guild), 'The bot has every permission that it needs.');
  const names = missing.map((name) => permissionTitle(name)).join(', ');
  return wrong(
    named(guild),
    `The bot lacks ${names}. Grant them to its role in Server Settings, Roles, or invite it again from the dashboard.`,
  );
}

/** The bot can act only on people whose roles are all below its own. */
async function checkRole(
  { api, signal }: Asked,
  botId: string,
  guild: RESTAPIPartialCurrentUserGuild,
): Promise<Finding> {
  const [roles, member] = await Promise.all([
    api.get<APIRole[]>(Routes.guildRoles(guild.id), { signal }),
    api.get<APIGuildMember>(Routes.guildMember(guild.id, botId), { signal }),
  ]);
  const rank = Math.max(
    0,
    ...roles.filter(({ id }) => member.roles.includes(id)).map((role) => role.position),
  );
  const others = roles.filter(({ id, managed }) => id !== guild.id && !managed && !member.roles.includes(id));
  const above = others.filter(({ position }) => position >= rank);
  if (above.length === 0) return ok(named(guild), 'The role of the bot is above all others.');
  const list = above
    .toSorted((a, b) => b.position - a.position)
    .slice(0, MOST_ROLES_NAMED)
    .map(({ name }) => JSON.stringify(name))
    .join(', ');
  const more = above.length > MOST_ROLES_NAMED ? ` and ${above.length - MOST_ROLES_NAMED} more` : '';
  return above.length === others.length
    ? wrong(
        named(guild),
        'The role of the bot is below all others, so it can act on nobody who has one. Drag it up in Server Settings, Roles.',
      )
    : note(named(guild), `The bot cannot act on people with ${list}${more}: these roles are above its own.`);
}
