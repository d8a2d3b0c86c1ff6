import { describeCall, type InputOf, type OperationName, type OutputOf } from '@bailiff/core';
import type { PersonRead } from '@bailiff/engine';
import type { InteractionEditReplyOptions } from 'discord.js';
import { defused, moment, quoted } from './text.ts';
import { tellTicket } from './tickets.ts';

/** What a person is told. */
export type Reply = Pick<InteractionEditReplyOptions, 'content' | 'files' | 'components'>;

/** The longest answer; Discord takes 2,000 characters. */
export const LONGEST_ANSWER = 1_900;
const LONGEST_REASON = 80;
const LONGEST_REASON_ALONE = 600;

/** Where something was done, and the names of what is spoken of, by id. */
export interface Spoken {
  readonly guildId: string;
  readonly names: Readonly<Record<string, string>>;
}

/** What was done, with its case number where it has one. */
export function tellDone(operation: OperationName, input: object, body: object, spoken: Spoken): Reply {
  if (operation === 'servers.rcon') return tellOutput(input, body as OutputOf<'servers.rcon'>, spoken);
  if (operation === 'messages.purge')
    return { content: tellPurge(input, body as OutputOf<'messages.purge'>) };
  const told = tellTicket(operation, body);
  if (told !== null) return { content: `Done. ${told}` };
  const caseNumber = caseNumberIn(body);
  const numbered = caseNumber === null ? '' : ` (case #${caseNumber})`;
  return { content: `Done. ${sentenceOf(operation, input, spoken)}${numbered}` };
}

function sentenceOf(operation: OperationName, input: object, { guildId, names }: Spoken): string {
  return describeCall(operation, guildId, input as never, names);
}

function caseNumberIn(body: object): number | null {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value)
      return Number(value.case_number);
  }
  return null;
}

function tellOutput(input: object, { run }: OutputOf<'servers.rcon'>, spoken: Spoken): Reply {
  const cut = run.truncated ? ' The server said more than is kept.' : '';
  const done = `Done. ${sentenceOf('servers.rcon', input, spoken).slice(0, 400)}.${cut}`;
  if (run.output.trim() === '') return { content: `${done} The server said nothing.` };
  const block = `${done}\n\`\`\`\n${defused(run.output)}\n\`\`\``;
  if (block.length <= LONGEST_ANSWER) return { content: block };
  const attachment = Buffer.from(run.output, 'utf8');
  return { content: `${done} What it said is in the file.`, files: [{ attachment, name: 'output.txt' }] };
}

function tellPurge(input: object, { purge }: OutputOf<'messages.purge'>): string {
  const { channel_id } = input as InputOf<'messages.purge'>;
  const kept = purge.deleted === 0 ? '' : ' They are kept for 30 days.';
  const fewer = purge.deleted < purge.requested ? ` of the ${purge.requested} asked for` : '';
  return `Done. Deleted ${messages(purge.deleted)}${fewer} in <#${channel_id}>.${kept}`;
}

export function messages(count: number): string {
  return `${count} message${count === 1 ? '' : 's'}`;
}

type Case = OutputOf<'cases.get'>;

/** How each read that chat offers is told. */
const TELL_READ: { readonly [N in PersonRead]?: (body: OutputOf<N>, input: InputOf<N>) => string } = {
  'strikes.list': ({ data, next_cursor }) => {
    if (data.length === 0) return 'There are no such strikes.';
    const lines = data.map((strike) =>
      caseLine({ ...strike, kind: 'strike', expires_at: null, ended_at: strike.removed_at }),
    );
    const more = next_cursor === null ? [] : ['There are more: the dashboard has all of them.'];
    return fitting(['**Strikes**, newest first', ...lines], more);
  },
  'cases.list': ({ data, total }, { user_id }) => {
    if (total === 0) return `There is no case of <@${user_id}> that you may read.`;
    const more = total > data.length ? [`${total - data.length} older ones are in the dashboard.`] : [];
    const head = `**${total} case${total === 1 ? '' : 's'}** of <@${user_id}>, newest first`;
    return fitting([head, ...data.map(caseLine)], more);
  },
  'cases.get': (shown) => {
    const lines = [
      `**Case #${shown.case_number}: ${kindOf(shown)}** of <@${shown.user_id}> (${shown.user_id})`,
      `By <@${shown.issued_by}>, ${moment(shown.issued_at, 'f')}`,
      `Reason: ${shown.reason === null ? 'none' : quoted(shown.reason, LONGEST_REASON_ALONE)}`,
      shown.expires_at === null ? '' : `Until ${moment(shown.expires_at, 'f')}`,
      stateOf(shown),
    ];
    return lines.filter(Boolean).join('\n');
  },
  'members.self': ({ is_owner, capabilities, grants }) => {
    if (is_owner) return 'You own this server, so you may do everything here.';
    if (capabilities.length === 0) {
      return 'You may do nothing here but open tickets: none of your roles was granted a capability. The owner grants them in the dashboard.';
    }
    const lines = grants.map((grant) => `<@&${grant.role_id}>: ${grant.capabilities.join(', ')}`);
    return fitting(['**What you may do here**, by role', ...lines], []);
  },
};

/** What was read, in words. */
export function tellRead<N extends PersonRead>(operation: N, body: OutputOf<N>, input: InputOf<N>): Reply {
  const tell = TELL_READ[operation];
  if (tell === undefined) throw new Error(`Chat has no words for ${operation}`);
  return { content: tell(body, input) };
}

type Line = Pick<
  Case,
  'case_number' | 'kind' | 'severity' | 'user_id' | 'reason' | 'issued_by' | 'issued_at' | 'expires_at'
> &
  Pick<Case, 'active' | 'ended_at'>;

function caseLine(shown: Line): string {
  const reason = shown.reason === null ? '' : ` ${quoted(shown.reason, LONGEST_REASON)}`;
  const over = shown.active ? '' : shown.ended_at === null ? ' · expired' : ' · lifted';
  return `\`#${shown.case_number}\` ${kindOf(shown)} · <@${shown.user_id}>${reason} · by <@${shown.issued_by}> ${moment(shown.issued_at, 'd')}${over}`;
}

function kindOf({ kind, severity }: Pick<Case, 'kind' | 'severity'>): string {
  return severity === null ? kind : `${severity} ${kind}`;
}

function stateOf({ active, ended_at, ended_by, end_reason }: Case): string {
  if (active) return 'In force';
  if (ended_at === null) return 'Expired';
  const reason = end_reason === null ? '' : `: ${quoted(end_reason, LONGEST_REASON)}`;
  return `Lifted by ${ended_by === null ? 'somebody' : `<@${ended_by}>`}, ${moment(ended_at, 'f')}${reason}`;
}

/** Lines as long as they fit into one answer, and what is said behind them; those left out are counted. */
function fitting(lines: readonly string[], tail: readonly string[]): string {
  const room = LONGEST_ANSWER - tail.join('\n').length - 40;
  let used = 0;
  const kept = lines.filter((line) => {
    used += line.length + 1;
    return used <= room;
  });
  const left = lines.length - kept.length;
  return [...kept, ...(left === 0 ? [] : [`… and ${left} more.`]), ...tail].join('\n');
}
