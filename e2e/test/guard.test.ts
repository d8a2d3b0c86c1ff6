// The page where an owner pastes a script's request, and reads which check would refuse it.
import { Owner } from '@bailiff/sandbox/visitor';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test } from '#src/testing.ts';

interface Minted {
  readonly token: { readonly id: string };
  readonly secret: string;
}

test.beforeAll(() => refillBudgets(run.directory));

test('a pasted request is checked with the token that its secret names, and what it lacks is said', async ({
  page,
}) => {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const minted: Minted[] = [];
  for (const name of ['first script', 'second script'])
    minted.push((await owner.mint(run.guild_id, name)).body as Minted);
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/guard`);
  const request = page.getByLabel('Request', { exact: true });
  const chosen = page.getByLabel('Token', { exact: true }).locator('option:checked');
  const check = page.getByRole('button', { name: 'Check', exact: true });
  await request.fill('hello');
  await page.getByText('This is no request.').first().waitFor();
  await expect(check).toBeDisabled();
  for (const [index, name] of ['first script', 'second script'].entries()) {
    await request.fill(`GET /strikes\nAuthorization: Bearer ${minted[index]?.secret}`);
    await expect(chosen).toHaveText(`${name} (active)`);
  }
  await check.click();
  await expect(page.getByRole('heading', { name: 'It would be admitted' })).toBeFocused();

  await request.fill('POST /bans\n\n{ "user_id": "834989431927603999", "reason": "Sold sheep" }');
  await check.click();
  await expect(page.getByRole('heading', { name: /^It would be refused: \d{3} [A-Z_]+$/ })).toBeFocused();
  expect(await faultsInThemes(page)).toEqual([]);
  await page.context().clearCookies();
  await check.click();
  await page.getByText('Your session has ended, and nothing was done. What you typed stays here.').waitFor();
  for (const { token } of minted) await owner.revoke(token.id);
});
