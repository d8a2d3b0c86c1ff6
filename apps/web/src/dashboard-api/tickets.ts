import { ApiError, TicketSettingsInput } from '@bailiff/core';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { turnOfExport } from '@bailiff/engine/imports/archive-export';
import { sharedTranscript } from '@bailiff/engine/tickets/shared-transcripts';
import { requireTickets, ticketFile } from '@bailiff/engine/tickets/ticket-list';
import { updateTicketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { transcriptPage } from '@bailiff/engine/tickets/transcript-page';
import type { Database } from '@bailiff/prisma';
import { numberOf } from '#src/page-query.ts';
import { beginOnly, download, stillSignedIn } from './downloads.ts';
import { bodyOf } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

export const ticketRoutes: readonly Route[] = [
  {
    method: 'PATCH',
    path: '/api/guilds/{guildId}/ticket-settings',
    handle: async ({ db }, request) => {
      const changes = await bodyOf(request, TicketSettingsInput);
      return json(200, await updateTicketSettings(db, request.call, request.params.guildId ?? '', changes));
    },
  },
  { method: 'GET', path: '/api/guilds/{guildId}/tickets/{number}/transcript', handle: fetchTranscript },
];

/** The transcript of a ticket as its opener gets it, in the guild's language. */
async function fetchTranscript(context: DashboardContext, request: DashboardRequest): Promise<Response> {
  const { db } = context;
  const guild = await memberedGuild(db, request);
  requireTickets(guild);
  const number = numberOf(request.params.number ?? '');
  const file = number === undefined ? null : await ticketFile(db, guild, number);
  if (file === null || file.messages === 0) throw noTranscript();
  const mayGoOn = async () => {
    await stillSignedIn(context, request);
    requireTickets(await memberedGuild(db, request));
  };
  const end = beginOnly(db, request.session.userId, guild.id);
  const answer = download(
    textOf(db, guild.id, file.ticket.number),
    { name: `ticket-${file.ticket.number}.html`, type: 'text/html', mayGoOn },
    end,
  );
  // Strangers wrote it, so a browser that shows it all the same runs nothing in it.
  answer.headers.set('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'");
  answer.headers.set('X-Content-Type-Options', 'nosniff');
  return answer;
}

/** The file, made step by step in the turns of exports: of a long transcript, the whole is seconds of work. */
async function* textOf(db: Database, guildId: string, number: number): AsyncGenerator<string> {
  const turn = turnOfExport(db, guildId);
  const shared = await turn(() => sharedTranscript(db, guildId, number));
  if (shared === null) throw noTranscript();
  const { language } = await guildSettings(db, guildId);
  yield await transcriptPage(shared, language, (work) => turn(async () => work()));
}

function noTranscript(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such ticket, or it has no transcript yet.');
}
