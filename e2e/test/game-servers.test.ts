import { Owner, send } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { apiOf } from '#src/api.ts';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { GUILD, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const [registered] = run.servers;

const PASSWORD_REFUSED = {
  de: 'Der Spielserver hat das Passwort abgelehnt. Vergleichen Sie es mit dem in der Konfiguration des Spiels.',
  es: 'El servidor de juego ha rechazado la contraseña. Compárela con la de la configuración del juego.',
  fr: 'Le serveur de jeu a refusé le mot de passe. Comparez-le à celui de la configuration du jeu.',
  pt: 'O servidor de jogo recusou a senha. Compare-a com a da configuração do jogo.',
};

test.beforeAll(() => refillBudgets(run.directory));

/** Chooses a language, as the menu in the page's corner does. */
async function speak(page: Page, locale: string): Promise<void> {
  const { hostname } = new URL(run.web);
  await page.context().addCookies([{ name: 'bailiff.locale', value: locale, domain: hostname, path: '/' }]);
}

test('the sandbox’s game server takes commands at once, under the id that run.json gives', async () => {
  verifies('rcon.response');
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const token = await owner.mintWithWindow(run.guild_id, 'game master');
  const id = registered?.id ?? '';
  const answer = await apiOf(run, token.secret).send('servers.rcon', {
    serverId: id,
    command: 'say The gates close at ten',
    _confirmation: `RUN RCON ON SERVER ${id} IN GUILD ${run.guild_id}`,
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { run: { server_id: id, output: '[Server] The gates close at ten', truncated: false } },
  });
  await owner.revoke(token.id);
});

test('an owner adds a game server, sees why it is not reached, corrects it and removes it', async ({
  page,
}) => {
  await signIn(page, run, 'owner');
  await page.getByRole('link', { name: GUILD }).click();
  await page.getByRole('link', { name: 'Game servers', exact: true }).click();
  await page.getByRole('button', { name: 'Add server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a game server' });
  await dialog.getByLabel('Name').fill('Skyblock');
  await dialog.getByLabel('Host').fill(registered?.host ?? '');
  await dialog.getByLabel('RCON port').fill(String(registered?.port));
  await dialog.getByLabel('RCON password').fill('a guess');
  await dialog.getByLabel('Deny').fill('stop\n*op *');
  await dialog.getByLabel('Would this command be allowed?').fill('/op alex');
  await dialog.getByText('by *op *').waitFor();
  await page.keyboard.press('Enter'); // in the field that only tries a command
  expect(await faultsIn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add server' }).click();
  await dialog.waitFor({ state: 'detached' });

  // The bot tries it, and the open page hears of it.
  const row = page.getByRole('row', { name: /Skyblock/ });
  await row.getByText('The game server refused the password.').waitFor();
  await row.getByText('wrong password', { exact: true }).waitFor();
  await expect(row.getByText('not reachable')).toHaveCount(0);
  for (const [locale, problem] of Object.entries(PASSWORD_REFUSED)) {
    await speak(page, locale);
    await page.reload();
    await row.getByText(problem).waitFor();
    await page
      .getByRole('row', { name: /Skyblock/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Skyblock' }).waitFor();
    await page.getByRole('definition').filter({ hasText: problem }).waitFor();
    await page.goBack();
  }
  await speak(page, 'en');
  await page.reload();
  await row.getByRole('button', { name: 'Edit Skyblock' }).click();
  const editing = page.getByRole('dialog', { name: 'Edit Skyblock' });
  // The stored password is not sent to another address.
  const password = editing.getByLabel('RCON password');
  await expect(password).toHaveJSProperty('required', false);
  await editing.getByLabel('Host').fill('elsewhere.test');
  await expect(password).toHaveJSProperty('required', true);
  await editing.getByLabel('Host').fill(registered?.host ?? '');
  await password.fill('sandbox-rcon-password');
  await editing.getByRole('button', { name: 'Save' }).click();
  await row.getByText('reachable', { exact: true }).waitFor();

  // What its policy denies cannot be run, and the page says by which pattern.
  await row.getByRole('link', { name: 'Console of Skyblock' }).click();
  const command = page.getByRole('textbox', { name: 'Command' });
  const button = page.getByRole('button', { name: 'Run', exact: true });
  await command.fill('op alex');
  await page.getByText('denied', { exact: true }).waitFor();
  await page.getByText('by *op *').waitFor();
  await expect(button).toBeDisabled();
  await command.fill('say hello');
  await page.getByText('allowed', { exact: true }).waitFor();
  await button.click();
  const entry = page.getByRole('list', { name: 'History' }).getByRole('listitem').first();
  await entry.getByText('[Server] hello').waitFor();
  await entry.getByText('Mira Voss').waitFor();
  await expect(command).toHaveValue('');
  await page.goBack();

  await row.getByRole('button', { name: 'Remove Skyblock' }).click();
  const removing = page.getByRole('dialog', { name: 'Remove Skyblock' });
  await removing.getByRole('button', { name: 'Remove server' }).click();
  await removing.waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });
});

test('what another tab saved for a game server stays when something else of it is saved here', async ({
  page,
}) => {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const servers = `/api/guilds/${run.guild_id}/servers`;
  const templates = { kick: 'kick {player}', ban: 'ban {player}', unban: 'pardon {player}', announce: '' };
  const { host, port } = registered ?? {};
  const fields = { name: 'Nether', host, port, password: 'sandbox-rcon-password' };
  const added = await owner.change('POST', servers, fields);
  const { id } = (added.body as { server: { id: string } }).server;
  const stored = async () => {
    const { body } = await owner.request('GET', servers);
    return (body as { data: { id: string }[] }).data.find((server) => server.id === id);
  };
  try {
    await signIn(page, run, 'owner');
    await page.goto(`${run.web}/guilds/${run.guild_id}/servers`);
    await page.getByRole('button', { name: 'Edit Nether' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Nether' });
    await dialog.getByLabel('Name').fill('The Nether');
    await owner.change('PATCH', `${servers}/${id}`, { allow_patterns: ['say *'], deny_patterns: ['stop'] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({
      name: 'The Nether',
      allow_patterns: ['say *'],
      deny_patterns: ['stop'],
    });

    await owner.change('PATCH', `${servers}/${id}`, { allow_patterns: [] });
    await page.goto(`${run.web}/guilds/${run.guild_id}/servers/${id}`);
    const kick = page.getByRole('textbox', { name: 'Kick', exact: true });
    const ban = page.getByRole('textbox', { name: 'Ban', exact: true });
    await kick.fill('kick {player}');
    await owner.change('PATCH', `${servers}/${id}`, {
      game: 'minecraft',
      templates: { ...templates, kick: '' },
    });
    await expect(ban).toHaveValue('ban {player}');
    await expect(kick).toHaveValue('kick {player}');
    await page.getByRole('button', { name: 'Save commands' }).click();
    await expect.poll(stored).toMatchObject({ game: 'minecraft', templates });
  } finally {
    await owner.change('DELETE', `${servers}/${id}`);
  }
});

test('why a command was not run is said in the reader’s language, in the history and in the audit log', async ({
  page,
}) => {
  verifies('rcon.history.language');
  await signIn(page, run, 'owner');
  const { status } = await send(`${run.sandbox}/sandbox/rcon-faults`, {
    method: 'POST',
    json: { mode: 'refuse_auth' },
  });
  expect(status).toBe(200);
  const serverPage = `${run.web}/guilds/${run.guild_id}/servers/${registered?.id}`;
  await page.goto(serverPage);
  await page.getByRole('textbox', { name: 'Command' }).fill('list');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const problem = 'The game server refused the password. Nothing was run.';
  const history = page.getByRole('list', { name: 'History' }).getByRole('listitem').first();
  await expect(history).toContainText(problem);

  await speak(page, 'de');
  const inGerman = `${PASSWORD_REFUSED.de} Es wurde nichts ausgeführt.`;
  await page.goto(serverPage);
  await expect(page.getByRole('list', { name: 'Verlauf' }).getByRole('listitem').first()).toContainText(
    inGerman,
  );
  await page.goto(`${run.web}/guilds/${run.guild_id}/audit?operation=servers.rcon&outcome=failed`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await page.getByRole('definition').filter({ hasText: inGerman }).waitFor();
  expect(await page.getByText(problem).count()).toBe(0);
});

test('a command whose answer the game server never gave is sent again when somebody presses again', async ({
  page,
}) => {
  verifies('dashboard.sent-again');
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/servers/${registered?.id}`);
  await page.getByRole('textbox', { name: 'Command' }).fill('say closing');
  const runs = page
    .getByRole('list', { name: 'History' })
    .getByRole('listitem')
    .filter({ hasText: 'say closing' });
  for (const times of [1, 2]) {
    const fault = { method: 'POST', json: { mode: 'drop_after' } };
    expect((await send(`${run.sandbox}/sandbox/rcon-faults`, fault)).status).toBe(200);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(runs).toHaveCount(times);
  }
});

test('why a form is refused is said in the reader’s language, also where no field of it shows that', async ({
  page,
}) => {
  verifies('dashboard.refused-form');
  await signIn(page, run, 'owner');
  await speak(page, 'de');
  await page.goto(`${run.web}/guilds/${run.guild_id}/servers`);
  await page.getByRole('button', { name: 'Server hinzufügen' }).click();
  const adding = page.getByRole('dialog', { name: 'Spielserver hinzufügen' });
  await adding.getByLabel('Name').fill('Skyblock');
  await adding.getByLabel('Host').fill('play.example.com:25575');
  await adding.getByLabel('RCON-Port').fill('25575');
  await adding.getByLabel('RCON-Passwort').fill('a guess');
  await adding.getByLabel('Verbieten').fill('stop\n/stop');
  await adding.getByRole('button', { name: 'Server hinzufügen' }).click();
  await adding.getByText('muss ein Hostname oder eine IP-Adresse sein').waitFor();
  await adding.getByText('Zeile 2 sagt dasselbe wie Zeile 1').waitFor();
  await page.keyboard.press('Escape');

  // The dialog has no field for the commands of the game, which its policy must not deny.
  await page.getByRole('button', { name: 'Survival bearbeiten' }).click();
  const editing = page.getByRole('dialog', { name: 'Survival bearbeiten' });
  await editing.getByLabel('Verbieten').fill('ban *');
  await editing.getByRole('button', { name: 'Speichern' }).click();
  await editing.getByRole('alert').filter({ hasText: 'ist ein Befehl dieses Servers' }).waitFor();
  expect(await faultsIn(page)).toEqual([]);
});
