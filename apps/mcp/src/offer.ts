import { TOOL_SPECS, type ToolSpec } from './tools.ts';

/** What the person who configured this process lets an assistant do, at most. */
export interface Offer {
  readonly readOnly: boolean;
  /** Names of tools; null for all. */
  readonly tools: readonly string[] | null;
}

/** The tools of an offer that a token with these capabilities can use. */
export function toolsFor(offer: Offer, capabilities: readonly string[]): readonly ToolSpec[] {
  const held = new Set(capabilities);
  return TOOL_SPECS.filter((spec) => isOffered(offer, spec)).filter(
    ({ capability }) => capability === null || held.has(capability),
  );
}

/** Whether the offer has a tool, whatever the token may do. */
export function isOffered({ readOnly, tools }: Offer, { tool }: ToolSpec): boolean {
  return (!readOnly || tool.annotations.readOnlyHint) && (tools === null || tools.includes(tool.name));
}

/** Of `names`, those that no tool has. */
export function unknownTools(names: readonly string[]): readonly string[] {
  const known = new Set(TOOL_SPECS.map(({ tool }) => tool.name));
  return names.filter((name) => !known.has(name));
}
