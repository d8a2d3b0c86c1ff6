import {
  digestOf,
  type ErrorEnvelope,
  entryOf,
  type InputOf,
  issuesOf,
  type OutputOf,
  plainMessage,
  type RestOperation,
} from '@bailiff/core';
import { describeCall } from '@bailiff/messages/describe-call';
import { envelopeOf, invalidArguments } from './errors.ts';
import { isOffered, type Offer } from './offer.ts';
import type { Call } from './request.ts';
import type { Session } from './session.ts';
import { inputFrom, underPresentNames } from './tool-arguments.ts';
import { TOOL_SPECS, type ToolSpec } from './tools.ts';
import { webAddress } from './web-address.ts';

export type Outcome = (
  | { readonly ok: true; readonly spec: ToolSpec; readonly body: object }
  | { readonly ok: false; readonly envelope: ErrorEnvelope }
) & {
  /** Former names of arguments that were given. */
  readonly former?: readonly string[];
};

/**
 * Calls a tool and returns its result: validates the arguments, builds the sentinel from them, and sends the call, with
 * retries under one idempotency key.
 *
 * @param leftMs what is left of its time, if another call was a part of it
 * @throws when `signal` aborts
 */
export async function callTool(
  session: Session,
  offer: Offer,
  name: string,
  args: unknown,
  signal: AbortSignal,
  leftMs = session.time(),
): Promise<Outcome> {
  const spec = TOOL_SPECS.find(({ tool }) => tool.name === name);
  if (spec === undefined)
    return { ok: false, envelope: envelopeOf('NOT_FOUND', `There is no tool ${name}.`) };
  if (!isOffered(offer, spec)) return { ok: false, envelope: notOffered(offer, name) };
  const { args: present, former } = underPresentNames(args, spec.input);
  const read = readArguments(spec, present);
  if (!read.ok) return { ...read, former };
  const guild = await session.guildId(signal, leftMs);
  if (!guild.ok) return guild;
  const call: Call = { operation: spec.operation, guildId: guild.guildId, input: read.input };
  const reply = await session.send(call, signal, leftMs);
  remember(session, name, call, reply.ok ? undefined : reply.envelope);
  if (spec.operation === 'approvals.get' && reply.ok) forgetDecided(session, reply.body);
  return reply.ok ? { ok: true, spec, body: reply.body, former } : { ...reply, former };
}

type ReadArguments =
  | { readonly ok: true; readonly input: InputOf<RestOperation> }
  | { readonly ok: false; readonly envelope: ErrorEnvelope };

function readArguments(spec: ToolSpec, args: unknown): ReadArguments {
  if (typeof args === 'object' && args !== null && '_confirmation' in args) {
    const message = 'is no argument: this process writes it, from the other arguments';
    return { ok: false, envelope: invalidArguments([{ path: '_confirmation', message }]) };
  }
  const parsed = spec.arguments.safeParse(args ?? {}, { error: plainMessage });
  // Which operation it is, is known only at run time; the schema is that of this operation.
  if (parsed.success)
    return { ok: true, input: inputFrom(parsed.data, spec.input) as InputOf<RestOperation> };
  return { ok: false, envelope: invalidArguments(issuesOf(parsed.error)) };
}

function notOffered({ readOnly, tools }: Offer, name: string): ErrorEnvelope {
  const option = readOnly && (tools === null || tools.includes(name)) ? '--read-only' : '--tools';
  return envelopeOf('FORBIDDEN', `${name} is left out here: this process was started with ${option}.`);
}

/** Updates the list of calls that wait for approval. */
function remember(session: Session, tool: string, call: Call, error: ErrorEnvelope | undefined): void {
  const { operation, guildId, input } = call;
  if (entryOf(operation).sentinel === undefined) return;
  const digest = digestOf(operation, guildId, input);
  const approval = error === undefined ? undefined : approvalIn(error);
  if (approval !== undefined) {
    const sentence = describeCall(operation, guildId, input);
    session.approvals.add(digest, { ...approval, tool, sentence }, new Date());
  } else if (error === undefined || error.error.code === 'RE_AUTH_REQUIRED') {
    session.approvals.settle(digest);
  }
}

/** An approved call stays listed until it is made: it is still to be called again. */
function forgetDecided({ approvals }: Session, answer: object): void {
  const { id, state } = answer as OutputOf<'approvals.get'>;
  if (state !== 'pending' && state !== 'approved') approvals.decided(id);
}

/** The approval that RE_AUTH_REQUIRED asks the owner for; undefined where nobody is asked, and for every other error. */
export function approvalIn({
  error,
}: ErrorEnvelope): { approval_id: string; reauth_url: string } | undefined {
  if (error.code !== 'RE_AUTH_REQUIRED') return undefined;
  const details = error.details as Record<string, unknown>;
  const { approval_id = '', reauth_url = '', approval_state = 'pending' } = details;
  if (approval_state !== 'pending') return undefined;
  if (webAddress(String(reauth_url)) === null) return undefined;
  return { approval_id: String(approval_id), reauth_url: String(reauth_url) };
}
