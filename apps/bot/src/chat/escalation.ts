import { ApiError, type Escalation, type EscalationStep, type InputOf, type OutputOf } from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { strikeRefusal } from '@bailiff/engine/calls/target-refusals';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { foreseeEscalation } from '@bailiff/engine/cases/escalation';
import type { Engine } from '@bailiff/engine/engine';
import { escalationEnd } from '@bailiff/engine/worker/escalation-actions';
import { type Locale, sayError, translator } from '@bailiff/messages';
import { lengthIn } from '@bailiff/messages/lengths';
import { ButtonStyle, ComponentType } from 'discord.js';
import type { Answer, Reply } from './answers.ts';
import type { Confirmations } from './confirmations.ts';
import { type Attached, type EvidenceKeeping, withEvidence } from './evidence.ts';

type StrikeInput = InputOf<'strikes.add'>;
type Given = OutputOf<'strikes.add'>;

/** A requested strike, and what is kept with its case. */
export interface AskedStrike {
  readonly input: StrikeInput;
  readonly evidence: Attached | null;
  /** Writes the answer for a strike that was given. */
  readonly replyTo: (given: Given) => Answer;
}

/** A strike that waits for its button, with the escalation that the person was shown. */
export interface StrikeQuestion extends AskedStrike {
  readonly foreseen: EscalationStep;
}

export interface StrikeDeps extends EvidenceKeeping {
  readonly strikes: Confirmations<StrikeQuestion>;
}

/** The person who gives a strike, and where they are answered. */
export interface StrikeAuthor {
  readonly guildId: string;
  readonly userId: string;
  readonly locale: Locale;
  readonly requestId: string;
  /** When they asked, by Discord's clock. */
  readonly askedAtMs: number;
}

const BUTTON = 'strike:';
/**
 * How long to wait for the escalation's result, which is added to the answer. By then its action has ended or is
 * unknown.
 */
const END_WITHIN_MS = 9_000;

/** The id in the custom id of a strike's button. Null for another button. */
export function strikeOfButton(customId: string): string | null {
  return customId.startsWith(BUTTON) ? customId.slice(BUTTON.length) : null;
}

/**
 * The answer to a requested strike. A strike that escalates to nothing is given at once. Otherwise the person is shown
 * the sanction with a button. The press gives the strike with exactly that sanction; if it has changed, nothing is done
 * and the person is asked again.
 *
 * @throws ApiError as `performForPerson`
 */
export async function giveStrike(
  deps: StrikeDeps,
  asked: AskedStrike,
  author: StrikeAuthor,
): Promise<Answer> {
  const { engine } = deps;
  const { guildId, userId: authorId } = author;
  await authorizePerson(engine, { operation: 'strikes.add', guildId, userId: authorId });
  const { user_id: userId, severity } = asked.input;
  const foreseen = await foreseeEscalation(engine.db, guildId, userId, severity);
  if (foreseen.step === null) return carryOut(deps, asked, author, null);
  // Check first: nobody is asked to confirm what would be refused, or learns the points of someone above them.
  const reason = await strikeRefusal(engine.db.pool, guildId, authorId, userId);
  if (reason === null) return askStrike(deps, asked, author, foreseen);
  const { code, message } = forbidden(reason);
  throw new ApiError(code, message, { details: { reason } });
}

/** Gives the strike whose button was pressed. */
export function confirmStrike(
  deps: StrikeDeps,
  question: StrikeQuestion,
  author: StrikeAuthor,
): Promise<Answer> {
  return carryOut(deps, question, author, question.foreseen);
}

