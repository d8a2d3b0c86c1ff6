import type { InputOf, TicketCategory, TicketSettings, TicketSettingsChanges } from '@bailiff/core';
import { type Database, type Queryable, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import { changeAsOwner } from '#src/guilds/guilds.ts';
import type { TicketRow } from './tickets.ts';

const SETTINGS = {
  categories: sql.jsonb<TicketCategory[]>(),
  most_open_of_person: sql.int,
  most_open_of_guild: sql.int,
  cooldown_minutes: sql.int,
  sends_transcript: sql.bool,
  asks_feedback: sql.bool,
};

const NOTHING_SET: TicketSettings = {
  categories: [],
  most_open_of_person: 5,
  most_open_of_guild: 200,
  cooldown_minutes: 0,
  // An update sends members no message that nobody asked for.
  sends_transcript: false,
  asks_feedback: false,
};

const settingsOf = sql.statement({
  parameters: [sql.text],
  columns: SETTINGS,
  text: `SELECT ${sql.names(SETTINGS)} FROM ticket_settings WHERE guild_id = $1`,
});

/** What a guild has set about tickets. The caller decides who may see it. */
export async function ticketSettings(db: Queryable, guildId: string): Promise<TicketSettings> {
  return (await settingsOf.first(db, [guildId])) ?? NOTHING_SET;
}

/** The category of a ticket that is opened, and what its opener answered to its questions. */
export type AskedTicket = Pick<TicketRow, 'category' | 'answers'>;

/**
 * The category of a ticket, with each question and its answer. Null if the guild has no such category, or asks other
 * questions now. A command asks nothing, so a category with questions wants their answers.
 */
export function askedTicket(
  { categories }: Pick<TicketSettings, 'categories'>,
  { ticket_category: name, answers = [] }: InputOf<'tickets.open'>,
): AskedTicket | null {
  if (name === undefined && categories.length === 0) return { category: null, answers: [] };
  const category = categories.find((each) => each.name === name);
  if (category === undefined || category.questions.length !== answers.length) return null;
  return {
    category: category.name,
    answers: category.questions.map((question, index) => ({ question, answer: answers[index] ?? '' })),
  };
}

/**
 * Changes the categories and limits of tickets in a guild that the user owns. Returns what is set then.
 *
 * @throws ApiError as `ownedGuild`
 */
export async function updateTicketSettings(
  db: Database,
  call: DashboardCall,
  guildId: string,
  changes: TicketSettingsChanges,
): Promise<TicketSettings> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    const settings = { ...(await ticketSettings(tx, guildId)), ...given(changes) };
    const row = {
      categories: settings.categories,
      mostOpenOfPerson: settings.most_open_of_person,
      mostOpenOfGuild: settings.most_open_of_guild,
      cooldownMinutes: settings.cooldown_minutes,
      sendsTranscript: settings.sends_transcript,
      asksFeedback: settings.asks_feedback,
    };
    await tx.prisma.ticketSettings.upsert({ where: { guildId }, create: { guildId, ...row }, update: row });
    await recordChange(tx, call, {
      guildId,
      operation: 'tickets.settings',
      details: changes,
    });
    return settings;
  });
}
