import { TOOL_SPECS, type ToolSpec } from './tools.ts';

/** Which tools the configuration of this process offers to an assistant. */
export interface Offer {
  readonly readOnly: boolean;
  /** Names of tools, to which those are added that the others lead to; null for all. */
  readonly tools: readonly string[] | null;
}

/** What errors of the other tools tell an assistant to call. Without `whoami` nothing would say why a list is empty. */
const LED_TO: readonly string[] = ['whoami', 'get_approval', 'get_action'];

/** The offered tools that a token with these capabilities can use. */
export function toolsFor(offer: Offer, capabilities: readonly string[]): readonly ToolSpec[] {
  const held = new Set(capabilities);
  const usable = TOOL_SPECS.filter((spec) => isOffered(offer, spec)).filter(
    ({ capabilities }) => capabilities === null || capabilities.some((each) => held.has(each)),
  );
  const hasDestructive = usable.some(({ tool }) => tool.annotations.destructiveHint);
  return usable.filter(({ forDestructive }) => hasDestructive || !forDestructive);
}

/** Whether a tool is offered, regardless of the token's capabilities. */
export function isOffered({ readOnly, tools }: Offer, { tool }: ToolSpec): boolean {
  return (
    (!readOnly || tool.annotations.readOnlyHint) &&
    (tools === null || LED_TO.includes(tool.name) || tools.includes(tool.name))
  );
}

/** The names that no tool has. */
export function unknownTools(names: readonly string[]): readonly string[] {
  const known = new Set(TOOL_SPECS.map(({ tool }) => tool.name));
  return names.filter((name) => !known.has(name));
}
