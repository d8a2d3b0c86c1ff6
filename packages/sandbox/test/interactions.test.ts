import { type Client, Events, GatewayIntentBits as Intent, type Interaction } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '#src/index.ts';
import { call, connect, control, idOf, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile({ firstAnswerMs: 60_000 });
let client: Client<true>;

const COMMANDS = [
  {
    name: 'strike',
    description: 'Strikes',
    options: [
      {
        type: 1,
        name: 'add',
        description: 'Add a strike',
        options: [
          { type: 6, name: 'user', description: 'Who', required: true },
          { type: 3, name: 'severity', description: 'How bad', choices: [{ name: 'Minor', value: 'minor' }] },
          { type: 3, name: 'reason', description: 'Why', autocomplete: true, max_length: 20 },
          { type: 4, name: 'days', description: 'How long', min_value: 1 },
        ],
      },
    ],
  },
  { name: 'silent', description: 'Never answers' },
  { name: 'show', description: 'Shows a file', options: [{ type: 11, name: 'file', description: 'Which' }] },
  { name: 'panel', description: 'Admins only', default_member_permissions: '8' },
  { name: 'Mute', type: 2 },
  { name: 'Report', type: 3 },
];

/** A small bot. Each branch answers in a different way that discord.js offers. */
async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) {
    await interaction.respond([{ name: `for ${interaction.options.getFocused()}`, value: 'spam' }]);
  } else if (interaction.isChatInputCommand() && interaction.commandName === 'strike') {
    await interaction.deferReply({ flags: 'Ephemeral' });
    const user = interaction.options.getUser('user', true);
    const member = interaction.options.getMember('user');
    await interaction.editReply({
      content: `${user.username} ${member === null} ${interaction.options.getInteger('days')}`,
      components: [
        {
          type: 1,
          components: [
            { type: 2, style: 4, label: 'Undo', custom_id: 'undo' },
            { type: 2, style: 2, label: 'Reason', custom_id: 'reason' },
          ],
        },
      ],
    });
    await interaction.followUp({ content: 'logged', flags: 'Ephemeral' });
  } else if (interaction.isChatInputCommand() && interaction.commandName === 'show') {
    const { name, size, contentType, ephemeral, url } = interaction.options.getAttachment('file', true);
    await interaction.reply([name, size, contentType, ephemeral, url].join(' '));
  } else if (interaction.isUserContextMenuCommand()) {
    const reply = await interaction.reply({
      content: `mute ${interaction.targetUser.username}`,
      withResponse: true,
    });
    expect(reply.resource?.message?.content).toContain('mute');
  } else if (interaction.isMessageContextMenuCommand()) {
    await interaction.reply(`report ${interaction.targetMessage.content}`);
  } else if (interaction.isButton() && interaction.customId === 'undo') {
    await interaction.update({ content: 'undone', components: [] });
  } else if (interaction.isButton()) {
    await interaction.showModal({
      title: 'Reason',
      custom_id: 'reason-form',
      components: [
        {
          type: 1,
          components: [{ type: 4, custom_id: 'why', label: 'Why', style: 1, required: true, min_length: 3 }],
        },
      ],
    });
  } else if (interaction.isModalSubmit()) {
    await interaction.reply({
      content: `because ${interaction.fields.getTextInputValue('why')}`,
      flags: 'Ephemeral',
    });
  }
}

beforeAll(async () => {
  client = await connect(sandbox.get(), [Intent.Guilds]);
  await client.application.commands.set(COMMANDS as never, sandbox.get().guildId);
  client.on(Events.InteractionCreate, (interaction) => void answer(interaction));
});

afterAll(async () => {
  await client.destroy();
});

const act = (body: object) =>
  control(sandbox.get(), 'POST', '/interactions', { user: 'moderator', wait_ms: 60_000, ...body });

async function strike() {
  const { body } = await act({
    type: 'command',
    command: 'strike add',
    options: { user: 'troll', severity: 'minor', days: 3 },
  });
  return body as { id: string; state: string; message: { id: string; content: string; flags: number } };
}

