import type { PersonWire } from '#src/person-wire.ts';

export type ShownPerson = Omit<PersonWire, 'latest_case'>;

/** The name under which a person is shown; their id if no name is known. */
export function nameOf({ display_name, username, user_id }: ShownPerson): string {
  return display_name ?? username ?? user_id;
}
