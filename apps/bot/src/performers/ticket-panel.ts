import { notFound } from '@bailiff/engine/calls/action-errors';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type Locale, translator } from '@bailiff/messages';
import { type APIMessage, ButtonStyle, RESTJSONErrorCodes as Code, ComponentType, Routes } from 'discord.js';
import { requireAccess } from '#src/channel-access.ts';
import { performerOf, Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { guildLocale } from './guild-locale.ts';

/** Prefix of the custom id of a panel's button. The id of the action that posted it follows. */
export const OPEN_TICKET_BUTTON = 'ticket:open:';

const LATEST = 50;

/** Posts a message with a button that opens tickets. */
export function postTicketPanel(deps: PerformerDeps): Performer<'tickets.panel'> {
  return performerOf(deps, (action) => {
    const { channel_id } = action.input;
    const customId = `${OPEN_TICKET_BUTTON}${action.id}`;
    const place = { guildId: action.guildId, channelId: channel_id };
    return {
      check: async (signal) => {
        const found = await requireAccess(deps, { ...place, signal }, 'ViewChannel', 'SendMessages');
        return 'refusal' in found ? new Refusal(found.refusal) : null;
      },
      send: async (_seen, signal) => {
        const body = panel(customId, await guildLocale(deps, action.guildId));
        const posted = await deps.api.send('POST', Routes.channelMessages(channel_id), { signal, body });
        return { messageId: (posted as APIMessage).id };
      },
      look: async (_seen, signal) => {
        const messages = await deps.api.get<APIMessage[]>(Routes.channelMessages(channel_id), {
          signal,
          query: { limit: String(LATEST) },
        });
        const posted = messages.find((message) => hasButton(message, customId));
        if (posted !== undefined) return { messageId: posted.id };
        if (messages.length > 0) return null;
        // Discord shows who may not read there no messages, as if there were none.
        const found = await requireAccess(deps, { ...place, signal }, 'ViewChannel', 'ReadMessageHistory');
        return 'refusal' in found ? 'unclear' : null;
      },
      refusal: ({ code }) => (code === Code.UnknownChannel ? notFound('channel', channel_id) : null),
      record: async ({ messageId }) => ({ panel: { channel_id, message_id: messageId } }),
    };
  });
}

function panel(customId: string, locale: Locale): object {
  const t = translator(locale, 'notices');
  const button = {
    type: ComponentType.Button,
    style: ButtonStyle.Primary,
    label: t('tickets.panelButton'),
    custom_id: customId,
  };
  return {
    content: t('tickets.panel'),
    components: [{ type: ComponentType.ActionRow, components: [button] }],
  };
}

export function hasButton({ components = [] }: APIMessage, customId: string): boolean {
  return components.some(
    (row) =>
      row.type === ComponentType.ActionRow &&
      row.components.some((component) => 'custom_id' in component && component.custom_id === customId),
  );
}
