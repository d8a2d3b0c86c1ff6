import { z } from 'zod';
import { RCON_COMMAND_BYTES } from '#src/command-policy.ts';
import { id } from '#src/ids.ts';
import { exampleId, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation } from './operation.ts';
import { RconRun, Server, text } from './shapes.ts';

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

export const servers = {
  'servers.list': operation({
    summary: 'List game servers',
    http: { method: 'GET', path: '/servers', success: 200 },
    tool: { name: 'list_servers' },
    capability: 'servers.read',
    ...list(Server, {}),
    example: {
      input: { limit: 10 },
      output: {
        data: [
          {
            id: exampleId('server'),
            name: 'Survival',
            host: 'survival.example',
            port: 25_575,
            reachable: true,
            checked_at: ISSUED_AT,
          },
        ],
        next_cursor: null,
      },
    },
    target: () => null,
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
};
