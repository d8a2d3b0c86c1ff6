// The API and the dashboard at two addresses of one instance.
import { freePort } from '@bailiff/core/testing';
import { Owner, send } from '@bailiff/sandbox/visitor';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import { untilInTime } from '#src/api.ts';
import { heardCard, NAMES } from '#src/pages.ts';
import { expect, test, verifies } from '#src/testing.ts';

let instance: Instance;

test.beforeAll(async () => {
  const port = await freePort();
  instance = await startInstance({
    env: {
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      DASHBOARD_URL: `http://127.0.0.1:${port}`,
    },
  });
});
test.afterAll(async () => {
  await instance?.stop();
});

test('from a refused call of a script to the approval of the owner, who signs in at the dashboard', async ({
  page,
}) => {
  verifies('ops.origins.two', 'ops.public-url');
  const { web, dashboard, guild_id: guildId, people } = instance.run;
  const owner = await Owner.signIn(dashboard, people.owner ?? '');
  const minted = await owner.mint(guildId, 'two addresses');
  const { secret } = minted.body as { secret: string };
  const ban = () =>
    untilInTime(() =>
      send(`${web}/api/public/v1/guilds/${guildId}/bans`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${secret}` },
        json: {
          user_id: people.member,
          reason: 'spam',
          _confirmation: `BAN USER ${people.member} IN GUILD ${guildId} PERMANENT`,
        },
      }),
    );
  const refused = (await ban()).body as { error: { details: { reauth_url: string } } };
  const { reauth_url: link } = refused.error.details;
  expect(new URL(link).origin).toBe(dashboard);

  // A link to the API's address leads to the dashboard too.
  await page.goto(link.replace(dashboard, web));
  expect(new URL(page.url()).origin).toBe(dashboard);
  await page.getByRole('button', { name: 'Sign in with Discord' }).click();
  await page.getByRole('link', { name: NAMES.owner }).click();
  await (await heardCard(page, 'spam')).getByRole('button', { name: 'Allow once' }).click();
  await expect(page.getByRole('button', { name: 'Allow once' })).toHaveCount(0);
  expect((await ban()).status).toBe(201);
  const cookies = await page.context().cookies(web);
  expect(cookies.map(({ name }) => name)).not.toContain('bailiff.session');
});
