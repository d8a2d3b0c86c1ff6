// Who is online on a game server, and what one does from there.
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { faultsInThemes } from '#src/axe.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test('an owner asks who is online, opens a member, and kicks a player with the server’s own command', async ({
  page,
}) => {
  verifies('games.players-page');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(guild, run.people).at(-3) ?? '';
  const guildPage = `${run.web}/guilds/${run.guild_id}`;
  const serverPage = `${guildPage}/servers/${run.servers[0]?.id}`;
  await signIn(page, run, 'owner');
  await page.goto(serverPage);
  const commands = page.getByRole('region', { name: 'Commands of the game' });
  await commands.getByLabel('Game', { exact: true }).selectOption({ label: 'Minecraft' });
  await commands.getByRole('button', { name: 'Save commands' }).click();
  await page.getByText('is saved').waitFor();
  await page.goto(`${guildPage}/members/${userId}`);
  const identities = page.getByRole('region', { name: 'In games' });
  await identities.getByLabel('Kind').selectOption({ label: 'Minecraft, name' });
  await identities.getByLabel('Name or id').fill('Steve');
  await identities.getByRole('button', { name: 'Add an identity' }).click();
  await identities.getByRole('listitem').filter({ hasText: 'Steve' }).waitFor();

  await page.goto(serverPage);
  const players = page.getByRole('region', { name: 'Players online' });
  await players.getByRole('button', { name: 'Who is online?' }).click();
  const row = players.getByRole('row').filter({ hasText: 'Steve' });
  await expect(row.getByRole('link')).toHaveAttribute('href', new RegExp(`/members/${userId}$`));
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
