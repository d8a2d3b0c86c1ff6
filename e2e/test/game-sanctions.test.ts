// A ban that also reaches a game server, and what the case says of it.
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { faultsInThemes } from '#src/axe.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test('an owner bans somebody in the dashboard and on the game server, reads its answer, and sends what was left', async ({
  page,
}) => {
  verifies('games.in-dashboard');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(guild, run.people).at(-2) ?? '';
  const guildPage = `${run.web}/guilds/${run.guild_id}`;
  await signIn(page, run, 'owner');
  await page.goto(`${guildPage}/servers/${run.servers[0]?.id}`);
  const commands = page.getByRole('region', { name: 'Commands of the game' });
  const game = commands.getByLabel('Game', { exact: true });
  const lift = commands.getByRole('textbox', { name: 'Lift a ban' });
  // Usual commands follow the game, also from none, and those that somebody wrote stay.
  await game.selectOption({ label: 'Rust' });
  await game.selectOption({ label: 'Minecraft' });
  await expect(lift).toHaveValue('pardon {player}');
  for (const name of ['Kick', 'Ban', 'Lift a ban', 'Announce'])
    await commands.getByRole('textbox', { name, exact: true }).fill('');
  await game.selectOption({ label: 'Rust' });
  await expect(lift).toHaveValue('unban {player}');
  await lift.fill('pardon {player} twice');
  await game.selectOption({ label: 'Minecraft' });
  await expect(lift).toHaveValue('pardon {player} twice');
  await commands.getByRole('button', { name: 'Use the game’s usual commands' }).click();
  await commands.getByRole('button', { name: 'Save commands' }).click();
  await page.getByText('is saved').waitFor();

  await page.goto(`${guildPage}/members/${userId}`);
  const identities = page.getByRole('region', { name: 'In games' });
  await identities.getByLabel('Kind').selectOption({ label: 'Minecraft, name' });
  await identities.getByLabel('Name or id').fill('harbour_cat');
  await identities.getByRole('button', { name: 'Add an identity' }).click();
  await identities.getByRole('listitem').filter({ hasText: 'harbour_cat' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Ban', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('griefing');
  await expect(dialog).toContainText('Survival as harbour_cat');
  await dialog.getByLabel('Also on game servers').check();
  expect(await faultsInThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByText('Sent to 1 of 1 game server').waitFor();

  await page
    .getByRole('link', { name: /^Case #/ })
    .first()
    .click();
  const part = page.getByRole('region', { name: 'On game servers' });
  await expect(part.getByRole('row').last()).toContainText('It answered “Banned harbour_cat: griefing”.');
  await expect(part.getByRole('button')).toHaveCount(0);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await faultsInThemes(page)).toEqual([]);

  await page.getByRole('button', { name: 'Lift the ban' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click();
  const left = part.getByRole('row').filter({ hasText: 'not sent' });
  await left.getByRole('button', { name: 'Send to Survival for harbour_cat' }).click();
  await expect(part.getByRole('row').last()).toContainText('It answered “Unbanned harbour_cat”.');
});