describe('a member acts and the bot answers', () => {
  it('runs a slash command with subcommand and options, deferred and then edited, seen by nobody else', async () => {
    const done = await strike();
    expect(done.state).toBe('answered');
    expect(done.message.content).toBe('xx_grief_xx false 3');
    expect(done.message.flags & 64).toBe(64);
    const channel = `/channels/${idOf(sandbox.get().channels, 'general')}/messages/${done.message.id}`;
    expect((await call(sandbox.get(), 'GET', channel)).status).toBe(404);
    const kinds = await sandbox.get().until((state) => {
      const found = state.interactions
        .find((each) => each.id === done.id)
        ?.responses.map((each) => each.kind);
      return found?.includes('followup') && found;
    });
    expect(kinds).toEqual(['deferred', 'edit', 'followup']);
  });

  it('gives a file to a command, with a link that is signed', async () => {
    const file = {
      filename: 'a b.png',
      content_type: 'image/png',
      base64: Buffer.from('seen').toString('base64'),
    };
    const { body } = await act({ type: 'command', command: 'show', options: { file } });
    const { message } = body as Awaited<ReturnType<typeof strike>>;
    const [, about, link = ''] = /^(.*) (http\S+)$/.exec(message.content) ?? [];
    expect(about).toBe('a b.png 4 image/png true');
    expect(await (await fetch(link)).text()).toBe('seen');
    const expired = new URL(link);
    expired.searchParams.set('ex', 'ffffffff');
    for (const url of [expired, link.split('?')[0] ?? '']) {
      const refused = await fetch(url);
      expect([refused.status, await refused.text()]).toEqual([404, 'This content is no longer available.']);
    }
  });

  it('presses buttons on an ephemeral answer, opens a modal and sends it', async () => {
    const { message } = await strike();
    const opened = await act({ type: 'button', message_id: message.id, custom_id: 'reason' });
    expect(opened.body.modal).toMatchObject({ title: 'Reason' });
    const short = await act({ type: 'modal', interaction_id: opened.body.id, fields: { why: 'x' } });
    expect([short.status, short.body.error]).toEqual([400, expect.stringContaining('fields.why')]);
    const sent = await act({ type: 'modal', interaction_id: opened.body.id, fields: { why: 'spam' } });
    expect(sent.body.message).toMatchObject({ content: 'because spam' });
    const undone = await act({ type: 'button', message_id: message.id, custom_id: 'undo' });
    expect(undone.body.message).toMatchObject({ content: 'undone', components: [] });
    const gone = await act({ type: 'button', message_id: message.id, custom_id: 'undo' });
    expect([gone.status, gone.body.error]).toEqual([404, expect.stringContaining('usable are: none')]);
    const stranger = await act({ type: 'button', user: 'helper', message_id: message.id, custom_id: 'undo' });
    expect(stranger.status).toBe(404);
  });

  it('uses context menus on people and messages, and autocomplete', async () => {
    const mute = await act({ type: 'user_menu', command: 'Mute', target: 'troll' });
    expect(mute.body.message).toMatchObject({ content: 'mute xx_grief_xx' });
    const { messages } = sandbox.get().control.messages({ user: 'troll', content: 'rude' });
    const report = await act({ type: 'message_menu', command: 'Report', target: messages[0]?.id });
    expect(report.body.message).toMatchObject({ content: 'report rude' });
    const typed = await act({
      type: 'autocomplete',
      command: 'strike add',
      options: { reason: 'sp' },
      focused: 'reason',
    });
    expect(typed.body.choices).toEqual([{ name: 'for sp', value: 'spam' }]);
  });

  it('says what is wrong with a command before the bot sees it', async () => {
    const before = sandbox.get().getState().interactions.length;
    for (const [body, words] of [
      [{ command: 'strike' }, 'needs one of: add'],
      [{ command: 'strike add' }, 'options.user'],
      [{ command: 'strike add', options: { user: 'nobody' } }, 'is nobody'],
      [{ command: 'strike add', options: { user: 'troll', severity: 'huge' } }, 'not one of: minor'],
      [{ command: 'strike add', options: { user: 'troll', days: 0 } }, 'below 1'],
      [{ command: 'strike add', options: { user: 'troll', foo: 1 } }, 'options.foo'],
      [{ command: 'dance' }, 'registered are: strike'],
      [{ command: 'panel' }, 'cannot see /panel (missing permission)'],
      [{ command: 'silent', usr: 1 }, 'usr'],
      [{ command: 'silent', user: 'outsider' }, 'not a member'],
    ] as const) {
      const { status, body: answered } = await act({ type: 'command', ...body });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(answered.error).toContain(words);
    }
    expect(sandbox.get().getState().interactions).toHaveLength(before);
  });

  it('gives up on a bot that does not answer within three seconds, and refuses its late answer', async () => {
    const own = await startSandbox({ validate: true });
    onTestFinished(() => own.close());
    const commands = `/applications/${own.clientId}/guilds/${own.guildId}/commands`;
    await call(own, 'PUT', commands, [{ name: 'silent', description: 'Never answers' }]);
    const asked = { type: 'command', command: 'silent', user: 'moderator' };
    const { body } = await control(own, 'POST', '/interactions', asked);
    expect(body).toMatchObject({ state: 'expired', message: null, responses: [] });
    const late = await call(own, 'POST', `/interactions/${body.id}/sandbox-interaction-${body.id}/callback`, {
      type: 4,
      data: { content: 'late' },
    });
    expect([late.status, late.body.code]).toEqual([404, 10062]);
    expect(own.violations).toEqual([]);
  });
});
