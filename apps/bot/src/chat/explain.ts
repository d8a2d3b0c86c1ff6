import { ApiError, type OperationName } from '@bailiff/core';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, sayError, sayMissing, translator } from '@bailiff/messages';
import type { Logger } from '#src/log.ts';
import { InputProblem } from './read-input.ts';

/** An action goes on that the answer can no longer follow. The message is for the person, in their language. */
export class GoesOn extends Error {}

/** A request that failed, and the person to tell. */
export interface Refused {
  /** Null in direct messages. */
  readonly guildId: string | null;
  readonly requestId: string;
  readonly locale: Locale;
  /** Absent for what is no operation. */
  readonly operation?: OperationName;
  /** The number of the requested case. */
  readonly number?: number | null;
}

/**
 * A text that says why something was not done, or that the outcome is unknown. It has the request's id, with which the
 * operator can find it.
 */
export async function explain(
  engine: Engine,
  error: unknown,
  refused: Refused,
  log: Logger,
): Promise<string> {
  const { guildId, requestId, locale } = refused;
  const t = translator(locale, 'errors');
  if (error instanceof GoesOn) return error.message;
  const isAbsent = error instanceof InputProblem || (error instanceof ApiError && error.code === 'NOT_FOUND');
  // Discord lets admins add an application's commands without its bot. All that anybody asks for is absent there.
  if (isAbsent && guildId !== null && !(await isKnown(engine, guildId)))
    return t('notDone', { why: t('noBot', { url: engine.dashboardUrl }) });
  if (error instanceof InputProblem) return t('notDone', { why: error.message });
  const request = t('request', { id: `\`${requestId}\`` });
  if (!(error instanceof ApiError)) {
    log.error({ err: error, request_id: requestId, guild_id: guildId }, 'command failed');
    return `${t('ours')}\n${request}`;
  }
  const hint = error.code === 'CAPABILITY_DENIED' ? await ownerHint(engine, refused) : '';
  const why = `${reasonOf(error, refused)}${hint}`;
  return `${isOutcomeUnknown(error) ? t('notCertain', { why }) : t('notDone', { why })}\n${request}`;
}

/** Whether what failed may have happened all the same. An error of our own may come after the effect. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof InputProblem) return false;
  if (!(error instanceof ApiError)) return true;
  return error.details !== undefined && 'outcome' in error.details && error.details.outcome === 'unknown';
}

function reasonOf(error: ApiError, { locale, operation, number }: Refused): string {
  const isMissing = error.code === 'NOT_FOUND' && operation !== undefined;
  const missing = isMissing ? sayMissing(locale, operation, String(number ?? '')) : null;
  return missing ?? sayError(translator(locale, 'errors'), error);
}

/** Whether the bot has been in the guild. True if that cannot be read. */
async function isKnown({ db }: Engine, guildId: string): Promise<boolean> {
  const guild = { where: { id: guildId }, select: { id: true } };
  return (await db.prisma.guild.findUnique(guild).catch(() => true)) !== null;
}

/** Who can grant what is missing. Empty if that is not known: the refusal itself is told all the same. */
async function ownerHint({ db }: Engine, { guildId, locale }: Refused): Promise<string> {
  if (guildId === null) return '';
  const owner = { where: { id: guildId }, select: { ownerId: true } };
  const guild = await db.prisma.guild.findUnique(owner).catch(() => null);
  return guild === null ? '' : ` ${translator(locale, 'errors')('owner', { owner: `<@${guild.ownerId}>` })}`;
}
