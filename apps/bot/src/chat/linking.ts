import { randomBytes } from 'node:crypto';
import { callOf, type InputOf, LINK_CODE_BYTES, linkCodeFromBytes, type OutputOf } from '@bailiff/core';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { linkToConfirm } from '@bailiff/engine/servers/link-codes';
import { type Locale, translator } from '@bailiff/messages';
import { type ButtonInteraction, ButtonStyle, ComponentType } from 'discord.js';
import { type Answerable, type Answering, fulfil, languageOf, takePress, type Where } from './answering.ts';
import type { Reply } from './answers.ts';
import { moment, quoted } from './text.ts';

/** Longer than every identity. */
const WHOLE = 100;

const BUTTON = 'link:';

/** The code for a member who links an identity. Undefined for every other operation. */
export function linkCodeFor(operation: string): string | undefined {
  return operation === 'identities.link' ? linkCodeFromBytes(randomBytes(LINK_CODE_BYTES)) : undefined;
}

/** What a member reads who asked for a code. */
export function linkText(
  locale: Locale,
  { platform, in_game_id, expires_at }: OutputOf<'identities.link'>['link'],
  code = '',
): string {
  return translator(locale, 'operations')('identities.link.done', {
    code,
    identity: quoted(in_game_id, WHOLE),
    platform: translator(locale, 'commands')(`choices.${platform}`),
    until: moment(expires_at, 'R'),
  });
}

/** What a moderator reads who confirmed a code. */
export function confirmedText(
  locale: Locale,
  { user_id, platform, in_game_id }: OutputOf<'identities.confirm'>['identity'],
): string {
  return translator(locale, 'operations')('identities.confirm.done', {
    user: `<@${user_id}>`,
    identity: quoted(in_game_id, WHOLE),
    platform: translator(locale, 'commands')(`choices.${platform}`),
  });
}

/**
 * The question whether this player showed the code. Without it a member could name somebody else's identity, show the
 * code as themselves, and the moderator would learn too late whose it was.
 */
export async function linkQuestion(
  { engine, links }: Answering,
  interaction: Answerable,
  input: InputOf<'identities.confirm'>,
): Promise<Reply> {
  const { guildId, user, createdTimestamp } = interaction;
  const locale = languageOf(interaction);
  const t = translator(locale, 'identities');
  const link = { link_id: input.link_id, user_id: input.linked_user_id };
  const { platform, in_game_id } = await linkToConfirm(engine.db, guildId, link);
  const button = {
    type: ComponentType.Button,
    style: ButtonStyle.Success,
    label: t('confirm'),
    custom_id: `${BUTTON}${links.ask(user.id, createdTimestamp, input)}`,
  } as const;
  return {
    content: t('question', {
      user: `<@${input.linked_user_id}>`,
      identity: quoted(in_game_id, WHOLE),
      platform: translator(locale, 'commands')(`choices.${platform}`),
    }),
    components: [{ type: ComponentType.ActionRow, components: [button] }],
  };
}

/** The id in the custom id of the button of that question. Null for another button. */
export function linkOfButton(customId: string): string | null {
  return customId.startsWith(BUTTON) ? customId.slice(BUTTON.length) : null;
}

/** Confirms what the moderator was asked about. */
export async function pressedLink(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  id: string,
): Promise<void> {
  const locale = languageOf(interaction);
  const t = translator(locale, 'escalation');
  const input = await takePress(interaction, deps.links, id, t('lapsed'));
  if (input === null) return;
  await fulfil(deps, interaction, 'identities.confirm', async (requestId) => {
    const { guildId, user } = interaction;
    const actor = { source: 'chat', userId: user.id } as const;
    const call = { ...callOf('identities.confirm', input), guildId, actor, requestId, address: null };
    const { body } = await performForPerson(deps.engine, call);
    return { content: confirmedText(locale, body.identity) };
  });
}
