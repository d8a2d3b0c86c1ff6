import { ApiError, type InputOf, type OutputOf, renamed, wholeName } from '@bailiff/core';
import { readForPerson } from '@bailiff/engine/calls/read-call';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import { moment, quoted } from './text.ts';

type Event = OutputOf<'members.events'>['data'][number];

/** Most events beneath a history, where the cases come first. */
const MOST_BENEATH = 4;
const MOST_OF_A_NAME = 70;

interface Asking {
  readonly guildId: string;
  readonly userId: string;
  readonly requestId: string;
}

/** When somebody joined and left and their earlier names, for the end of their history. Null if none is known. */
export async function membershipBeneath(
  engine: Engine,
  { user_id }: InputOf<'cases.list'>,
  locale: Locale,
  asking: Asking,
): Promise<string | null> {
  const events = await eventsFor(engine, user_id, asking);
  if (events.length === 0) return null;
  const t = translator(locale, 'chat');
  const lines = events.slice(0, MOST_BENEATH).map((event) => eventLine(locale, event));
  const left = events.length - lines.length;
  const more = left === 0 ? [] : [t('membership.more', { count: left })];
  return [t('membership.head', { who: `<@${user_id}>` }), ...lines, ...more].join('\n');
}

function eventLine(locale: Locale, event: Event): string {
  const t = translator(locale, 'chat');
  const shown = (name: string | null) => quoted(name ?? '', MOST_OF_A_NAME);
  const when = moment(event.at, 'f');
  if (event.kind === 'left') return t('membership.left', { when });
  if (event.kind === 'renamed') {
    const { from, to } = renamed(event);
    return t('membership.renamed', { when, from: shown(from), to: shown(to) });
  }
  const missed = event.missed_leave ? 'yes' : 'no';
  return t('membership.joined', { when, name: shown(wholeName(event)), missed });
}

/** Nothing for readers who may not see members. */
async function eventsFor(engine: Engine, userId: string, asking: Asking): Promise<readonly Event[]> {
  try {
    const read = { operation: 'members.events', input: { userId }, ...asking } as const;
    return (await readForPerson(engine, read)).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CAPABILITY_DENIED') return [];
    throw error;
  }
}
