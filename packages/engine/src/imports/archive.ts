import { ARCHIVE_FORMAT, ARCHIVE_VERSION, MOST_MESSAGES_OF_CASE } from '@bailiff/core';
import { MOST_PART_CHARACTERS } from '@bailiff/core/imports';
import {
  CaseKind,
  type Database,
  EvidenceProblem,
  GamePlatform,
  type RowOf,
  StrikeSeverity,
  sql,
} from '@bailiff/prisma';
import { appealSettings } from '#src/appeals/settings.ts';
import { escalationPolicy, escalationWire } from '#src/cases/escalation.ts';
import { listPresets, presetWire } from '#src/cases/presets.ts';
import { guildSettings } from '#src/guilds/guild-settings.ts';
import { listGrants } from '#src/guilds/guilds.ts';
import { ticketSettings } from '#src/tickets/ticket-settings.ts';
import { filled, idInArchive, iso, pages, ROWS_OF_A_STEP, type Turn } from './archive-lines.ts';
import { ticketLines } from './archived-tickets.ts';

/**
 * The lines of a guild's archive (docs/archive-format.md), in steps. Each step is a statement of its own, which begins
 * when the lines before are taken: however much there is, little of it is in memory. What changes meanwhile may be in it
 * or not.
 */
export async function* archiveOf(
  db: Database,
  guildId: string,
  at: Date,
  turn: Turn,
): AsyncGenerator<readonly object[]> {
  yield [
    { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, guild_id: guildId, exported_at: at.toISOString() },
  ];
  yield await turn(() => settingLines(db, guildId));
  const cases = (after: number) => turn(() => casesAfter.all(db.pool, [guildId, after]));
  for await (const rows of pages(cases, 0, ({ number }) => number)) yield rows.map(caseLine);
  const notes = (after: string) => turn(() => notesAfter.all(db.pool, [guildId, after]));
  for await (const rows of pages(notes, '', ({ own_id }) => own_id)) yield rows.map(noteLine);
  const identities = (after: string) => turn(() => identitiesAfter.all(db.pool, [guildId, after]));
  for await (const rows of pages(identities, '', ({ id }) => id)) yield rows.map(identityLine);
  yield* ticketLines(db, guildId, turn);
}

/** What the owner has set, by the part of the settings; only where something is granted or listed. */
async function settingLines(db: Database, guildId: string): Promise<object[]> {
  const guild = await guildSettings(db, guildId);
  const grants = (await listGrants(db, guildId)).flatMap(({ roleId, name, capabilities }) =>
    capabilities.length === 0 ? [] : [{ role_id: roleId, role: name, capabilities }],
  );
  const presets = (await listPresets(db, guildId)).map((preset) => {
    const { id: _, ...wire } = presetWire(preset);
    return wire;
  });
  const parts = {
    guild: {
      language: guild.language,
      notifies_targets: guild.notifiesTargets,
      notice_words: guild.noticeWords,
      notice_colour: guild.noticeColour,
      public_answers: guild.publicAnswers,
      alerts_joins: guild.alertsJoins,
      alerts_quiet_days: guild.alertsQuietDays,
      log_channel_id: guild.logChannelId,
      log_topics: guild.logTopics,
      reports_channel_id: guild.reportsChannelId,
    },
    escalation: escalationWire(await escalationPolicy(db, guildId)),
    presets,
    tickets: await ticketSettings(db.pool, guildId),
    appeals: await appealSettings(db, guildId),
    grants,
  };
  return Object.entries(parts).map(([name, value]) => ({ type: 'setting', name, value }));
}

const CASE = {
  id: sql.text,
  number: sql.int,
  kind: sql.oneOf({ CaseKind }),
  user_id: sql.text,
  reason: sql.text.orNull,
  issued_by: sql.text,
  issued_at: sql.timestamptz,
  expires_at: sql.timestamptz.orNull,
  ended_by: sql.text.orNull,
  ended_at: sql.timestamptz.orNull,
  end_reason: sql.text.orNull,
  severity: sql.oneOf({ StrikeSeverity }).orNull,
  category: sql.text.orNull,
  player_name: sql.text.orNull,
  in_game_id: sql.text.orNull,
  changes: sql.jsonb<readonly Changed[]>().orNull,
  links: sql.jsonb<readonly { id: string; by: string; at: string }[]>().orNull,
  evidence: sql.jsonb<readonly Attached[]>().orNull,
  messages: sql.jsonb<readonly About[]>().orNull,
};

interface Changed {
  readonly by: string;
  readonly at: string;
  readonly why: string | null;
  readonly before: Recorded;
  readonly after: Recorded;
}

type Recorded = Readonly<Record<string, unknown>>;

interface Attached {
  readonly name: string;
  readonly media_type: string | null;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly problem: EvidenceProblem | null;
  readonly attached_at: string;
}

