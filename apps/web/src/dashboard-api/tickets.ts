import { ApiError, TicketSettingsInput } from '@bailiff/core';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { sharedTranscript } from '@bailiff/engine/tickets/shared-transcripts';
import { requireTickets } from '@bailiff/engine/tickets/ticket-list';
import { updateTicketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { transcriptPage } from '@bailiff/engine/tickets/transcript-page';
import { numberOf } from '#src/page-query.ts';
import { beginOnly, download } from './downloads.ts';
import { bodyOf } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

export const ticketRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: '/api/guilds/{guildId}/ticket-settings',
    handle: async ({ db }, request) => {
      const wanted = await bodyOf(request, TicketSettingsInput);
      return json(200, await updateTicketSettings(db, request.call, request.params.guildId ?? '', wanted));
    },
  },
  { method: 'GET', path: '/api/guilds/{guildId}/tickets/{number}/transcript', handle: fetchTranscript },
];

/** The transcript of a ticket as its opener gets it, in the guild's language. */
async function fetchTranscript({ db }: DashboardContext, request: DashboardRequest): Promise<Response> {
  const guild = await memberedGuild(db, request);
  requireTickets(guild);
  const number = numberOf(request.params.number ?? '');
  const end = beginOnly(db, request.session.userId, guild.id);
  try {
    const shared = number === undefined ? null : await sharedTranscript(db, guild.id, number);
    if (shared === null)
      throw new ApiError('NOT_FOUND', 'There is no such ticket, or it has no transcript yet.');
    const { language } = await guildSettings(db, guild.id);
    const file = { name: `ticket-${shared.number}.html`, type: 'text/html' };
    const answer = download(once(transcriptPage(shared, language)), file, end);
    // Strangers wrote it, so a browser that shows it all the same runs nothing in it.
    answer.headers.set('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'");
    answer.headers.set('X-Content-Type-Options', 'nosniff');
    return answer;
  } catch (error) {
    end();
    throw error;
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
