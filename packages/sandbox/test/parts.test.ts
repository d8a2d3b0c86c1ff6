// What Discord's description allows one by one, and Discord does not take together or takes for nothing.
import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import { beforeEach, describe, expect, it } from 'vitest';
import { call, control, idOf, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile({ firstAnswerMs: 60_000 });
let general = '';
beforeEach(() => {
  general = `/channels/${idOf(sandbox.get().channels, 'general')}`;
});

const TAKEN = [200, undefined];
const REFUSED = [400, Code.InvalidFormBodyOrContentType];

async function post(body: object): Promise<unknown[]> {
  const answer = await call(sandbox.get(), 'POST', `${general}/messages`, body);
  return [answer.status, answer.body.code];
}

const row = (...components: object[]) => ({ type: 1, components });
const button = (id: string) => ({ type: 2, style: 2, label: 'Press', custom_id: id });
const menu = (...options: object[]) => ({ type: 3, custom_id: 'menu', options });
const posts = (...components: object[]) => post({ content: 'Choose', components });

describe('the components of a message', () => {
  it('are five rows of five buttons, of which no two have the same id', async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, at) => row(...[1, 2, 3, 4, 5].map((n) => button(`${at}-${n}`))));
    expect(await posts(...rows(5))).toEqual(TAKEN);
    expect(await posts(...rows(6))).toEqual(REFUSED);
    expect(await posts(row(button('a'), button('b')), row(button('a')))).toEqual(REFUSED);
  });

  it('have a menu alone in its row, with values of which no two are the same, and names that can be read', async () => {
    const option = (label: string, value: string) => ({ label, value });
    expect(await posts(row(menu(option('One', '1'), option('Two', '2'))))).toEqual(TAKEN);
    expect(await posts(row(menu(option('One', '1')), button('a')))).toEqual(REFUSED);
    expect(await posts(row(menu(option('One', '1'), option('Two', '1'))))).toEqual(REFUSED);
    expect(await posts(row(menu(option(' ', '1'))))).toEqual(REFUSED);
  });
});

describe('a message', () => {
  it('has at most 6,000 characters in its embeds, those of footers and authors among them', async () => {
    const embed = { description: 'x'.repeat(3_996), footer: { text: 'x'.repeat(2_000) } };
    expect(await post({ embeds: [{ ...embed, author: { name: 'four' } }] })).toEqual(TAKEN);
    expect(await post({ embeds: [{ ...embed, author: { name: 'fifth' } }] })).toEqual(REFUSED);
  });

  it('has no field of an embed that is white space', async () => {
    expect(await post({ embeds: [{ fields: [{ name: 'Reason', value: ' \n' }] }] })).toEqual(REFUSED);
  });

  it('has no file of more than 10 MB', async () => {
    const upload = async (bytes: number) => {
      const form = new FormData();
      form.set('payload_json', JSON.stringify({ content: 'See' }));
      form.set('files[0]', new Blob([new Uint8Array(bytes)]), 'seen.bin');
      const headers = { authorization: `Bot ${sandbox.get().botToken}` };
      const url = `${sandbox.get().apiUrl}/v10${general}/messages`;
      const answer = await fetch(url, { method: 'POST', headers, body: form });
      return [answer.status, ((await answer.json()) as { code?: number }).code];
    };
    expect(await upload(10 * 1024 * 1024)).toEqual(TAKEN);
    expect(await upload(10 * 1024 * 1024 + 1)).toEqual([413, Code.RequestEntityTooLarge]);
  });

  it('was written at a time to the microsecond, with an offset', async () => {
    const { body } = await call(sandbox.get(), 'POST', `${general}/messages`, { content: 'Now' });
    expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  });
});

describe('an answer to an interaction', () => {
  async function answer(kind: object, reply: object): Promise<unknown[]> {
    const { clientId, guildId } = sandbox.get();
    const option = { type: 3, name: 'word', description: 'Which', autocomplete: true };
    const find = { name: 'find', description: 'Finds', options: [option] };
    await call(sandbox.get(), 'PUT', `/applications/${clientId}/guilds/${guildId}/commands`, [find]);
    const asked = { user: 'member', command: 'find', wait_ms: 0, ...kind };
    const { body } = await control(sandbox.get(), 'POST', '/interactions', asked);
    const path = `/interactions/${body.id}/sandbox-interaction-${body.id}/callback`;
    const { status, body: said } = await call(sandbox.get(), 'POST', path, reply);
    return [status, said.code];
  }

  it('suggests names that can be read, and values of at most 100 characters', async () => {
    const suggest = (name: string, value: string) =>
      answer(
        { type: 'autocomplete', options: { word: 'a' }, focused: 'word' },
        { type: 8, data: { choices: [{ name, value }] } },
      );
    expect(await suggest('One', 'x'.repeat(100))).toEqual([204, undefined]);
    expect(await suggest('One', 'x'.repeat(101))).toEqual(REFUSED);
    expect(await suggest(' ', 'x')).toEqual(REFUSED);
  });

  it('opens no form with a field that begins with more than may be typed into it', async () => {
    const open = (value: string) => {
      const component = { type: 4, style: 1, custom_id: 'why', max_length: 3, value };
      const components = [{ type: 18, label: 'Why', component }];
      return answer({ type: 'command' }, { type: 9, data: { custom_id: 'form', title: 'Form', components } });
    };
    expect(await open('abc')).toEqual([204, undefined]);
    expect(await open('abcd')).toEqual(REFUSED);
  });
});
