import { TicketSettingsInput } from '@bailiff/core';
import { updateTicketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { bodyOf } from './input.ts';
import { json, type Route } from './route.ts';

export const ticketRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: '/api/guilds/{guildId}/ticket-settings',
    handle: async ({ db }, request) => {
      const wanted = await bodyOf(request, TicketSettingsInput);
      return json(200, await updateTicketSettings(db, request.call, request.params.guildId ?? '', wanted));
    },
  },
];
