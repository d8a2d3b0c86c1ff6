// What people read who chose another language than English, where it was English or did not fit.
import type { Page } from '@playwright/test';
import { openWhole } from '#src/all-pages.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { signedInPage } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
/** px, of the button of the search. */
const HEIGHT_OF_ONE_LINE = 36;

const WORDS = {
  en: {
    search: 'Search …',
    file: 'File',
    choose: 'Choose a file',
    none: 'None chosen yet',
    audit: 'In the audit log',
    warn: 'Warn a user',
  },
  de: {
    search: 'Suchen …',
    file: 'Datei',
    choose: 'Datei wählen',
    none: 'Noch keine gewählt',
    audit: 'Im Audit-Log',
    warn: 'Einen Hinweis geben',
  },
  es: {
    search: 'Buscar …',
    file: 'Archivo',
    choose: 'Elegir un archivo',
    none: 'Ninguno elegido todavía',
    audit: 'En el registro de auditoría',
    warn: 'Dar un aviso',
  },
  fr: {
    search: 'Chercher …',
    file: 'Fichier',
    choose: 'Choisir un fichier',
    none: 'Aucun choisi pour l’instant',
    audit: 'Dans le journal d’audit',
    warn: 'Faire un rappel',
  },
  pt: {
    search: 'Buscar …',
    file: 'Arquivo',
    choose: 'Escolher um arquivo',
    none: 'Nenhum escolhido ainda',
    audit: 'No registro de auditoria',
    warn: 'Dar um aviso',
  },
};

let page: Page;

test.beforeAll(async ({ browser }) => {
  await refillBudgets(run.directory);
  page = await signedInPage(browser, run, 'owner');
  await say('warn', { user: run.people.member2 ?? '', reason: 'Fed the gulls' });
});
test.afterAll(() => page?.context().close());

for (const [locale, words] of Object.entries(WORDS)) {
  test(`in the language ${locale} the search fits its button, files are chosen and actions named in it`, async () => {
    verifies('dashboard.languages-whole');
    const { hostname } = new URL(run.web);
    await page.context().addCookies([{ name: 'bailiff.locale', value: locale, domain: hostname, path: '/' }]);
    await openWhole(page, `${guild}/settings/imports`);
    const search = page.getByRole('button', { name: words.search });
    expect((await search.boundingBox())?.height).toBe(HEIGHT_OF_ONE_LINE);

    const file = page.getByLabel(words.file);
    // The browser would say it in its own language.
    expect((await file.boundingBox())?.width).toBe(1);
    await page.getByText(words.choose).waitFor();
    await page.getByText(words.none).waitFor();
    await file.setInputFiles({ name: 'lanterns.csv', mimeType: 'text/csv', buffer: Buffer.from('kind') });
    await page.getByText('lanterns.csv').waitFor();

    await openWhole(page, `${guild}/cases?member=${run.people.member2}`);
    await page
      .getByRole('row', { name: /Fed the gulls/ })
      .getByRole('link', { name: /^#\d+$/ })
      .click();
    const audit = page.getByRole('region', { name: words.audit });
    await expect(audit.getByRole('row').nth(1)).toContainText(words.warn);
  });
}
