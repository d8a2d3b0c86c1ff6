import {
  ApiError,
  type Call,
  callOf,
  entryOf,
  isOperationName,
  issuesOf,
  isWriteOperation,
  type OperationName,
  parseInput,
  SEVERITIES,
  Snowflake,
  type WriteOperation,
} from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import { capabilityDenied, capabilityOf } from '@bailiff/engine/calls/authorize';
import { strikeRefusal } from '@bailiff/engine/calls/target-refusals';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { foreseeEscalation, isSuperseded } from '@bailiff/engine/cases/escalation';
import { ownPreview } from '@bailiff/engine/cases/own-preview';
import type { Engine } from '@bailiff/engine/engine';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { inGamesOf, type SanctionedCase, sanctionInGames } from '@bailiff/engine/servers/sanction-in-games';
import { z } from 'zod';
import { readIdempotencyKey } from '#src/public-api/pipeline.ts';
import { bodyOf, invalid } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { json, type Route } from './route.ts';
import { issueMessages } from './translate-errors.ts';

const Step = z.strictObject({
  points: z.int(),
  sanction: z.enum(['mute', 'ban']),
  duration_minutes: z.int().nullable(),
});

const ActionBody = z.strictObject({
  operation: z.string().max(64),
  input: z.record(z.string(), z.unknown()),
  /** For a strike: the escalation step that the person was shown; null for none. */
  foreseen: Step.nullable().optional(),
  /** Whether it is carried to game servers too. */
  game_servers: z.boolean().optional(),
});

/** The case in the answer of what opens or ends one. */
const AnswerWithCase = z.record(z.string(), z.object({ case_number: z.int(), user_id: z.string() }));

/** The actions that people take on the dashboard's pages (decisions: Acting from the dashboard). */
export const actionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/guilds/{guildId}/actions',
    handle: async ({ engine }, request) => {
      const guild = await memberedGuild(engine.db, request);
      const { operation: name, input: given, foreseen, game_servers } = await bodyOf(request, ActionBody);
      const operation = offered(name);
      requireCapability(guild, operation);
      const { userId, sessionProof, requestId, address } = request.call;
      const actor = { source: 'dashboard', userId, sessionProof } as const;
      const { headers } = request.request;
      const key = readIdempotencyKey(headers.get('Idempotency-Key'));
      const call = {
        ...callFrom(operation, given, headers),
        guildId: guild.id,
        actor,
        requestId,
        address,
        idempotencyKey: key,
        ...(operation === 'strikes.add' && foreseen !== undefined ? { foreseen: stepOf(foreseen) } : {}),
      };
      const { status, body } = await performForPerson(engine, call);
      if (game_servers !== true) return json(status, body);
      // Also of one that is answered again: its first call may have ended before it came to the games.
      const told = await alsoInGames(engine, { operation, body, guildId: guild.id, actor, address, key });
      return json(status, { ...body, game_servers: told });
    },
  },
  {
    method: 'GET',
    path: '/api/guilds/{guildId}/previews/{actionId}',
    handle: async ({ db }, request) => {
      const guild = await memberedGuild(db, request);
      const viewer = { ...guild, userId: request.session.userId };
      return json(200, await ownPreview(db, viewer, request.params.actionId ?? ''));
    },
  },
  {
    method: 'GET',
    path: '/api/guilds/{guildId}/members/{userId}/escalation',
    handle: async ({ db }, request) => {
      const guild = await memberedGuild(db, request);
      requireCapability(guild, 'strikes.add');
      const userId = Snowflake.safeParse(request.params.userId);
      const severity = z.enum(SEVERITIES).safeParse(request.query.get('severity'));
      if (!userId.success) throw invalid(400, [{ path: 'user_id', message: 'must be the id of a user' }]);
      if (!severity.success) throw invalid(400, [{ path: 'severity', message: 'must be minor or major' }]);
      // Nobody learns the points of whom they may not strike.
      const reason = await strikeRefusal(db.pool, guild.id, request.session.userId, userId.data);
      if (reason !== null) {
        const { code, message } = forbidden(reason);
        throw new ApiError(code, message, { details: { reason } });
      }
      const { pointsBefore, pointsAfter, step } = await foreseeEscalation(
        db,
        guild.id,
        userId.data,
        severity.data,
      );
      return json(200, {
        points_before: pointsBefore,
        points_after: pointsAfter,
        step:
          step === null
            ? null
            : { points: step.points, sanction: step.sanction, duration_minutes: step.durationMinutes },
        superseded: step !== null && (await isSuperseded(db, guild.id, userId.data, step)),
      });
    },
  },
];

/** Carries what was done to the game servers where the person is known. What became of it on each, as the wire has it. */
async function alsoInGames(
  engine: Engine,
  { operation, body, ...of }: Done & Pick<SanctionedCase, 'guildId' | 'actor' | 'address' | 'key'>,
) {
  const does = inGamesOf(operation);
  const about = Object.values(AnswerWithCase.safeParse(body).data ?? {})[0];
  if (does === null || about === undefined) return [];
  const { case_number: caseNumber, user_id: userId } = about;
  const outcomes = await sanctionInGames(engine, { ...of, userId, caseNumber, does });
  return outcomes.map(({ target, outcome, said }) => ({
    server_id: target.serverId,
    server_name: target.serverName,
    in_game_id: target.inGameId,
    outcome,
    said,
  }));
}

interface Done {
  readonly operation: WriteOperation;
  readonly body: object;
}

/**
 * The operation of an action.
 *
 * @throws ApiError VALIDATION_FAILED if the dashboard does not offer it
 */
function offered(name: string): WriteOperation {
  if (isOperationName(name) && isWriteOperation(name) && entryOf(name).dashboard !== undefined) return name;
  throw invalid(422, [{ path: 'operation', message: 'must be an operation that the dashboard offers' }]);
}

/**
 * Checked before the input, so that a person without the right learns nothing about it. It is checked again when the
 * action is recorded.
 */
function requireCapability({ capabilities }: GuildView, operation: OperationName): void {
  const needed = capabilityOf(operation);
  if (needed !== null && !capabilities.includes(needed))
    throw capabilityDenied(needed, 'You may not do this');
}

function callFrom<N extends WriteOperation>(operation: N, given: object, headers: Headers): Call<N> {
  const parsed = parseInput(operation, given, issueMessages(headers));
  if (parsed.success) return callOf(operation, parsed.data);
  throw invalid(422, issuesOf(parsed.error));
}

function stepOf(step: z.output<typeof Step> | null) {
  if (step === null) return null;
  return { points: step.points, sanction: step.sanction, durationMinutes: step.duration_minutes };
}
