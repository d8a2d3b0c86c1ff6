import {
  ApiError,
  fillTemplate,
  flawOfTemplate,
  isCommandAllowed,
  MOST_TEMPLATE_CHARACTERS,
  SAMPLE_VALUES,
  type ServerTemplates,
  TEMPLATE_ACTIONS,
  type TemplateAction,
  type TemplateFault,
} from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import type { ServerView } from './server-view.ts';

/** Templates as the columns of a game server; all undefined if there are none to write. */
export function templateColumns(templates: ServerTemplates | undefined) {
  return {
    kickTemplate: templates?.kick,
    banTemplate: templates?.ban,
    unbanTemplate: templates?.unban,
    announceTemplate: templates?.announce,
  };
}

/** What an audit row says of the game and the templates. */
export function templatesWire({ game, templates }: ServerView) {
  return { game, templates };
}

/**
 * Refuses a server whose templates are wrong, or whose policy refuses one for a sample player. Each command is judged
 * again when it is run: a policy can refuse one player or reason and allow others.
 *
 * @throws ApiError VALIDATION_FAILED that names each template
 */
export function refuseWrongTemplates(server: ServerView): void {
  const issues = TEMPLATE_ACTIONS.flatMap((action) => {
    const flaw = flawOf(server, action);
    return flaw === null ? [] : [{ path: `templates.${action}`, ...flaw }];
  });
  const [first] = issues;
  if (first === undefined) return;
  throw new ApiError('VALIDATION_FAILED', `${first.path}: ${first.message}.`, {
    status: 422,
    details: { issues },
  });
}

/** What the API says of a template, to follow its name. */
const FAULTS: Readonly<Record<TemplateFault, string>> = {
  LONG: `must have at most ${MOST_TEMPLATE_CHARACTERS} characters`,
  HIDDEN: 'must be one line without characters that nobody sees',
  COMMANDS: 'must be one command, without ; | ` or \\',
  PLACEHOLDER: 'may only have the placeholders {player}, {reason} and {minutes}',
  BEGINNING: 'must begin with a command, not with a placeholder',
  QUOTATION: 'has a quotation mark without its other half',
  REASON_ONLY: 'can have no other placeholder than {reason}',
  NO_REASON: 'must have {reason}: it is what the players read',
  NO_PLAYER: 'must have {player}: it would not be about the person',
};

function flawOf(
  { game, templates, policy }: ServerView,
  action: TemplateAction,
): WordedIssue | { message: string } | null {
  const template = templates[action];
  if (template === '') return null;
  const fault = flawOfTemplate(action, template);
  if (fault !== null) return { message: FAULTS[fault] };
  const filled = fillTemplate(game, action, template, SAMPLE_VALUES[game]);
  if (!filled.ok) {
    return { message: 'gives no command for a sample player', say: { key: 'templateNothing' } };
  }
  const { command } = filled;
  if (isCommandAllowed(policy, command)) return null;
  const message = `gives "${command}", which the command policy denies: allow it there, or change the template`;
  return { message, say: { key: 'templateDenied', values: { command } } };
}
