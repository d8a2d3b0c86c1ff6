import { ID_PREFIXES, type IdKind } from '#src/ids.ts';

/** Ids in examples; nothing real has them. */
export const EXAMPLE_IDS = {
  guild: '345678901234567890',
  user: '123456789012345678',
  issuer: '234567890123456789',
  moderator: '789012345678901234',
  channel: '456789012345678901',
  role: '567890123456789012',
  message: '678901234567890123',
} as const;

/** An id of Bailiff's for examples. */
export function exampleId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c`;
}

/** The time of events in examples, and a time some hours later. */
export const ISSUED_AT = '2026-01-31T12:00:00.000Z';
export const LATER = '2026-01-31T18:30:00.000Z';

/** The fields of a ban or mute that change when it is lifted. */
export const LIFTED = { lifted_by: EXAMPLE_IDS.issuer, lifted_at: LATER, active: false };

/** The id of a request in examples. */
export const EXAMPLE_REQUEST_ID = 'req_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