interface About {
  readonly channel_id: string;
  readonly message_id: string;
  readonly author_id: string;
  readonly text: string | null;
  readonly attached_at: string;
}

const casesAfter = sql.statement({
  parameters: [sql.text, sql.int],
  columns: CASE,
  text: `SELECT ${idInArchive('c.id')} AS id, case_number AS number, kind, user_id, reason, issued_by, issued_at,
      expires_at, ended_by, ended_at, end_reason, severity, category, player_name, in_game_id,
      (SELECT jsonb_agg(jsonb_build_object('by', changed_by, 'at', changed_at, 'why', why, 'before', before,
          'after', after) ORDER BY h.id) FROM case_changes h WHERE h.case_id = c.id) AS changes,
      (SELECT jsonb_agg(jsonb_build_object('id', ${idInArchive('o.id')}, 'by', linked_by, 'at', linked_at)
          ORDER BY o.case_number) FROM (
          SELECT other_id AS id, linked_by, linked_at FROM case_links WHERE case_id = c.id
          UNION ALL SELECT case_id, linked_by, linked_at FROM case_links WHERE other_id = c.id) AS l
        JOIN cases o ON o.id = l.id WHERE o.case_number < c.case_number) AS links,
      (SELECT jsonb_agg(jsonb_build_object('name', name, 'media_type', media_type, 'size_bytes', size_bytes,
          'sha256', encode(sha256, 'hex'), 'problem', problem, 'attached_at', attached_at) ORDER BY e.id)
        FROM evidence e WHERE e.case_id = c.id) AS evidence,
      (SELECT jsonb_agg(jsonb_build_object('channel_id', channel_id, 'message_id', message_id,
          'author_id', author_id, 'text', text, 'attached_at', attached_at) ORDER BY id)
        FROM (SELECT * FROM case_messages WHERE case_id = c.id ORDER BY id
          LIMIT ${MOST_MESSAGES_OF_CASE}) AS m) AS messages
    FROM cases c WHERE guild_id = $1 AND case_number > $2 ORDER BY case_number LIMIT ${ROWS_OF_A_STEP}`,
});

function caseLine({ changes, links, evidence, messages, ended_by, ...row }: RowOf<typeof CASE>): object {
  const line = filled({
    type: 'case',
    ...row,
    changes: changes?.map(({ why, before, after, ...change }) =>
      filled({ ...change, at: iso(change.at), why, before: recorded(before), after: recorded(after) }),
    ),
    links: links?.map((link) => ({ ...link, at: iso(link.at) })),
    evidence: evidence?.map((file) => ({
      ...file,
      problem: file.problem === EvidenceProblem.elsewhere ? null : file.problem,
      attached_at: iso(file.attached_at),
    })),
  });
  // Null where nobody knows who: a field that is missing would be the person who imports it.
  const whole = row.ended_at === null ? line : { ...line, ended_by };
  return messages === null ? whole : { ...whole, messages: messagesThatFit(messages, whole) };
}

/** The first messages of a case, for which its line has room: nobody could import a longer one. */
function messagesThatFit(messages: readonly About[], line: object): readonly About[] {
  let left = MOST_PART_CHARACTERS - JSON.stringify({ ...line, messages: [] }).length;
  return messages
    .map((message) => ({ ...message, attached_at: iso(message.attached_at) }))
    .filter((message) => {
      left -= JSON.stringify(message).length + 1;
      return left >= 0;
    });
}

const NOTE = {
  own_id: sql.text,
  id: sql.text,
  user_id: sql.text,
  text: sql.text,
  written_by: sql.text,
  written_at: sql.timestamptz,
};

const notesAfter = sql.statement({
  parameters: [sql.text, sql.text],
  columns: NOTE,
  text: `SELECT id AS own_id, ${idInArchive('n.id', 'note:')} AS id, user_id, text, written_by, written_at
    FROM notes n WHERE guild_id = $1 AND id > $2 ORDER BY n.id LIMIT ${ROWS_OF_A_STEP}`,
});

function noteLine({ own_id: _, ...note }: RowOf<typeof NOTE>): object {
  return { type: 'note', ...note };
}

const IDENTITY = {
  id: sql.text,
  user_id: sql.text,
  platform: sql.oneOf({ GamePlatform }),
  in_game_id: sql.text,
  set_by: sql.text,
  set_at: sql.timestamptz,
};

const identitiesAfter = sql.statement({
  parameters: [sql.text, sql.text],
  columns: IDENTITY,
  text: `SELECT ${sql.names(IDENTITY)} FROM identities WHERE guild_id = $1 AND id > $2 ORDER BY id LIMIT ${ROWS_OF_A_STEP}`,
});

function identityLine({ id: _, ...identity }: RowOf<typeof IDENTITY>): object {
  return { type: 'identity', ...identity };
}

function recorded(values: Recorded): Recorded {
  const { expires_at: at } = values;
  return typeof at === 'string' ? { ...values, expires_at: iso(at) } : values;
}
