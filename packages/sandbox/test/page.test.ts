import { describe, expect, it } from 'vitest';
import { call, idOf, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();

async function page(query: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${sandbox.get().url}/?${new URLSearchParams(query)}`);
  expect(answer.headers.get('content-type')).toContain('text/html');
  return answer.text();
}

describe('the page', () => {
  it('shows only channels the person sees', async () => {
    const asOwner = await page();
    expect(asOwner).toContain('# mod-log');
    // It is in no category, and Discord lists such channels first.
    expect(asOwner.indexOf('# mod-log')).toBeLessThan(asOwner.indexOf('<span>Tickets</span>'));
    expect(await page({ as: idOf(sandbox.get().people, 'member') })).not.toContain('# mod-log');
  });

  it('shows what people and bots write as text, never as markup', async () => {
    const attack = '<img src=x onerror=alert(1)>"\'';
    sandbox.get().control.messages({ user: 'troll', content: attack });
    sandbox.get().control.members({ action: 'nick', user: 'troll', nick: '<b>bold</b>' });
    const general = idOf(sandbox.get().channels, 'general');
    await call(sandbox.get(), 'POST', `/channels/${general}/messages`, {
      embeds: [{ title: attack }],
      components: [{ type: 1, components: [{ type: 2, style: 1, label: attack, custom_id: '"><script>' }] }],
    });
    for (const view of ['channel', 'members', 'bans', 'dms', 'audit', 'server']) {
      const html = await page({ view });
      expect(html).not.toContain('<img');
      expect(html).not.toContain('<b>bold');
      expect(html).not.toContain('"><script>');
      expect(html.match(/<script/g)).toHaveLength(1);
    }
  });

  it('shows mentions and times as a client does', async () => {
    const { channels, people } = sandbox.get();
    const content = `<@${idOf(people, 'helper')}> in <#${idOf(channels, 'off_topic')}> at <t:1767225600:f>`;
    sandbox.get().control.messages({ user: 'moderator', content });
    expect(await page()).toContain(
      '<b>@Piet Lindqvist</b> in <b>#off-topic</b> at <time datetime="2026-01-01T00:00:00.000Z">',
    );
  });

  it('shows bans with reasons, the audit log, and registered commands with their options', async () => {
    sandbox.get().control.bans({ user: 'troll', by: 'moderator', reason: 'griefing again' });
    expect(await page({ view: 'bans' })).toContain('griefing again');
    expect(await page({ view: 'audit' })).toContain('MemberBanAdd');
    await call(sandbox.get(), 'PUT', `/applications/${sandbox.get().clientId}/commands`, [
      {
        name: 'ban',
        description: 'Ban somebody',
        options: [{ type: 6, name: 'user', description: 'Whom', required: true }],
      },
    ]);
    const html = await page();
    expect(html).toContain('/ban <span');
    expect(html).toContain('<select name="user" required>');
  });
});