async function carryOut(
  deps: StrikeDeps,
  asked: AskedStrike,
  author: StrikeAuthor,
  foreseen: EscalationStep | null,
): Promise<Answer> {
  const { opened, kept } = await withEvidence(
    deps,
    { ...author, evidence: asked.evidence, fetchFirstMs: 0 },
    async (actionId) => {
      const given = await strike(deps.engine, asked, { ...author, actionId }, foreseen);
      return { given, body: given === 'changed' ? {} : given };
    },
  );
  const { given } = opened;
  if (given === 'changed') {
    const { severity, user_id } = asked.input;
    const now = await foreseeEscalation(deps.engine.db, author.guildId, user_id, severity);
    // There is no escalation any more. The person agreed to more than that.
    if (now.step === null) return carryOut(deps, asked, author, null);
    const { content, ...question } = askStrike(deps, asked, author, now);
    return { ...question, content: `${translator(author.locale, 'escalation')('changed')} ${content}` };
  }
  const { more, ...told } = asked.replyTo(given);
  return {
    ...told,
    more: async () => {
      const lines = await Promise.all([
        foreseen === null ? null : escalationResult(deps.engine, given, foreseen, author),
        kept,
        more?.() ?? null,
      ]);
      return lines.filter(Boolean).join('\n');
    },
  };
}

async function strike(
  engine: Engine,
  { input }: AskedStrike,
  { guildId, userId, requestId, actionId }: StrikeAuthor & { readonly actionId: string | undefined },
  foreseen: EscalationStep | null,
): Promise<Given | 'changed'> {
  try {
    const { body } = await performForPerson(engine, {
      operation: 'strikes.add',
      guildId,
      input,
      actor: { source: 'chat', userId },
      requestId,
      actionId,
      address: null,
      foreseen,
    });
    return body;
  } catch (error) {
    const details = error instanceof ApiError ? error.details : undefined;
    if (details !== undefined && 'reason' in details && details.reason === 'ESCALATION_CHANGED') {
      return 'changed';
    }
    throw error;
  }
}

function askStrike(
  { strikes }: StrikeDeps,
  asked: AskedStrike,
  { userId, locale, askedAtMs }: StrikeAuthor,
  { pointsBefore, pointsAfter, step }: Escalation,
): Reply & { content: string } {
  if (step === null) throw new Error('Nothing follows from the strike: there is nothing to ask');
  const say = translator(locale, 'escalation');
  const counted = (count: number) => say('counted', { count });
  const points = say('points', {
    user: `<@${asked.input.user_id}>`,
    before: counted(pointsBefore),
    after: counted(pointsAfter),
  });
  const would =
    step.sanction === 'ban'
      ? say('wouldBan', { permanent: permanence(step), length: lengthOf(step, locale) })
      : say('wouldMute', { length: lengthOf(step, locale) });
  const id = strikes.ask(userId, askedAtMs, { ...asked, foreseen: step });
  return {
    content: `${points} ${would} ${say('question')}`,
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.Button,
            style: ButtonStyle.Danger,
            label: say(`confirm.${step.sanction}`),
            custom_id: `${BUTTON}${id}`,
          },
        ],
      },
    ],
  };
}

function permanence({ durationMinutes }: EscalationStep): 'yes' | 'no' {
  return durationMinutes === null ? 'yes' : 'no';
}

function lengthOf({ durationMinutes }: EscalationStep, locale: Locale): string {
  return durationMinutes === null ? '' : lengthIn(locale, durationMinutes * 60);
}

async function escalationResult(
  engine: Engine,
  { strike_id }: Given,
  step: EscalationStep,
  { locale, requestId }: StrikeAuthor,
): Promise<string> {
  const say = translator(locale, 'escalation');
  const { sanction } = step;
  const end = await escalationEnd(engine, { id: strike_id, requestId }, END_WITHIN_MS);
  switch (end.state) {
    case 'done': {
      const told = { points: end.points, length: lengthOf(step, locale), number: String(end.caseNumber) };
      return sanction === 'ban'
        ? say('banned', { ...told, permanent: permanence(step) })
        : say('muted', told);
    }
    case 'failed':
      return say(`notDone.${sanction}`, { problem: sayError(translator(locale, 'errors'), end.error) });
    case 'not_due':
      return say(`superseded.${sanction}`);
    case 'under_way':
      return say(`underWay.${sanction}`);
  }
}
