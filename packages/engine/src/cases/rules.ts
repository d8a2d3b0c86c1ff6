import { NO_ESCALATION, type OutputOf } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import type { Read } from '#src/calls/readers.ts';
import { MOST_PRESETS_PER_GUILD } from './presets.ts';

type Rules = OutputOf<'rules.get'>;

const RULES = {
  minor_points: sql.int.orNull,
  major_points: sql.int.orNull,
  decay_days: sql.int.orNull,
  steps: sql.json<Rules['escalation']['steps']>().orNull,
  presets: sql.json<Rules['presets']>().orNull,
};

/** The escalation policy of a guild, and the reasons that its moderators can pick. */
export function readRules(guildId: string): Read<typeof RULES, Rules> {
  return {
    parameters: [sql.text],
    columns: RULES,
    text: `SELECT true AS found, p.minor_points, p.major_points, p.decay_days,
             (SELECT json_agg(step) FROM (SELECT points, sanction, duration_minutes FROM escalation_steps
                WHERE guild_id = $1 ORDER BY points) AS step) AS steps,
             (SELECT json_agg(preset) FROM (SELECT kind, name, reason, severity, duration_minutes FROM reason_presets
                WHERE guild_id = $1 ORDER BY kind, lower(name), id LIMIT ${MOST_PRESETS_PER_GUILD}) AS preset) AS presets
           FROM (VALUES (1)) AS once LEFT JOIN escalation_policies p ON p.guild_id = $1`,
    values: [guildId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row]) => ({
      escalation: {
        minor_points: row?.minor_points ?? NO_ESCALATION.minorPoints,
        major_points: row?.major_points ?? NO_ESCALATION.majorPoints,
        decay_days: row?.decay_days ?? null,
        steps: row?.steps ?? [],
      },
      presets: row?.presets ?? [],
    }),
  };
}
