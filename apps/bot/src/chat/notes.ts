import { ApiError, type InputOf, type OutputOf } from '@bailiff/core';
import { readForPerson } from '@bailiff/engine/calls/read-call';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import type { ApplicationCommandOptionChoiceData } from 'discord.js';
import { moment, oneLine, quoted } from './text.ts';

type Note = OutputOf<'notes.list'>['data'][number];

/** How much of a note a list shows. */
const MOST_OF_A_NOTE = 300;
/** Most notes in one answer. The dashboard has all. */
const MOST_SHOWN = 5;
/** Most notes beneath a history, where the cases come first. */
const MOST_BENEATH = 3;
const MOST_BENEATH_CHARACTERS = 120;

/** The text of a list of notes on a person. */
export function notesText(
  locale: Locale,
  { data }: OutputOf<'notes.list'>,
  { user_id }: InputOf<'notes.list'>,
): string {
  const say = translator(locale, 'notes');
  const user = `<@${user_id}>`;
  return data.length === 0
    ? say('none', { user })
    : listed(locale, data, user, { shown: MOST_SHOWN, characters: MOST_OF_A_NOTE });
}

/** The text of a list of internal notes on the ticket of this channel. */
export function ticketNotesText(locale: Locale, { data }: OutputOf<'tickets.notes'>): string {
  const say = translator(locale, 'notes');
  if (data.length === 0) return say('ticket.none');
  const room = { shown: MOST_SHOWN, characters: MOST_OF_A_NOTE };
  return beneath(locale, say('ticket.heading', { count: data.length }), data, room);
}

/** The text that says what was done with a note. */
export function noteText(
  locale: Locale,
  operation: 'notes.add' | 'notes.remove',
  note: Pick<Note, 'user_id'>,
): string {
  return translator(locale, 'operations')(`${operation}.done`, { user: `<@${note.user_id}>` });
}

interface Asking {
  readonly guildId: string;
  readonly userId: string;
  readonly requestId: string;
}

/** The latest notes on a person, for the end of their history. Null if there are none, or none for this reader. */
export async function notesBeneath(
  engine: Engine,
  { user_id }: InputOf<'cases.list'>,
  locale: Locale,
  asking: Asking,
): Promise<string | null> {
  const notes = await notesFor(engine, user_id, asking);
  if (notes.length === 0) return null;
  const room = { shown: MOST_BENEATH, characters: MOST_BENEATH_CHARACTERS };
  return listed(locale, notes, `<@${user_id}>`, room);
}

/** Discord's limit. */
const MOST_CHOICES = 25;
const MOST_LABEL = 100;

/** Suggestions of notes on a person that match what is being typed. Empty if this reader may not see any. */
export async function noteChoices(
  engine: Engine,
  about: string,
  typed: string,
  asking: Asking,
): Promise<ApplicationCommandOptionChoiceData[]> {
  const sought = typed.trim().toLowerCase();
  return (await notesFor(engine, about, asking))
    .filter(({ text }) => text.toLowerCase().includes(sought))
    .slice(0, MOST_CHOICES)
    .map(({ id, text, written_at }) => ({
      name: oneLine(`${written_at.slice(0, 10)} ${text}`, MOST_LABEL),
      value: id,
    }));
}

async function notesFor(engine: Engine, about: string, asking: Asking): Promise<Note[]> {
  try {
    const { data } = await readForPerson(engine, {
      operation: 'notes.list',
      input: { user_id: about },
      ...asking,
    });
    return data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CAPABILITY_DENIED') return [];
    throw error;
  }
}

function listed(locale: Locale, notes: readonly Note[], user: string, room: Room): string {
  const heading = translator(locale, 'notes')('heading', { count: notes.length, user });
  return beneath(locale, heading, notes, room);
}

interface Room {
  readonly shown: number;
  readonly characters: number;
}

/** The heading, and beneath it as many notes as there is room for. */
function beneath(
  locale: Locale,
  heading: string,
  notes: readonly Pick<Note, 'written_at' | 'written_by' | 'text'>[],
  room: Room,
): string {
  const say = translator(locale, 'notes');
  const lines = notes.slice(0, room.shown).map((note) =>
    say('line', {
      when: moment(note.written_at, 'd'),
      author: `<@${note.written_by}>`,
      text: quoted(note.text, room.characters),
    }),
  );
  const left = notes.length - lines.length;
  const more = left === 0 ? [] : [say('more', { count: left })];
  return [heading, ...lines, ...more].join('\n');
}
