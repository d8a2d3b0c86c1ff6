import { type GuildView, guildFor } from '@bailiff/engine/guilds/guilds';
import { seedGuild } from '@bailiff/engine/testing';
import { expect, onTestFinished, test } from 'vitest';
import { hasTexts, peopleInMessages } from '#src/transcript-people.ts';
import { startTestWeb } from './support.ts';

const written = (text: string, attachments: string[] = [], author_is_bot = false) => ({
  ...{ id: '1', author_id: '2', author_name: 'Alex', sent_at: '2026-11-01T00:00:00.000Z' },
  ...{ text, attachments, author_is_bot },
});

test.each([
  ['nothing was written', true, []],
  ['only the bot wrote', true, [written('', [], true)]],
  ['somebody wrote', true, [written(''), written('Hi')]],
  ['somebody sent a file without a word', true, [written('', ['a.png'])]],
  ['none of what people wrote holds anything', false, [written(''), written('Welcome', [], true)]],
])('where %s, what people wrote is there: %s', (_what, isThere, messages) => {
  expect(hasTexts(messages)).toBe(isThere);
});

test('a role that somebody mentions is shown by its name', async () => {
  const web = await startTestWeb();
  onTestFinished(() => web.close());
  const guild = await seedGuild(web.db);
  await web.db.pool.query("UPDATE roles SET name = 'Harbour watch' WHERE id = $1", [guild.moderatorRoleId]);
  const view = (await guildFor(web.db, guild.id, guild.ownerId)) as GuildView;
  const said = [written('Hi'), written(`Ask <@&${guild.moderatorRoleId}>`)];
  const { mentioned } = await peopleInMessages(view, said, []);
  expect(mentioned.roles).toMatchObject({ [guild.moderatorRoleId]: 'Harbour watch' });
});

test('who wrote or is mentioned has the name of today, and who has left the one of the message', async () => {
  const web = await startTestWeb();
  onTestFinished(() => web.close());
  const guild = await seedGuild(web.db);
  const named = 'UPDATE members SET display_name = $2 WHERE user_id = $1';
  await web.db.pool.query(named, [guild.moderatorId, 'Juno']);
  await web.db.pool.query(named, [guild.memberId, 'Mallory']);
  const view = (await guildFor(web.db, guild.id, guild.ownerId)) as GuildView;
  const said = [
    written(`Look, <@${guild.memberId}>`),
    { ...written('Yes?'), author_id: guild.moderatorId, author_name: 'Juno of old' },
  ];
  const { people } = await peopleInMessages(view, said, []);
  expect(people.names).toMatchObject({ 2: 'Alex', [guild.moderatorId]: 'Juno', [guild.memberId]: 'Mallory' });
});
