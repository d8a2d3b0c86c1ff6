import type { InputOf } from '@bailiff/core';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { type Locale, sayError, translator } from '@bailiff/messages';
import { type APIMessage, ButtonStyle, ComponentType } from 'discord.js';
import type { AccessDeps } from '#src/channel-access.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { purgeFailure, purgeRefusal } from '#src/performers/purge-access.ts';
import { type Selection, selectMessages } from '#src/performers/purge-selection.ts';
import type { Reply } from './answers.ts';
import { InputProblem } from './read-input.ts';

export type PurgeInput = InputOf<'messages.purge'>;

const BUTTON = 'purge:';
/** Discord admits one page of a hundred messages a second, and the answer can wait. */
const COUNT_TIMEOUT_MS = 45_000;

/** The id in the custom id of a purge's button. Null for another button. */
export function purgeOfButton(customId: string): string | null {
  return customId.startsWith(BUTTON) ? customId.slice(BUTTON.length) : null;
}

/** A purge of this message and all later ones, as far as one purge reaches. */
export function purgeFrom(message: { id: string; channelId: string }): PurgeInput {
  const after = String(BigInt(message.id) - 1n);
  return { channel_id: message.channelId, count: 1000, after, include_pinned: false };
}

/**
 * The messages that a purge would delete, as a purge between the first and the last of them, so that it does not
 * include messages written after the question. Null if there are none.
 *
 * @throws InputProblem if Discord does not let the bot look
 */
export async function countPurge(
  deps: AccessDeps,
  { guildId, input, locale }: { guildId: string; input: PurgeInput; locale: Locale },
): Promise<{ selection: Selection; counted: PurgeInput | null }> {
  const signal = AbortSignal.timeout(COUNT_TIMEOUT_MS);
  const problem = (error: ActionError) => new InputProblem(sayError(translator(locale, 'errors'), error));
  try {
    const refusal = await purgeRefusal(deps, { guildId, input }, signal);
    if (refusal !== null) throw problem(refusal);
    const selection = await selectMessages(deps.api, input, signal);
    return { selection, counted: between(input, selection.messages) };
  } catch (error) {
    throw error instanceof DiscordFailure ? problem(purgeFailure(error, input.channel_id)) : error;
  }
}

function between(input: PurgeInput, selected: readonly APIMessage[]): PurgeInput | null {
  const [newest] = selected;
  const oldest = selected.at(-1);
  if (newest === undefined || oldest === undefined) return null;
  return {
    ...input,
    count: selected.length,
    before: String(BigInt(newest.id) + 1n),
    after: String(BigInt(oldest.id) - 1n),
  };
}

/** The question with its button, or an answer that there is nothing to delete. */
export function questionOf(
  locale: Locale,
  channelId: string,
  selection: Selection,
  buttonId: string | null,
): Reply {
  const t = translator(locale, 'chat');
  const { skippedPinned: pinned, skippedTooOld: old } = selection;
  const channel = `<#${channelId}>`;
  const spared = [
    pinned === 0 ? [] : [t('purge.pinned', { count: pinned })],
    old === 0 ? [] : [t('purge.old', { count: old })],
  ]
    .flat()
    .join(' ');
  if (buttonId === null) return { content: [t('purge.nothing', { channel }), spared].join(' ').trim() };
  const count = selection.messages.length;
  return {
    content: t('purge.question', { count, channel, spared: spared === '' ? 'none' : spared }),
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.Button,
            style: ButtonStyle.Danger,
            label: t('purge.button', { count }),
            custom_id: `${BUTTON}${buttonId}`,
          },
        ],
      },
    ],
  };
}
