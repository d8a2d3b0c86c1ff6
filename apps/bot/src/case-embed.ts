import { caseKind, caseState } from '@bailiff/core';
import type { PostedCase } from '@bailiff/engine/cases/case-posts';
import { type Locale, sayCase, sayUndelivered, translator } from '@bailiff/messages';
import { lengthIn } from '@bailiff/messages/lengths';
import { type APIEmbed, type APIEmbedField, messageLink } from 'discord.js';
import type { Words } from './blocked-text.ts';
import { moment, quoted } from './chat/text.ts';

/** The colour of what is over, and of what is told besides cases. */
export const COLOUR_OVER = 0x6b7280;
const LONGEST_REASON = 900;
/** Messages and names of files that are shown of one case. */
const MOST_LINKS = 5;
const MOST_NAMES = 300;

/** A case as the log channel shows it, with its id as the footer: the message is found again by that. */
export function caseEmbed(shown: PostedCase, locale: Locale, words: Words): APIEmbed {
  const t = translator(locale, 'notices');
  const field = (name: string, value: string, inline = true): APIEmbedField => ({ name, value, inline });
  const source = t('log.source', {
    source: shown.actor_source ?? 'none',
    name: quoted(words(shown.token_name ?? ''), 100),
  });
  return {
    title: t('log.title', {
      number: String(shown.case_number),
      kind: sayCase(locale, shown),
    }),
    color: shown.active ? caseKind(shown.kind).colour : COLOUR_OVER,
    fields: [
      field(t('log.user'), `<@${shown.user_id}>\n${shown.user_id}`),
      field(t('log.by'), `<@${shown.issued_by}>`),
      field(t('log.from'), source),
      ...lengthFields(shown, locale).map(([name, value]) => field(name, value)),
      ...(shown.reason === null
        ? []
        : [field(t('log.reason'), quoted(words(shown.reason), LONGEST_REASON), false)]),
      ...attached(shown, locale, words).map(([name, value]) => field(name, value, false)),
      ...changed(shown, locale).map(([name, value]) => field(name, value)),
      ...undelivered(shown, locale).map(([name, value]) => field(name, value, false)),
      ...ledTo(shown, locale).map(([name, value]) => field(name, value, false)),
      ...endOf(shown, locale, words).map(([name, value]) => field(name, value, false)),
    ],
    footer: { text: shown.id },
    timestamp: shown.issued_at.toISOString(),
  };
}

type Named = readonly [name: string, value: string];

function lengthFields({ kind, duration_minutes, expires_at }: PostedCase, locale: Locale): Named[] {
  const t = translator(locale, 'notices');
  if (caseKind(kind).term === 'none') return [];
  if (expires_at === null) return [[t('log.length'), t('log.permanent')]];
  const length = duration_minutes === null ? [] : [lengthIn(locale, duration_minutes * 60)];
  return [[t('log.length'), [...length, moment(expires_at.toISOString(), 'f')].join('\n')]];
}

/** The messages that a case is about, and what became of its files. */
function attached({ messages, evidence, guild_id }: PostedCase, locale: Locale, words: Words): Named[] {
  const t = translator(locale, 'notices');
  const links = messages
    .slice(-MOST_LINKS)
    .map(({ channel_id, message_id }) => messageLink(channel_id, message_id, guild_id));
  const { kept, fetching, missing } = evidence;
  const files = [
    kept === 0 ? '' : t('log.evidenceKept', { count: kept }),
    fetching === 0 ? '' : t('log.evidenceFetching', { count: fetching }),
    missing.length === 0
      ? ''
      : t('log.evidenceMissing', { names: quoted(words(missing.join(', ')), MOST_NAMES) }),
  ].filter(Boolean);
  return [
    ...(links.length === 0 ? [] : [[t('log.message'), links.join('\n')] as const]),
    ...(files.length === 0 ? [] : [[t('log.evidence'), files.join('. ')] as const]),
  ];
}

function changed({ changed: latest }: PostedCase, locale: Locale): Named[] {
  if (latest === null) return [];
  const t = translator(locale, 'notices');
  const told = { by: `<@${latest.by}>`, date: moment(new Date(latest.at).toISOString(), 'f') };
  return [[t('log.changed'), t('log.endedBy', { ...told, reasoned: 'no', reason: '' })]];
}

function undelivered({ notice, user_id }: PostedCase, locale: Locale): Named[] {
  const said = notice === null ? null : sayUndelivered(locale, notice, `<@${user_id}>`);
  return said === null ? [] : [[translator(locale, 'notices')('log.notice'), said]];
}

function ledTo({ led_to: sanction }: PostedCase, locale: Locale): Named[] {
  if (sanction === null) return [];
  const t = translator(locale, 'notices');
  const kind = sayCase(locale, { kind: sanction.kind, severity: null });
  return [[t('log.ledTo'), t('log.title', { number: String(sanction.case_number), kind })]];
}

/** How a case that is not in force ended. */
function endOf(shown: PostedCase, locale: Locale, words: Words): Named[] {
  const { ended_at, ended_by, end_reason, expires_at } = shown;
  const t = translator(locale, 'notices');
  const state = caseState(shown, shown.is_replaced);
  if (state === 'onRecord' || state === 'inForce') return [];
  if (ended_at === null || state === 'expired') {
    const at = expires_at ?? ended_at;
    return at === null ? [] : [[t('log.expired'), moment(at.toISOString(), 'f')]];
  }
  const by = ended_by === null ? translator(locale, 'chat')('cases.someone') : `<@${ended_by}>`;
  const date = moment(ended_at.toISOString(), 'f');
  if (state === 'replaced') {
    const told = t('log.endedBy', { by, date, reasoned: 'no', reason: '' });
    return [[translator(locale, 'standing')(state), told]];
  }
  const reasoned = end_reason === null ? 'no' : 'yes';
  const reason = end_reason === null ? '' : quoted(words(end_reason), LONGEST_REASON);
  return [[t(`log.${state}`), t('log.endedBy', { by, date, reasoned, reason })]];
}
