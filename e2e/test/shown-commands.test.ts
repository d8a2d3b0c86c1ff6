import { Owner } from '@bailiff/sandbox/visitor';
import { refillBudgets } from '#src/budgets.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `/guilds/${run.guild_id}`;

test.beforeAll(() => refillBudgets(run.directory));

test('an owner reads which commands to show to a role and which to hide, where Discord goes by permissions', async ({
  page,
}) => {
  verifies('bot.shown-by-grants');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { body } = await owner.request('GET', `/api${guild}/grants`);
  const { roles } = body as { roles: { role_id: string; name: string; capabilities: string[] }[] };
  const { role_id = '', capabilities: before = [] } = roles.find(({ name }) => name === 'Artist') ?? {};
  const grant = (capabilities: string[]) =>
    owner.change('PUT', `/api${guild}/grants`, { grants: [{ role_id, capabilities }] });
  await grant(['servers.rcon']);
  try {
    await signIn(page, run, 'owner');
    await page.goto(`${run.web}${guild}/settings/roles`);
    await page.getByText('Server Settings → Integrations → Bailiff').waitFor();
    await page.getByText(/^Show to Artist: .*\/rcon$/).waitFor();
  } finally {
    await grant(before);
  }
  await page.reload();
  await page.getByRole('combobox', { name: 'Add a role' }).waitFor();
  expect(await page.getByText(/^Show to Artist: .*\/rcon$/).count()).toBe(0);
});
