import type { Capability } from '@bailiff/core';

/** Capabilities by area, in the given order: `strikes` with `strikes.read` and `strikes.write`, and so on. */
export function byArea(
  capabilities: readonly Capability[],
): readonly { readonly area: Area; readonly capabilities: readonly Capability[] }[] {
  const areas = Map.groupBy(capabilities, areaOf);
  return [...areas].map(([area, named]) => ({ area, capabilities: named }));
}

type Area = Capability extends `${infer Name}.${string}` ? Name : never;

function areaOf(capability: Capability): Area {
  // The compiler does not know what `split` returns.
  return capability.split('.')[0] as Area;
}
