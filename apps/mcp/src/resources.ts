import { randomBytes } from 'node:crypto';
import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Session } from './session.ts';
import { cleaned, fenced } from './untrusted.ts';

const TOKEN = 'bailiff://token';
const RULES = 'bailiff://rules';
const APPROVALS = 'bailiff://approvals';
const MARK_BYTES = 8;

/** The resources that a client can attach to a conversation. */
export const RESOURCES = [
  {
    uri: TOKEN,
    name: 'token',
    title: 'What the token is and may do now',
    description: 'Its guild, issuer, capabilities, expiry, window and budgets.',
    mimeType: 'text/plain',
  },
  {
    uri: RULES,
    name: 'rules',
    title: "The guild's rules",
    description: 'What strikes lead to, and the reasons its moderators pick from.',
    mimeType: 'text/plain',
  },
  {
    uri: APPROVALS,
    name: 'approvals',
    title: 'Calls that wait for approval',
    description:
      'Calls of this process that were refused for want of an open window, with the page to approve each.',
    mimeType: 'text/plain',
  },
] as const;

/** @throws ResourceNotFoundError for an address that is not in the list */
export async function readResource(
  session: Session,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const read = READERS.get(uri);
  if (read === undefined) throw new ResourceNotFoundError(uri);
  const mark = randomBytes(MARK_BYTES).toString('hex');
  const { title } = RESOURCES.find((resource) => resource.uri === uri) ?? { title: uri };
  const data = cleaned(await read(session, signal));
  return { contents: [{ uri, mimeType: 'text/plain', text: fenced(title, data, mark) }] };
}

type ReadResource = (session: Session, signal: AbortSignal) => object | Promise<object>;

const READERS: ReadonlyMap<string, ReadResource> = new Map<string, ReadResource>([
  [TOKEN, tokenOf],
  [RULES, rulesOf],
  [APPROVALS, pendingOf],
]);

async function tokenOf(session: Session, signal: AbortSignal): Promise<object> {
  const read = await session.me(signal);
  return read.ok ? read.me : read.envelope;
}

async function rulesOf(session: Session, signal: AbortSignal): Promise<object> {
  const leftMs = session.time();
  const found = await session.guildId(signal, leftMs);
  if (!found.ok) return found.envelope;
  const call = { operation: 'rules.get', guildId: found.guildId, input: {} } as const;
  const reply = await session.send(call, signal, leftMs);
  return reply.ok ? reply.body : reply.envelope;
}

function pendingOf(session: Session): object {
  return { data: session.approvals.list(new Date()) };
}
