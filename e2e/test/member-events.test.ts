// When a member joined and left, and under which names, on their page.
import { send } from '@bailiff/sandbox/visitor';
import { faultsInThemes } from '#src/axe.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const act = async (json: Record<string, string>) =>
  (await send(`${run.sandbox}/sandbox/members`, { method: 'POST', json })).body as {
    member: { user: { id: string } };
  };

test('the page of a member says when they joined and left, and leaves out what nobody sees in their names', async ({
  page,
}) => {
  verifies('member-events.shown');
  const { member } = await act({ action: 'join', name: 'Comes And Goes' });
  const user = member.user.id;
  await act({ action: 'nick', user, nick: 'x\u202egoes' });
  await act({ action: 'leave', user });
  await act({ action: 'join', user });
  await signIn(page, run, 'owner');
  const part = page.getByRole('region', { name: 'Joins, leaves and names' });
  await expect(async () => {
    await page.goto(`${run.web}/guilds/${run.guild_id}/members/${user}`);
    await expect(part.getByRole('listitem')).toHaveCount(4, { timeout: 2_000 });
  }).toPass();
  await expect(part.getByRole('listitem')).toContainText([
    /Joined.*as Comes And Goes \(@comes\.and\.goes\)/,
    /Left/,
    /Other name.*Comes And Goes \(@comes\.and\.goes\) became xgoes \(/,
    /Joined/,
  ]);
  expect(await faultsInThemes(page)).toEqual([]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
});
