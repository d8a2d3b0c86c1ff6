import { verifies } from '@bailiff/core/testing';
import { describe, expect, it } from 'vitest';
import type { View } from '#src/page/wire.ts';
import { call, idOf, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile({ dashboardUrl: 'http://dashboard.example', firstAnswerMs: 60_000 });

async function view(query: Record<string, string> = {}): Promise<View> {
  const answer = await fetch(`${sandbox.get().url}/page/view?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as View;
}

const as = (person: string) => ({ as: idOf(sandbox.get().people, person) });

describe('the page', () => {
  it('runs only scripts of its own files, and uploads are never shown as pages', async () => {
    const { url, control } = sandbox.get();
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(await page.text()).not.toMatch(/<script(?! type="module" src="\/page\/main.ts")/);
    const script = await fetch(`${url}/page/main.ts`);
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect(await script.text()).not.toContain('import type');
    for (const name of ['nothing.ts', '..%2fpackage.json', 'tsconfig.json']) {
      expect((await fetch(`${url}/page/${name}`)).status).toBe(404);
    }

    const base64 = Buffer.from('<script>alert(1)</script>').toString('base64');
    control.messages({
      user: 'member',
      content: 'look',
      files: [{ filename: 'a.html', content_type: 'text/html', base64 }],
    });
    const { messages } = await view();
    const upload = await fetch(`${url}${messages.at(-1)?.files[0]?.path}`);
    expect(upload.headers.get('content-disposition')).toBe('attachment');
    expect(upload.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shows only what the person sees, with #mod-log in no category', async () => {
    const names = (shown: View) => shown.channels.map(({ name }) => name);
    const moderator = names(await view(as('moderator')));
    expect(moderator.indexOf('mod-log')).toBeLessThan(moderator.indexOf('Tickets'));
    expect(moderator.at(-1)).toBe('Tickets');
    expect(names(await view(as('member')))).not.toContain('mod-log');
    const channel = idOf(sandbox.get().channels, 'mod_log');
    expect((await view({ ...as('member'), channel })).place.name).toBe('general');
  });

  it('says what each person may do', async () => {
    verifies('sandbox.page.who');
    const { me, people, members } = await view(as('moderator'));
    expect(members.find(({ id }) => id === me.id)).toMatchObject({
      group: 'Moderator',
      roles: ['Moderator', 'Regular'],
    });
    expect(me).toMatchObject({ name: 'Juno Okafor', part: 'moderator' });
    expect(me.may).toBe('May ban, kick, time out, delete messages, and read the audit log.');
    expect(people[0]).toMatchObject({
      name: 'Mira Voss',
      part: 'owner',
      may: 'Owns the server and may do everything.',
    });
    expect(people.some(({ name }) => name === 'Bailiff')).toBe(false);
  });

  it('shows an answer for one person to nobody else', async () => {
    await call(sandbox.get(), 'PUT', `/applications/${sandbox.get().clientId}/commands`, [
      {
        name: 'ban',
        name_localizations: { de: 'bannen' },
        description: 'Ban somebody',
        description_localizations: { de: 'Jemanden bannen' },
        default_member_permissions: '4',
        options: [
          {
            type: 6,
            name: 'user',
            description: 'Whom',
            description_localizations: { de: 'Wen' },
            required: true,
          },
        ],
      },
    ]);
    const { token, id } = await started();
    await call(sandbox.get(), 'POST', `/interactions/${id}/${token}/callback`, {
      type: 4,
      data: { content: 'Secret', flags: 64 },
    });
    const own = await view(as('moderator'));
    expect(own.messages.at(-1)).toMatchObject({ content: 'Secret', isEphemeral: true });
    expect((await view(as('owner'))).messages.map(({ content }) => content)).not.toContain('Secret');
  });

  it('offers commands in the words of the viewer’s language, to whom Discord shows them', async () => {
    verifies('sandbox.page.language');
    const { commands } = await view({ ...as('moderator'), locale: 'de' });
    expect(commands).toMatchObject([
      {
        words: 'ban',
        label: 'bannen',
        description: 'Jemanden bannen',
        options: [{ name: 'user', description: 'Wen' }],
      },
    ]);
    expect((await view({ ...as('moderator'), locale: 'fr' })).commands[0]?.label).toBe('ban');
    expect((await view(as('member'))).commands).toEqual([]);
  });

  it('has the newest messages first and older ones on request', async () => {
    sandbox.get().control.channels({ action: 'create', name: 'long' });
    const channel = { id: (await view()).channels.find(({ name }) => name === 'long')?.id ?? '' };
    sandbox.get().control.messages({ user: 'member', channel: channel.id, content: 'no.', count: 120 });
    const newest = await view({ channel: channel.id });
    expect(newest.messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['no. 71', 'no. 120']),
    );
    expect(newest).toMatchObject({ hasOlder: true, messages: { length: 50 } });
    const from = newest.messages[0]?.id ?? '';
    const more = await view({ channel: channel.id, from, older: '50' });
    expect(more.messages[0]?.content).toBe('no. 21');
    const all = await view({ channel: channel.id, from: more.messages[0]?.id ?? '', older: '50' });
    expect(all).toMatchObject({ hasOlder: false, messages: { length: 120 } });
  });

  it('hears of changes from a stream', async () => {
    const abort = new AbortController();
    const stream = await fetch(`${sandbox.get().url}/page/stream`, { signal: abort.signal });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    sandbox.get().control.messages({ user: 'member', content: 'News' });
    const second = await reader?.read();
    expect(Number(second?.value?.slice(6))).toBeGreaterThan(Number(first?.value?.slice(6)));
    abort.abort();
  });

  it('signs its person in at the dashboard, once', async () => {
    verifies('sandbox.page.dashboard');
    const { url, clientId, people } = sandbox.get();
    const person = idOf(people, 'moderator');
    const elsewhere = `${url.replace('127.0.0.1', 'localhost')}/page/dashboard?login_as=${person}`;
    const moved = await fetch(elsewhere, { redirect: 'manual' });
    expect(moved.headers.get('location')).toBe(`${url}/page/dashboard?login_as=${person}`);
    const link = await fetch(
      `${url}/page/dashboard?${new URLSearchParams({ login_as: person, to: '/guilds/1' })}`,
      { redirect: 'manual' },
    );
    expect(link.headers.get('location')).toBe(
      'http://dashboard.example/sign-in?again=1&callbackUrl=%2Fguilds%2F1',
    );
    const [cookie = ''] = link.headers.getSetCookie();
    expect(cookie).toContain('HttpOnly; SameSite=Lax');
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: 'http://dashboard.example/callback',
      scope: 'identify',
    });
    const authorize = (headers: Record<string, string>) =>
      fetch(`${url}/oauth2/authorize?${query}`, { headers, redirect: 'manual' });
    const signedIn = await authorize({ cookie: cookie.split(';')[0] ?? '' });
    expect(signedIn.headers.get('location')).toContain('http://dashboard.example/callback?code=');
    expect(signedIn.headers.getSetCookie()).toEqual(['login_as=; Path=/; Max-Age=0']);
    expect(await (await authorize({})).text()).toContain('Sign in to Bailiff as');
  });
});

/** A command of the moderator, as the bot hears of it. */
async function started() {
  const { control, people } = sandbox.get();
  const answer = control.interact({
    type: 'command',
    user: 'moderator',
    command: 'ban',
    options: { user: idOf(people, 'troll') },
    wait_ms: 0,
  });
  const { id } = await answer;
  return { id, token: `sandbox-interaction-${id}` };
}
