import { ApiError, NO_TEMPLATES, TEMPLATE_PRESETS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { refuseWrongTemplates, templateColumns, templatesWire } from '#src/servers/server-templates.ts';
import type { ServerView } from '#src/servers/server-view.ts';

const server = (of: Partial<ServerView>): ServerView => ({
  id: 'srv_1',
  guildId: '1',
  name: 'Survival',
  host: 'game.example',
  port: 25575,
  policy: { allow: [], deny: [] },
  game: 'minecraft',
  templates: NO_TEMPLATES,
  createdAt: new Date(0),
  checkedAt: null,
  reachable: null,
  problem: null,
  ...of,
});

function issuesOf(of: Partial<ServerView>): unknown {
  try {
    refuseWrongTemplates(server(of));
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.status]).toEqual(['VALIDATION_FAILED', 422]);
    return error.details !== undefined && 'issues' in error.details ? error.details.issues : null;
  }
}

test('the templates of a preset, and none at all, are taken', () => {
  expect(issuesOf({})).toEqual([]);
  expect(issuesOf({ templates: TEMPLATE_PRESETS.minecraft })).toEqual([]);
});

test('each wrong template is named, with what is wrong', () => {
  verifies('servers.templates.one-command');
  const templates = { kick: 'kick {player}; op me', ban: 'ban', unban: 'pardon {player}', announce: '' };
  expect(issuesOf({ templates })).toEqual([
    { path: 'templates.kick', message: 'must be one command, without ; | ` or \\' },
    { path: 'templates.ban', message: 'must have {player}: it would not be about the person' },
  ]);
});

test.each([
  ['kick', `kick {player} ${'x'.repeat(300)}`, 'at most 300 characters'],
  ['kick', 'kick {player}\u202e', 'one line without characters that nobody sees'],
  ['kick', 'kick {player} | op me', 'one command'],
  ['kick', 'kick {player} {who}', '{player}, {reason} and {minutes}'],
  ['kick', '{player} kick', 'begin with a command'],
  ['kick', 'kick "{player}', 'quotation mark'],
  ['announce', 'say {reason} {player}', 'no other placeholder than {reason}'],
  ['announce', 'say hello', 'must have {reason}'],
  ['kick', 'kick everybody', 'must have {player}'],
] as const)('the command to %s that is %j is refused with what is wrong', (action, template, what) => {
  expect(issuesOf({ templates: { ...NO_TEMPLATES, [action]: template } })).toEqual([
    { path: `templates.${action}`, message: expect.stringContaining(what) },
  ]);
});

test('the error says what is wrong with the first of them', () => {
  const templates = { ...NO_TEMPLATES, kick: 'kick', ban: 'ban' };
  expect(() => refuseWrongTemplates(server({ templates }))).toThrow(
    'templates.kick: must have {player}: it would not be about the person.',
  );
});

test('a template that the policy of the server denies is refused with its command', () => {
  const policy = { allow: ['kick *'], deny: [] };
  const templates = { ...NO_TEMPLATES, kick: 'kick {player}', ban: 'ban {player}' };
  expect(issuesOf({ policy, templates })).toEqual([
    {
      path: 'templates.ban',
      message:
        'gives "ban BlockBreaker", which the command policy denies: allow it there, or change the template',
      say: { key: 'templateDenied', values: { command: 'ban BlockBreaker' } },
    },
  ]);
});

test('columns that are not given are not written, and an audit row has game and templates', () => {
  expect(templateColumns(undefined)).toEqual({
    kickTemplate: undefined,
    banTemplate: undefined,
    unbanTemplate: undefined,
    announceTemplate: undefined,
  });
  expect(templateColumns({ kick: 'a', ban: 'b', unban: 'c', announce: 'd' })).toEqual({
    kickTemplate: 'a',
    banTemplate: 'b',
    unbanTemplate: 'c',
    announceTemplate: 'd',
  });
  expect(templatesWire(server({ game: 'rust' }))).toEqual({ game: 'rust', templates: NO_TEMPLATES });
});
