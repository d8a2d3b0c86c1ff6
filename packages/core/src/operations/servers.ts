import { z } from 'zod';
import { RCON_COMMAND_BYTES } from '#src/command-policy.ts';
import { GAME_PLATFORMS } from '#src/game-identities.ts';
import { id, Snowflake } from '#src/ids.ts';
import { GAME_SANCTIONS } from '#src/server-templates.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation } from './operation.ts';
import { RconRun, Server, Timestamp, text } from './shapes.ts';

const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;
/** Other control characters than tabs, which policies read as spaces, and U+0000, which no text may contain. */
const CONTROL = /[^\P{Cc}\0\t\n\v\f\r\u0085]/u;

const Command = text(RCON_COMMAND_BYTES)
  .refine(
    (command) => new TextEncoder().encode(command).length <= RCON_COMMAND_BYTES,
    `must have at most ${RCON_COMMAND_BYTES} bytes of UTF-8`,
  )
  .refine((command) => !LINE_BREAK.test(command), 'must be one line')
  // Servers of the Quake family read them as spaces, so a denied command could hide behind one.
  .refine((command) => !CONTROL.test(command), 'must not contain control characters');

/** What is known of who is online: the list, or why there is none. */
export const PLAYERS_STATES = [
  'listed',
  'asked',
  'unreachable',
  'not_allowed',
  'no_command',
  'unreadable',
] as const;

/** Who is online on a game server, as it says itself. */
const Online = z.object({
  server_id: id('server'),
  server_name: z.string(),
  state: z
    .enum(PLAYERS_STATES)
    .describe('`listed`, or why there is no list; `asked`: the server has not answered in time'),
  read_at: Timestamp.nullable().describe('When the server said so'),
  players: z.array(
    z.object({
      name: z.string().describe('What they are called there, which proves nothing'),
      identities: z.array(z.object({ platform: z.enum(GAME_PLATFORMS), in_game_id: z.string() })),
      user_id: Snowflake.nullable().describe('Whose identity it is, for who may read identities'),
    }),
  ),
  more: z.int().min(0).describe('Players beyond those that are listed'),
  unread: z.int().min(0).describe('Players whose lines could not be read'),
});

/** What a game server was told about somebody. */
const Sanctioned = z.object({
  server_id: id('server'),
  in_game_id: z.string(),
  does: z.enum(GAME_SANCTIONS),
  said: z
    .string()
    .describe('The beginning of what the server answered, which tells whether it knew the player'),
  lasts: z.boolean().describe('Whether it stays until somebody lifts it, because its command names no end'),
});

export const servers = {
  'servers.list': operation({
    summary: 'List game servers',
    http: { method: 'GET', path: '/servers', success: 200 },
    tool: { name: 'list_servers' },
    capability: 'servers.read',
    ...list(Server, {
      filters: {},
      asked: {},
      found: [
        {
          id: exampleId('server'),
          name: 'Survival',
          host: 'survival.example',
          port: 25_575,
          reachable: true,
          checked_at: ISSUED_AT,
        },
      ],
    }),
  }),
  'servers.players': operation({
    summary: 'List who is online on a game server',
    // The server is asked for it. A token asks with `servers.rcon` (decisions: Game servers).
    http: null,
    tool: null,
    chat: { command: 'server players', shownTo: 'Administrator' },
    dashboard: { on: 'own_page' },
    capability: 'servers.rcon',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ server_id: id('server') }),
    output: z.object({ online: Online }),
    example: {
      input: { server_id: exampleId('server') },
      output: {
        online: {
          server_id: exampleId('server'),
          server_name: 'Survival',
          state: 'listed',
          read_at: ISSUED_AT,
          players: [
            {
              name: 'BlockBreaker',
              identities: [{ platform: 'minecraft', in_game_id: 'BlockBreaker' }],
              user_id: EXAMPLE_IDS.user,
            },
          ],
          more: 0,
          unread: 0,
        },
      },
    },
    notFound: 'server',
    target: ({ server_id }) => ({ type: 'server', id: server_id }),
  }),
  'servers.rcon': operation({
    summary: 'Run a command on a game server over RCON',
    http: { method: 'POST', path: '/servers/{serverId}/rcon/run', success: 200 },
    tool: { name: 'run_rcon_command' },
    chat: { command: 'rcon', shownTo: 'Administrator' },
    dashboard: { on: 'own_page' },
    capability: 'servers.rcon',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: [],
    input: z.strictObject({
      serverId: id('server'),
      command: Command.describe(`One line of at most ${RCON_COMMAND_BYTES} bytes`),
    }),
    output: z.object({ run: RconRun }),
    example: {
      input: { serverId: exampleId('server'), command: 'say The server restarts in five minutes' },
      output: {
        run: {
          id: exampleId('run'),
          server_id: exampleId('server'),
          output: '[Server] The server restarts in five minutes',
          truncated: false,
          output_bytes: 44,
          duration_ms: 18,
        },
      },
    },
    notFound: 'server',
    sentinel: { template: 'RUN RCON ON SERVER {serverId} IN GUILD {guildId}' },
    sentence: ({ serverId, command }, say) => ({
      command: say.quote(command),
      server: say.name('server', serverId),
    }),
    oneAtATime: ({ serverId }) => serverId,
    target: ({ serverId }) => ({ type: 'server', id: serverId }),
  }),
  'servers.sanction': operation({
    summary: "Carry the kick or ban of a case, or its lifting, to a game server by the server's own command",
    // Over a token the command itself is sent, with its own sentinel (decisions: Game servers).
    http: null,
    tool: null,
    dashboard: { on: 'own_page' },
    capability: 'bans.write',
    tier: 'destructive_write',
    performedBy: 'bot',
    botPermissions: [],
    input: z.strictObject({
      server_id: id('server'),
      user_id: Snowflake.describe('Whom the case is about'),
      identity_id: id('identity').describe('Who they are on the server'),
      case_number: z.int().min(1).describe('The case. Reason and length are its own'),
      does: z.enum(GAME_SANCTIONS),
    }),
    output: z.object({ sanctioned: Sanctioned }),
    example: {
      input: {
        server_id: exampleId('server'),
        user_id: EXAMPLE_IDS.user,
        identity_id: exampleId('identity'),
        case_number: 42,
        does: 'ban',
      },
      output: {
        sanctioned: {
          server_id: exampleId('server'),
          in_game_id: 'BlockBreaker',
          does: 'ban',
          said: 'Banned BlockBreaker: Spam after two strikes',
          lasts: true,
        },
      },
    },
    notFound: 'server',
    sentinel: {
      template: '{KICK or BAN or UNBAN} USER {user_id} ON SERVER {server_id} IN GUILD {guildId}',
      choice: ({ does }) => does.toUpperCase(),
    },
    sentence: ({ server_id, user_id, identity_id, case_number, does }, say) => ({
      does,
      user: say.name('user', user_id),
      identity: identity_id,
      server: say.name('server', server_id),
      number: String(case_number),
    }),
    oneAtATime: ({ server_id }) => server_id,
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
};
