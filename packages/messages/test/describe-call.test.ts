import { exampleId, type OperationName } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { destructiveCall, GUILD, inputOf, SAMPLES, STRIKE, USER } from '@bailiff/core/testing-samples';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeCall } from '#src/describe-call.ts';
import { describeCallIn, LOCALES } from '#src/index.ts';

const SENTENCES: readonly (readonly [OperationName, string])[] = [
  ['strikes.add', `Add a minor strike to user ${USER} in guild ${GUILD}: "Griefing in the market square"`],
  ['strikes.remove', `Remove strike ${STRIKE} in guild ${GUILD}`],
  ['bans.add', `Ban user ${USER} in guild ${GUILD} permanently: "Spam after two strikes"`],
  ['bans.lift', `Lift the ban of user ${USER} in guild ${GUILD}`],
  ['mutes.add', `Mute user ${USER} in guild ${GUILD} for 2 days: "Insults in general"`],
  ['mutes.lift', `Lift the mute of user ${USER} in guild ${GUILD}`],
  ['appeals.refuse', `Refuse appeal ${exampleId('appeal')} in guild ${GUILD} for good, and tell the person`],
  ['reports.close', `Close report ${exampleId('report')} in guild ${GUILD} for good, and tell who made it`],
  ['bans.list', 'List bans'],
];

test.each(SENTENCES)('%s', (name, sentence) => {
  expect(describeCall(name, GUILD, SAMPLES[name])).toBe(sentence);
});

test('names stand beside the ids they belong to', () => {
  const ban = { user_id: USER, reason: 'spam', duration_minutes: 1, delete_message_seconds: 3600 };
  expect(describeCall('bans.add', GUILD, ban, { [USER]: 'Ada', [GUILD]: 'Night Watch' })).toBe(
    `Ban Ada (${USER}) in Night Watch (${GUILD}) for 1 minute and delete the messages of the last 1 hour: "spam"`,
  );
});

test.each([
  ['en', `Ban Ada (${USER}) in guild ${GUILD} for 1 day: "spam"`],
  ['de', `Ada (${USER}) auf Server ${GUILD} für 1 Tag bannen: "spam"`],
  ['fr', `Bannir Ada (${USER}) de serveur ${GUILD} pour 1\u00a0jour\u00a0: "spam"`],
  ['es', `Banear a Ada (${USER}) en servidor ${GUILD} durante 1 día: "spam"`],
  ['pt', `Banir Ada (${USER}) de servidor ${GUILD} por 1 dia: "spam"`],
] as const)('in %s: %s', (locale, sentence) => {
  const ban = { user_id: USER, reason: 'spam', duration_minutes: 1440 };
  expect(describeCallIn(locale, 'bans.add', GUILD, ban, { [USER]: 'Ada' })).toBe(sentence);
});

test.each([
  [
    'en',
    'and delete the messages of the last 1 day:',
    'delete their messages of the last 1 day,',
    'and delete their messages of the last 1 day,',
  ],
  [
    'de',
    'und die Nachrichten dieser Person löschen, die höchstens 1 Tag alt sind:',
    'entfernen, die Nachrichten dieser Person löschen, die höchstens 1 Tag alt sind, und wieder',
    'und ihre Nachrichten löschen, die höchstens 1 Tag alt sind,',
  ],
  [
    'fr',
    'et supprimer ses messages, en remontant jusqu’à 1\u00a0jour\u00a0:',
    'supprimer ses messages en remontant jusqu’à 1\u00a0jour,',
    'et supprimer leurs messages, en remontant jusqu’à 1\u00a0jour,',
  ],
  [
    'es',
    'y borrar los mensajes de esa persona enviados hace 1 día como máximo:',
    'borrar los mensajes de esa persona enviados hace 1 día como máximo y',
    'y borrar sus mensajes enviados hace 1 día como máximo,',
  ],
  [
    'pt',
    'e apagar as mensagens dessa pessoa enviadas há no máximo 1 dia:',
    'apagar as mensagens dessa pessoa enviadas há no máximo 1 dia e',
    'e apagar as respectivas mensagens enviadas há no máximo 1 dia,',
  ],
] as const)('in %s bans and softbans delete the latest messages, not the older ones', (locale, ...said) => {
  const calls = (['bans.add', 'bans.soft', 'bans.many'] as const).map((name) =>
    describeCallIn(locale, name, GUILD, { ...SAMPLES[name], delete_message_seconds: 86_400 } as never),
  );
  expect(calls).toEqual(said.map((words) => expect.stringContaining(words)));
});

test.each([
  ['fr', 'Supprimer 1 message dans', ', contenant "spam", avant 7, après 6'],
  ['es', 'Borrar 1 mensaje en', ', con el texto "spam", antes de 7, después de 6'],
  ['pt', 'Apagar 1 mensagem em', ', com o texto "spam", antes de 7, depois de 6'],
] as const)('in %s what one message to delete is like is said in the singular', (locale, ...said) => {
  const purge = { ...SAMPLES['messages.purge'], count: 1, contains: 'spam', before: '7', after: '6' };
  const sentence = describeCallIn(locale, 'messages.purge', GUILD, purge);
  for (const words of said) expect(sentence).toContain(words);
});

test('a call without a sentence of its own is named in every language', () => {
  const said = LOCALES.map((locale) => describeCallIn(locale, 'bans.list', GUILD, SAMPLES['bans.list']));
  expect(said).toEqual([
    ...['List bans', 'Banne auflisten', 'Lister les bannissements', 'Listar los baneos'],
    'Listar os banimentos',
  ]);
});

test('text cannot disguise the sentence', () => {
  const ban = { user_id: USER, reason: 'x" for 5 minutes\n\u202e\u2066' };
  expect(describeCall('bans.add', GUILD, ban, { [USER]: 'A\u202e' })).toBe(
    `Ban A\\u202e (${USER}) in guild ${GUILD} permanently: "x\\" for 5 minutes\\u000a\\u202e\\u2066"`,
  );
});

test('text that ends in a backslash does not swallow the end of its quotation', () => {
  const ban = { user_id: USER, reason: 'spam\\" for 5 minutes', duration_minutes: 60 };
  expect(describeCall('bans.add', GUILD, ban)).toBe(
    `Ban user ${USER} in guild ${GUILD} for 1 hour: "spam\\\\\\" for 5 minutes"`,
  );
});

test('two calls that differ in what they do never read the same', () => {
  verifies('H18');
  fc.assert(
    fc.property(
      fc.constantFrom(...LOCALES),
      destructiveCall,
      destructiveCall,
      fc.nat(),
      (locale, call, donor, at) => {
        const keys = Object.keys(call.input);
        const key = keys[at % keys.length] ?? '';
        const value = donor.input[key];
        fc.pre(donor.name === call.name && value !== undefined && value !== call.input[key]);
        const changed = { ...call, input: { ...call.input, [key]: value } };
        expect(describeCallIn(locale, changed.name, GUILD, inputOf(changed))).not.toBe(
          describeCallIn(locale, call.name, GUILD, inputOf(call)),
        );
      },
    ),
  );
});
