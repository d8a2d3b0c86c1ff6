import { randomBytes } from 'node:crypto';
import type { ErrorEnvelope } from '@bailiff/core';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { adviceOn } from './advice.ts';
import type { Outcome } from './call-tool.ts';
import { saidOfNames } from './tool-arguments.ts';
import { cleaned, fenced, NOTICE, NOTICE_FIELD } from './untrusted.ts';

const MARK_BYTES = 8;

/** The result of a tool: the operation's body, or the error envelope and what to do about it. */
export function resultOf(outcome: Outcome): CallToolResult {
  const { content, ...result } = outcome.ok
    ? successOf(outcome.spec.tool.name, outcome.body)
    : errorResult(outcome.envelope);
  const notes = saidOfNames(outcome.former ?? []).map((text) => ({ type: 'text' as const, text }));
  return { ...result, content: [...content, ...notes] };
}

function successOf(tool: string, body: object): CallToolResult {
  const data = cleaned(body);
  const text = fenced(`The result of ${tool}`, data, randomBytes(MARK_BYTES).toString('hex'));
  return {
    content: [{ type: 'text', text }],
    structuredContent: { [NOTICE_FIELD]: NOTICE, ...data },
  };
}

/**
 * The error result. Its first text is the whole envelope (spec §7). It has no `structuredContent`, because clients
 * validate that against the tool's `outputSchema`, which describes a success.
 */
export function errorResult(envelope: ErrorEnvelope, note = adviceOn(envelope)): CallToolResult {
  const safe = cleaned(envelope);
  return {
    isError: true,
    content: [
      { type: 'text', text: JSON.stringify(safe) },
      ...(note === undefined ? [] : [{ type: 'text' as const, text: note }]),
    ],
  };
}
