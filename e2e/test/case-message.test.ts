// The message that a case is about and its files, on the page of the case.
import { readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import type { JSHandle, Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
import { say } from '#src/chat-command.ts';
import { markKnown } from '#src/known-region.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function act<Answer>(path: string, json: object): Promise<Answer> {
  const { status, body, text } = await send(`${run.sandbox}/sandbox/${path}`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return body as Answer;
}

/** Opens the latest case of a person from their record. */
async function openCaseOf(page: Page, user: string): Promise<void> {
  await page.goto(`${run.web}/guilds/${run.guild_id}/members/${user}`);
  await page
    .getByRole('link', { name: /^(Case )?#\d+/ })
    .first()
    .click();
}

test('the page of a case shows the message that it is about, with its link, its files and nothing that it hides', async ({
  page,
}) => {
  verifies('evidence.case-message', 'evidence.link');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const user = spareMembers(guild, run.people).at(-2) ?? '';
  const { messages } = await act<{ messages: { id: string; channel_id: string }[] }>('messages', {
    channel: 'general',
    user,
    content: `Buy **cheap** sheep\n<script>alert(1)</script> \u202e${'long'.repeat(100)}`,
    files: [{ filename: `${'a very long name '.repeat(5)}.txt`, base64: base64('sheep') }],
  });
  const [message] = messages;
  const link = `https://discord.com/channels/${run.guild_id}/${message?.channel_id}/${message?.id}`;
  expect(await say('warn', { user, reason: 'Spam', 'message-link': link })).toMatch(/^Done\./);
  await signIn(page, run, 'owner');
  await openCaseOf(page, user);
  const about = page.getByRole('region', { name: 'Message' });
  await about.getByText('Buy **cheap** sheep').waitFor();
  await expect(about).toContainText('<script>alert(1)</script>');
  await expect(about).not.toContainText('\u202e');
  await expect(about.getByRole('link', { name: 'Open in Discord' })).toHaveAttribute('href', link);
  const file = page.getByRole('region', { name: 'Evidence' }).getByRole('link', { name: /^Download a very/ });
  // The file is fetched after the answer; nobody is told to load the page again.
  await file.waitFor();
  const download = page.waitForEvent('download');
  await file.click();
  expect((await download).suggestedFilename()).toContain('a very long name');
  expect(await faultsInThemes(page)).toEqual([]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
});

test('a case about a message of files alone says that it has no text', async ({ page }) => {
  verifies('evidence.case-message');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const user = spareMembers(guild, run.people).at(-3) ?? '';
  const { messages } = await act<{ messages: { id: string; channel_id: string }[] }>('messages', {
    channel: 'general',
    user,
    files: [{ filename: 'sheep.txt', base64: base64('sheep') }],
  });
  const [message] = messages;
  const link = `https://discord.com/channels/${run.guild_id}/${message?.channel_id}/${message?.id}`;
  await say('warn', { user, reason: 'Sheep', 'message-link': link });
  await signIn(page, run, 'owner');
  await openCaseOf(page, user);
  await page.getByRole('region', { name: 'Message' }).getByText('It has no text.').waitFor();
});

test('files are dropped on the page of a case or chosen there, and what is refused says why', async ({
  page,
}) => {
  verifies('evidence.upload', 'evidence.upload-bounds');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const user = spareMembers(guild, run.people).at(-3) ?? '';
  await say('warn', { user, reason: 'Spam' });
  await signIn(page, run, 'owner');
  await openCaseOf(page, user);
  const evidence = page.getByRole('region', { name: 'Evidence' });
  await markKnown(evidence.getByRole('status'));
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await evidence.getByLabel('Attach files').setInputFiles([
    { name: 'chat.log', mimeType: 'text/plain', buffer: Buffer.from('Buy sheep') },
    { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(8 * 1024 * 1024 + 1) },
    { name: 'song.ogg', mimeType: 'audio/ogg', buffer: Buffer.alloc(1.5 * 1024 * 1024, 1) },
    { name: 'nothing.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    { name: 'picture \u{1f411} "one".png', mimeType: 'image/png', buffer: png },
  ]);
  await evidence.locator('.known').getByText('chat.log is attached.').waitFor();
  await evidence.getByText('picture \u{1f411} "one".png is attached.').waitFor();
  await expect(evidence.getByRole('alert')).toHaveText([
    /^film\.mp4 is larger than 8\u00a0MB/,
    /^nothing\.txt is empty\./,
  ]);
  await evidence.getByRole('img', { name: /^picture/ }).waitFor();
  await expect(evidence.getByRole('link', { name: /^Download/ })).toHaveCount(3);
  await expect(evidence.getByRole('listitem').filter({ hasText: 'chat.log' })).toContainText('1 KB');
  await expect(evidence.getByRole('listitem').filter({ hasText: 'song.ogg' })).toContainText('1.5 MB');

  const dropped = await page.evaluateHandle<JSHandle>(`
    const data = new DataTransfer();
    data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
    data`);
  const place = evidence.getByText(/^Drop files here/);
  const frame = place.locator('..');
  await place.dispatchEvent('dragover', { dataTransfer: dropped });
  await expect(frame).toHaveClass(/border-accent/);
  await place.dispatchEvent('drop', { dataTransfer: dropped });
  await evidence.getByRole('link', { name: 'Download dropped.txt' }).waitFor();
  await expect(frame).not.toHaveClass(/border-accent/);
  // What the first ones were refused for says nothing of this one.
  await expect(evidence.getByRole('alert')).toHaveCount(0);
  expect(await faultsInThemes(page)).toEqual([]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
});
