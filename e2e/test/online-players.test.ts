// Who is online on a game server, and what one does from there.
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { faultsInThemes } from '#src/axe.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** An id that nobody at Discord has, so that it never gets a name. */
const NOBODY = '834989431927603999';

test('an owner asks who is online, opens a member, and kicks a player with the server’s own command', async ({
  page,
}) => {
  verifies('games.players-page', 'games.players-unnamed');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(guild, run.people).at(-3) ?? '';
  const guildPage = `${run.web}/guilds/${run.guild_id}`;
  const serverPage = `${guildPage}/servers/${run.servers[0]?.id}`;
  await signIn(page, run, 'owner');
  const identities = page.getByRole('region', { name: 'In games' });
  for (const [id, player] of [
    [userId, 'Steve'],
    [NOBODY, 'Alex'],
  ] as const) {
    await page.goto(`${guildPage}/members/${id}`);
    await identities.getByLabel('Kind').selectOption({ label: 'Minecraft, name' });
    await identities.getByLabel('Name or id').fill(player);
    await identities.getByRole('button', { name: 'Add an identity' }).click();
    await identities.getByRole('listitem').filter({ hasText: player }).waitFor();
  }

  await page.goto(serverPage);
  const players = page.getByRole('region', { name: 'Players online' });
  await players.getByRole('button', { name: 'Who is online?' }).click();
  const row = players.getByRole('row').filter({ hasText: 'Steve' });
  await expect(row.getByRole('link')).toHaveAttribute('href', new RegExp(`/members/${userId}$`));
  const unnamed = players.getByRole('row').filter({ hasText: 'Alex' });
  await expect(unnamed).toContainText(`Name not known: ${NOBODY}`);
  expect(await faultsInThemes(page)).toEqual([]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  await row.getByRole('button', { name: 'Kick: Steve' }).click();
  const reason = page.getByLabel('Reason');
  await expect(reason).toBeFocused();
  await reason.fill('afk');
  await page.getByRole('button', { name: 'Put it into the console' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Kicked Steve').waitFor();
  await row.getByRole('link').click();
  await page.waitForURL(`**/members/${userId}`);
});

test('a player has buttons for the commands that the server has, and no others', async ({ page }) => {
  verifies('games.players-page');
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/servers/${run.servers[0]?.id}`);
  const commands = page.getByRole('region', { name: 'Commands of the game' });
  const save = async () => {
    await commands.getByRole('button', { name: 'Save commands' }).click();
    await page.getByRole('dialog', { name: /is saved/ }).waitFor();
  };
  const usual = await commands.getByLabel('Ban', { exact: true }).inputValue();
  await commands.getByLabel('Ban', { exact: true }).fill('');
  await save();
  await page.reload();
  const players = page.getByRole('region', { name: 'Players online' });
  await players.getByRole('button', { name: 'Who is online?' }).click();
  await players.getByRole('button', { name: 'Kick: Alex' }).waitFor();
  await expect(players.getByRole('button', { name: 'Ban: Alex' })).toHaveCount(0);
  await commands.getByLabel('Ban', { exact: true }).fill(usual);
  await save();
});
