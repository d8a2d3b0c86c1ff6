// What the sandbox's people do at a running Bailiff, over HTTP: for tests, demo and benchmarks.
export { type Exchange, type RequestOptions, send } from './http.ts';
export { untilInTime } from './in-time.ts';
export { type MintedToken, Owner } from './owner.ts';
export { readSandbox, type SampleGuild, type SampleState, spareMembers } from './people.ts';
export { Visitor } from './visitor.ts';
