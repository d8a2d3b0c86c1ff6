import { objectIn } from './bailiff.ts';
import { jsonObjects } from './parts.ts';
import { caseWithText, piecesOf, type SourceLine, type SourceRow, utc } from './source-row.ts';

/** `PunishmentType` of MASZ: its number, or its name. */
const KINDS: Readonly<Record<string, string>> = {
  0: 'warning',
  1: 'mute',
  2: 'kick',
  3: 'ban',
  none: 'warning',
  warn: 'warning',
  mute: 'mute',
  kick: 'kick',
  ban: 'ban',
};

/**
 * The cases that MASZ answers to `GET /api/v1/guilds/{guildId}/cases` (`CaseView`): one list, several one after the
 * other, or one case a line. MASZ has no export of its own.
 *
 * @param now when the file is read: MASZ calls a ban or mute inactive when somebody lifted it, and also when it is over
 */
export async function* readMaszCases(chunks: AsyncIterable<string>, now: Date): AsyncGenerator<SourceLine> {
  for await (const { line, text } of jsonObjects(chunks, 'list or lines')) {
    if (text === null) {
      yield { line, problem: 'too_long' };
      continue;
    }
    const value = objectIn(text);
    const number = value?.caseId;
    if (value === null || typeof number !== 'number') yield { line, problem: 'unreadable' };
    else if (typeof value.markedToDeleteAt === 'string') yield { line, problem: 'left_out' };
    else for (const row of rowsOf(String(number), value, now)) yield { line, row };
  }
}

function rowsOf(id: string, masz: Readonly<Record<string, unknown>>, now: Date): SourceRow[] {
  const punishment = String(masz.punishmentType).toLowerCase();
  const kind = KINDS[punishment] ?? punishment;
  const until = utc(masz.punishedUntil) ?? null;
  const wouldLast = typeof until !== 'string' || Date.parse(until) > now.getTime();
  const hasTerm = kind === 'ban' || kind === 'mute';
  const isLifted = masz.punishmentActive === false && hasTerm && wouldLast;
  const [label] = Array.isArray(masz.labels) ? masz.labels : [];
  const texts = [masz.title, masz.description].filter((text) => typeof text === 'string');
  return caseWithText(
    {
      type: 'case',
      id,
      kind,
      user_id: masz.userId,
      issued_by: masz.modId,
      issued_at: utc(masz.occuredAt ?? masz.createdAt),
      ...(hasTerm ? { expires_at: until } : {}),
      ...(isLifted ? { ended_at: utc(masz.lastEditedAt), ended_by: masz.lastEditedByModId } : {}),
      ...(typeof label === 'string' && label !== '' ? { category: piecesOf(label, 64)[0] } : {}),
    },
    [...new Set(texts)].join('\n'),
  );
}
