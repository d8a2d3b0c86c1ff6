// Who a member is in games, on their page.
import { readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { faultsInThemes } from '#src/axe.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test('a moderator notes who a member is in a game, is told what a name must be, finds them by it, and removes it', async ({
  page,
}) => {
  verifies('identities.kept', 'identities.checked');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(guild, run.people).at(-1) ?? '';
  const address = `${run.web}/guilds/${run.guild_id}/members/${userId}`;
  await signIn(page, run, 'owner');
  await page.goto(address);
  const part = page.getByRole('region', { name: 'In games' });
  await part.getByText('Nobody has noted yet who they are in a game.').waitFor();
  await part.getByLabel('Kind').selectOption({ label: 'Minecraft, name' });
  await part.getByLabel('Name or id').fill('no such name!');
  await part.getByRole('button', { name: 'Add an identity' }).click();
  await part.getByText('3 to 16 letters, digits and _').waitFor();
  await part.getByLabel('Name or id').fill(' BlockBreaker ');
  await part.getByRole('button', { name: 'Add an identity' }).click();
  await expect(part.getByRole('listitem')).toContainText(['BlockBreakerMinecraft, name, by Mira Voss']);
  await expect(part.getByLabel('Name or id')).toHaveValue('');
  await expect(part.getByText('3 to 16 letters, digits and _')).toHaveCount(0);
  expect(await faultsInThemes(page)).toEqual([]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.goto(`${run.web}/guilds/${run.guild_id}/members?q=blockbreaker`);
  await page.locator(`a[href$="/members/${userId}"]`).first().waitFor();
  await page.goto(address);
  await part.getByRole('button', { name: 'Remove BlockBreaker' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove BlockBreaker' }).click();
  await part.getByText('Nobody has noted yet who they are in a game.').waitFor();
});
