import { type Capability, caseKind, type InputOf, kindOfCaseId, madeAt, type OutputOf } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import type { Read } from '#src/calls/readers.ts';
import { CASE, CASE_COLUMNS, caseWire, readableKinds } from './cases.ts';

type WholeCase = OutputOf<'cases.get'>;
type Changed = WholeCase['changes'][number]['before'];

const WHOLE_CASE = {
  ...CASE,
  links: sql.jsonb<WholeCase['links']>(),
  changes: sql.jsonb<WholeCase['changes']>(),
  evidence: sql.jsonb<WholeCase['evidence']>(),
  messages: sql.jsonb<Omit<WholeCase['messages'][number], 'sent_at'>[]>(),
};

/**
 * A case with its links, changes and evidence, as the API shows it.
 *
 * @throws ApiError CAPABILITY_DENIED for a reader who may not read its kind
 */
export function readWholeCase(
  guildId: string,
  { caseId }: InputOf<'cases.get'>,
  capabilities: readonly Capability[],
): Read<typeof WHOLE_CASE, WholeCase> {
  const needed = caseKind(kindOfCaseId(caseId) ?? 'strike').reader;
  if (!capabilities.includes(needed)) throw capabilityDenied(needed, 'You may not read this case');
  return {
    // Reads that arrive together are sent as arrays of their values, so none of these is an array.
    parameters: [sql.text, sql.text, sql.text],
    columns: WHOLE_CASE,
    text: `SELECT true AS found, ${CASE_COLUMNS},
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', other.id, 'case_number', other.case_number,
            'kind', other.kind) ORDER BY other.case_number), '[]')
          FROM (SELECT other_id AS id FROM case_links WHERE case_id = $2
            UNION ALL SELECT case_id FROM case_links WHERE other_id = $2) AS linked
          JOIN cases other USING (id) WHERE other.kind::text = ANY (string_to_array($3, ','))) AS links,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('changed_by', changed_by, 'changed_at', changed_at,
            'why', why, 'before', before, 'after', after) ORDER BY case_changes.id), '[]')
          FROM case_changes WHERE case_id = $2) AS changes,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'name', name, 'media_type', media_type,
            'size_bytes', size_bytes, 'sha256', encode(sha256, 'hex'), 'problem', problem,
            'fetching', sha256 IS NULL AND problem IS NULL, 'attached_at', attached_at) ORDER BY e.id), '[]')
          FROM evidence e WHERE e.case_id = $2) AS evidence,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'channel_id', channel_id, 'message_id', message_id,
            'author_id', author_id, 'text', text, 'attached_at', attached_at) ORDER BY m.id), '[]')
          FROM case_messages m WHERE m.case_id = $2) AS messages
      FROM cases WHERE guild_id = $1 AND id = $2`,
    values: [guildId, caseId, readableKinds(capabilities).join()],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row]) => {
      if (row === undefined) return absent('case', caseId);
      const changes = row.changes.map(({ changed_at, before, after, ...change }) => ({
        ...change,
        changed_at: isoTime(changed_at),
        before: changeWire(before),
        after: changeWire(after),
      }));
      const evidence = row.evidence.map((file) => ({ ...file, attached_at: isoTime(file.attached_at) }));
      const messages = row.messages.map((message) => ({
        ...message,
        attached_at: isoTime(message.attached_at),
        sent_at: madeAt(message.message_id).toISOString(),
      }));
      return { ...caseWire(row), links: row.links, changes, evidence, messages };
    },
  };
}

/** A moment as answers show it, of one that PostgreSQL wrote. */
function isoTime(written: string): string {
  return new Date(written).toISOString();
}

function changeWire({ expires_at: at, ...others }: Changed): Changed {
  if (at === undefined) return others;
  return { ...others, expires_at: at === null ? null : isoTime(at) };
}
